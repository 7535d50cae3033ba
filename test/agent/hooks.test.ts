/** The operator's hooks: real programs around calls and runs, with what goes wrong with programs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  addHook,
  continueSession,
  defineAgentTool,
  readHooks,
  removeHook,
  runAgent,
} from "#internal/agent/mod.ts";
import type { AgentTool, Hook, ModelRequest } from "#internal/agent/mod.ts";
import { isProcessAlive } from "#internal/runtime/mod.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const PATH = process.env["PATH"] ?? "";

/** A machine whose hooks are shell scripts. */
async function machineWith(
  hooks: readonly (Partial<Hook> & { readonly event: Hook["event"]; readonly script: string })[],
  replace: Parameters<typeof testMachine>[0] = {},
): Promise<TestMachine> {
  const machine = testMachine(replace);
  const env = { ...machine.env, PATH };
  for (const { script, ...hook } of hooks) {
    const kept = { timeout_s: 20, command: ["/bin/sh", "-c", script], ...hook };
    await addHook({ home: machine.home, env }, kept);
  }
  return { ...machine, env };
}

async function run(
  machine: TestMachine,
  turns: readonly Turn[],
  options: { readonly workspace?: string } = {},
) {
  const heard = hearing();
  const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", autonomy: "L6" };
  const models = [scriptOf(machine, turns)];
  const end = await runAgent(machine, { ...given, ...options, models }, heard.listener);
  return { end, ...heard };
}

const PAY: readonly Turn[] = [{ calls: [PAY_BOB] }, { say: "ok" }];

function logOf(machine: TestMachine): Record<string, unknown>[] {
  const text = readFileSync(join(machine.home, "agents", "hooks.log"), "utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a before-tool hook", () => {
  test.each([
    ["lets the call run with exit 0 [A-231]", "exit 0", /^ ← Pulse 14: Done/],
    [
      "blocks it with exit 2, its error output the reason [A-232 A-233]",
      "echo out; echo not on Fridays >&2; exit 2",
      /^ ✗ not on Fridays$/,
    ],
    [
      "blocks it with its output where it wrote no error [A-233]",
      "echo ask me first; exit 2",
      /^ ✗ ask me first$/,
    ],
    [
      "blocks it with another status too [A-234]",
      "echo oops >&2; exit 1",
      /^ ✗ hook 1 failed \(exit status 1: oops\), so the call was not made$/,
    ],
    [
      "blocks it when a signal ends it [A-234]",
      "kill -9 $$",
      /^ ✗ hook 1 failed \(it was ended by SIGKILL\), so the call was not made$/,
    ],
    ["may write garbage without end", "head -c 3000000 /dev/urandom; exit 0", /^ ← Pulse 14/],
    ["may leave its input unread", "exec <&-; exit 0", /^ ← Pulse 14/],
    [
      "ends with its program, and what that left ends with it",
      "sleep 600 & exit 0",
      /^ ← Pulse 14/,
    ],
    [
      "keeps its answer though a program that left it holds its output",
      "echo no >&2; setsid sleep 9 & exit 2",
      /^ ✗ no$/,
    ],
  ])("%s", async (_title, script, outcome) => {
    const machine = await machineWith([{ event: "before-tool", script }]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toMatch(outcome);
    expect(machine.ledger.paid).toHaveLength(lines[2]?.startsWith(" ←") === true ? 1 : 0);
  });

  test.each([
    ["that it left", "exit 0", / ← Pulse 14: Done/],
    ["that it left when it ran out of time", "sleep 600", /✗ hook 1 failed \(it took longer/],
  ])("leaves no daemon behind %s", async (_title, end, outcome) => {
    const pids = join(testMachine().folder, "pids");
    mkdirSync(join(pids, ".."), { recursive: true });
    const daemon =
      `setsid sh -c 'trap "" TERM HUP; (sleep 600 & echo $!) > ${pids}; exec sleep 600' &`;
    const script = `${daemon} until [ -s ${pids} ]; do sleep 0.02; done; ${end}`;
    const machine = await machineWith([{ event: "before-tool", script, timeout_s: 20 }]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toMatch(outcome);
    expect(isProcessAlive(Number(readFileSync(pids, "utf8")))).toBe(false);
  });

  test("is stopped with its run, and the call is not made", async () => {
    const stop = new AbortController();
    const mark = join(testMachine().folder, "begun");
    mkdirSync(join(mark, ".."), { recursive: true });
    const script = `echo $$ > ${mark}; exec sleep 600`;
    const machine = await machineWith([{ event: "before-tool", script, timeout_s: 600 }]);
    const heard = hearing();
    const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", autonomy: "L6" };
    const models = [scriptOf(machine, PAY)];
    const ended = runAgent(machine, { ...given, models }, heard.listener, stop.signal);
    await expect.poll(() => existsSync(mark) && readFileSync(mark, "utf8"), { timeout: 600_000 })
      .toMatch(/\d\n/);
    stop.abort();
    expect(await ended).toMatchObject({ how: "stopped", code: "cancelled" });
    expect(heard.lines[2]).toBe(" ✗ hook 1 failed (it was stopped), so the call was not made");
    expect(isProcessAlive(Number(readFileSync(mark, "utf8")))).toBe(false);
    expect(machine.ledger.paid).toEqual([]);
  });

  test("blocks the call when it does not start [A-234]", async () => {
    const machine = await machineWith([{
      event: "before-tool",
      script: "",
      command: ["/no/such"],
    }]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toContain("hook 1 failed (Cannot start /no/such: ENOENT)");
    expect(machine.ledger.paid).toEqual([]);
  });

  test("blocks the call when it is out of time, and leaves nothing behind [A-234 A-251]", async () => {
    const mark = join(testMachine().folder, "late");
    mkdirSync(join(mark, ".."), { recursive: true });
    const script = `trap '' TERM; (sleep 3; touch ${mark}) & sleep 60`;
    const machine = await machineWith([{ event: "before-tool", script, timeout_s: 1 }]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toContain("hook 1 failed (it took longer than 1 s), so the call was not made");
  });

  test("is asked after the policy and any approval, never of what is refused [A-230]", async () => {
    const machine = await machineWith([{ event: "before-tool", script: "echo x >> seen; exit 0" }]);
    mkdirSync(join(machine.folder, "work"));
    const heard = hearing();
    const models = [scriptOf(machine, PAY)];
    const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", models };
    const { session } = await runAgent(
      machine,
      { ...given, autonomy: "L5", workspace: "work" },
      heard.listener,
    );
    expect(() => readFileSync(join(machine.folder, "work", "seen"))).toThrow("ENOENT");
    await continueSession(machine, { session, who: "cli:test", approve: true }, heard.listener);
    expect(readFileSync(join(machine.folder, "work", "seen"), "utf8")).toBe("x\n");
    await runAgent(machine, { ...given, autonomy: "L2", workspace: "work" }, heard.listener);
    expect(readFileSync(join(machine.folder, "work", "seen"), "utf8")).toBe("x\n");
  });

  test("reads the event as JSON, with its name and the session in its environment [A-241 A-242 A-243 A-245 A-246 A-249 A-250]", async () => {
    const script = 'cat > event.json; echo "$SION_HOOK_EVENT $SION_SESSION $PWD" > env; exit 0';
    const machine = await machineWith([{ event: "before-tool", script }]);
    const work = join(machine.folder, "work");
    mkdirSync(work);
    const { end } = await run(machine, PAY, { workspace: "work" });
    expect(JSON.parse(readFileSync(join(work, "event.json"), "utf8"))).toEqual({
      event: "before-tool",
      session: end.session,
      tool: "ledger_pay",
      input: PAY_BOB.input,
    });
    expect(readFileSync(join(work, "env"), "utf8")).toBe(`before-tool ${end.session} ${work}\n`);
  });

  test.each([
    ["ledger_*", 1],
    ["*_pay", 1],
    ["l*r*y", 1],
    ["ledger_pay", 1],
    ["ledger", 0],
    ["*.pay", 0],
    ["ledger_pay*", 1],
    ["*r_p*y", 1],
    ["ledger_*_pay", 0],
    ["ledger_pa*ay", 0],
    [`${"*".repeat(9)}y`, 1],
    [`${"*a".repeat(90)}*b`, 0],
    ["shell", 0],
    [undefined, 1],
  ])("with the pattern %s is for so many of its calls [A-247 A-248]", async (tool, blocked) => {
    const only = tool === undefined ? {} : { tool };
    const machine = await machineWith([{ event: "before-tool", script: "exit 2", ...only }]);
    await run(machine, PAY);
    expect(machine.ledger.paid).toHaveLength(1 - blocked);
  });
});

describe("an after-tool hook", () => {
  test("adds what it prints to what the model is shown, marked as the hook's [A-235 A-236 A-244]", async () => {
    const script = 'grep -q \'"outcome":{"ok":true,"text":"Pulse 14\' && echo noted';
    const machine = await machineWith([{ event: "after-tool", script }]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toMatch(/\n\(hook: noted\)$/);
  });

  test("is not told of a call that a hook blocked, since it did not run [A-235]", async () => {
    const machine = await machineWith([
      { event: "before-tool", script: "echo no >&2; exit 2" },
      { event: "after-tool", script: "echo noted" },
    ]);
    const { lines } = await run(machine, PAY);
    expect(lines[2]).toBe(" ✗ no");
  });

  test("that fails changes nothing and is written to hooks.log [A-252]", async () => {
    const script = "echo hidden; echo broke >&2; exit 3";
    const machine = await machineWith([{ event: "after-tool", script }]);
    const { lines, end } = await run(machine, PAY);
    expect(lines[2]).toMatch(/^ ← Pulse 14: Done/);
    expect(lines[2]).not.toMatch(/hook|hidden/);
    expect(logOf(machine)).toMatchObject([
      { hook: 1, event: "after-tool", session: end.session, failure: "exit status 3: broke" },
    ]);
  });
});

describe("hooks around runs", () => {
  test("add to the person's message, once a run, and hear how it ended [A-237 A-238 A-239 A-240]", async () => {
    const asked: ModelRequest[] = [];
    const listening = {
      scheme: "listening",
      usage: "<x>",
      open: () =>
        Promise.resolve({
          name: "listening:x",
          async *respond(request: ModelRequest) {
            asked.push(request);
            yield await Promise.resolve({ type: "text" as const, text: "heard" });
            yield { type: "end" as const, stop: "end" as const };
          },
        }),
    };
    const machine = await machineWith([
      { event: "run-start", script: 'cat >> ../starts; echo "It is Friday."' },
      { event: "run-start", script: "exit 7" },
      { event: "run-end", script: "cat >> ../ends" },
    ], { providers: [listening] });
    mkdirSync(join(machine.folder, "work"));
    const given = {
      agent: AGENT,
      wallet: "coder",
      task: "pay",
      who: "cli:test",
      workspace: "work",
    };
    const { session } = await runAgent(
      machine,
      { ...given, models: ["listening:x"] },
      hearing().listener,
    );
    const on = { session, who: "cli:test", say: "and on" };
    await continueSession(machine, on, hearing().listener);
    expect(asked[1]?.messages.filter(({ role }) => role === "person")).toMatchObject([
      { text: "pay\n\n(hook: It is Friday.)" },
      { text: "and on\n\n(hook: It is Friday.)" },
    ]);
    const told = (name: string): unknown[] =>
      readFileSync(join(machine.folder, name), "utf8").trim().split("\n").map((line) =>
        JSON.parse(line) as unknown
      );
    expect(told("starts")).toEqual([
      { event: "run-start", session, said: "pay" },
      { event: "run-start", session, said: "and on" },
    ]);
    expect(told("ends")).toEqual([
      { event: "run-end", session, ended: { how: "done", said: "heard" } },
      { event: "run-end", session, ended: { how: "done", said: "heard" } },
    ]);
    expect(logOf(machine)).toHaveLength(2);
  });
});

describe("calls that only read", () => {
  /** A reading tool that notices how many of it are under way. */
  function counting(most: { now: number; most: number }): AgentTool {
    return defineAgentTool({
      name: "look",
      description: "Looks at something for a moment.",
      input: z.strictObject({ at: z.number() }),
      highestEffect: "read",
      repeatHarmless: true,
      openWorld: false,
      fromPrograms: true,
      async run() {
        most.most = Math.max(most.most, ++most.now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        most.now--;
        return { ok: true, text: "seen" };
      },
    });
  }

  test.each(
    [
      ["side by side without hooks around calls [A-255]", "run-end", 3],
      ["one after another with some [A-254]", "after-tool", 1],
    ] as const,
  )("are made %s", async (_title, event, most) => {
    const seen = { now: 0, most: 0 };
    const machine = await machineWith([{ event, script: "exit 0" }], { tools: [counting(seen)] });
    const calls = [1, 2, 3].map((at) => ({ tool: "look", input: { at } }));
    await run(machine, [{ calls }, { say: "ok" }]);
    expect(seen.most).toBe(most);
  });
});

describe("hooks.json", () => {
  test("is kept by commands, numbered from 1, and a removed one moves the rest up [A-224 A-228 A-229]", async () => {
    const machine = await machineWith([
      { event: "run-end", script: "a" },
      { event: "run-end", script: "b" },
      { event: "run-end", script: "c" },
    ]);
    const scripts = async (): Promise<unknown[]> =>
      (await readHooks(machine)).map(({ command }) => command[2]);
    expect((await removeHook(machine, 2)).command[2]).toBe("b");
    expect(await scripts()).toEqual(["a", "c"]);
    await expect(removeHook(machine, 3)).rejects.toThrow(
      "there is no hook 3: `sion agent hooks list` numbers them from 1 to 2",
    );
  });

  test("loses none of several that are added at once", async () => {
    const machine = await machineWith([]);
    const hook = { event: "run-end" as const, timeout_s: 1, command: ["true"] };
    await Promise.all(Array.from({ length: 8 }, () => addHook(machine, hook)));
    expect(await readHooks(machine)).toHaveLength(8);
  });

  test.each([
    ["others can change", (file: string) => chmodSync(file, 0o666), "others can change"],
    [
      "lies where others can put another",
      (file: string) => chmodSync(join(file, ".."), 0o777),
      "others can change",
    ],
    ["is no JSON", (file: string) => writeFileSync(file, "{"), "is not as sion wrote it"],
    ["is a list", (file: string) => writeFileSync(file, "[]"), "(Invalid input: expected object"],
    [
      "has what there is not",
      (file: string) =>
        writeFileSync(
          file,
          '{"version":1,"hooks":[{"event":"on-tool","timeout_s":1,"command":["x"]}]}',
        ),
      "hooks.0.event",
    ],
  ])("that %s lets no session begin or go on [A-253]", async (_title, spoil, why) => {
    const machine = await machineWith([{ event: "run-end", script: "exit 0" }]);
    const { end } = await run(machine, [{ say: "one" }]);
    spoil(join(machine.home, "agents", "hooks.json"));
    await expect(run(machine, [{ say: "two" }])).rejects.toThrow(why);
    expect(machine.sessions.list(10)).toHaveLength(1);
    const on = { session: end.session, who: "cli:test", say: "on" };
    await expect(continueSession(machine, on, hearing().listener)).rejects.toThrow(why);
  });
});
