/** What a person is shown of a call, and that what runs is what was shown. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentTools, continueSession, defineAgentTool, runAgent } from "#internal/agent/mod.ts";
import type { AgentTool } from "#internal/agent/mod.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

/** A file in memory and a tool that doubles it. */
function doubling(file: { text: string }, looked: string[] = []): AgentTool {
  return defineAgentTool({
    name: "double",
    description: "Doubles the text of the only file that there is.",
    input: z.strictObject({}),
    highestEffect: "write",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: false,
    needs: ["workspace"],
    preview() {
      looked.push(file.text);
      return file.text === "broken"
        ? Promise.reject(new Error("it is broken"))
        : Promise.resolve([{ path: "a.txt", before: file.text, after: file.text.repeat(2) }]);
    },
    run() {
      file.text = file.text.repeat(2);
      return Promise.resolve({ ok: true, text: "doubled" });
    },
  });
}

async function asked(
  machine: TestMachine,
): Promise<{ readonly session: string; readonly heard: ReturnType<typeof hearing> }> {
  mkdirSync(join(machine.folder, "work"), { recursive: true });
  const heard = hearing();
  const models = [scriptOf(machine, [{ calls: [{ tool: "double" }] }, { say: "did it" }])];
  const options = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", workspace: "work" };
  const { session } = await runAgent(machine, { ...options, models }, heard.listener);
  return { session, heard };
}

const approve = (machine: TestMachine, session: string, heard: ReturnType<typeof hearing>) =>
  continueSession(machine, { session, who: "cli:test", approve: true }, heard.listener);

describe("the sentence of a call", () => {
  const says = (name: string, input: object) =>
    agentTools.find((tool) => tool.name === name)?.says?.(input);

  test.each<[string, object, string]>([
    ["write_file", { content: "é", path: "a.md" }, "Write a.md: 2 bytes."],
    ["edit_file", { path: "a.md", old_string: "a", new_string: "b" }, "Change a.md."],
    ["apply_patch", {
      patch: "*** Begin Patch\n*** Add File: a.md\n+a\n*** Delete File: b.md\n*** End Patch\n",
    }, "Change a.md, b.md."],
    ["apply_patch", { patch: "nothing" }, "Apply a patch that cannot be read."],
    ["shell", { command: "git status" }, "Run: git status"],
    ["shell", { command: "a \\\n  b\n", background: true }, "Start, and go on: a \\\n    b"],
  ])("of %s %j says what it does", (name, input, sentence) => {
    expect(says(name, input)).toBe(sentence);
  });
});

test("a change of files that asks is looked up once for its question, and once when it runs", async () => {
  const looked: string[] = [];
  const machine = testMachine({ tools: [doubling({ text: "one\n" }, looked)] });
  const { session, heard } = await asked(machine);
  expect(looked).toHaveLength(1);
  await approve(machine, session, heard);
  expect(looked).toHaveLength(2);
});

describe("a payment that asks", () => {
  test.each([
    ["Pay bob 1 USD for invoice 7.", "bob and 1 USD were named here; the charter allows"],
    ["Pay the bill.", "nobody named bob and 1 USD here; the charter allows"],
  ])("after %j says who named it, and what is left [A-615]", async (task, weighed) => {
    const machine = testMachine();
    const heard = hearing();
    const models = [scriptOf(machine, [{ calls: [PAY_BOB] }])];
    const options = { agent: AGENT, wallet: "coder", who: "cli:test", autonomy: "L5" };
    await runAgent(machine, { ...options, models, task }, heard.listener);
    const waiting = heard.events.find(({ type }) => type === "waiting");
    expect(waiting).toMatchObject({
      says: expect.stringContaining(
        `Pay 1 USD to bob for invoice 7. Fee 0.0012 USD.\n${weighed}`,
      ),
    });
    expect(waiting).toMatchObject({ says: expect.stringMatching(/ USD left$/) });
  });
});

test("a payment that asks while no node answers says that nothing more is known", async () => {
  const machine = testMachine();
  const gone = () => Promise.reject(new Error("no node answers"));
  Object.assign(machine.ledger, { budget: gone, payFee: gone });
  const heard = hearing();
  const models = [scriptOf(machine, [{ calls: [PAY_BOB] }])];
  const options = { agent: AGENT, wallet: "coder", who: "cli:test", autonomy: "L5", task: "go" };
  await runAgent(machine, { ...options, models }, heard.listener);
  expect(heard.events.find(({ type }) => type === "waiting")).toMatchObject({
    says: "Pay 1 USD to bob for invoice 7.\n" +
      "nobody named bob and 1 USD here; what is left cannot be read now",
  });
});

describe("a call that asks", () => {
  test("shows no change of a file that would stay as it is", async () => {
    const machine = testMachine({ tools: [doubling({ text: "" })] });
    const { heard } = await asked(machine);
    expect(heard.events.find(({ type }) => type === "waiting")).not.toHaveProperty("diff");
  });

  test("shows how it would change files before it does", async () => {
    const file = { text: "one\n" };
    const machine = testMachine({ tools: [doubling(file)] });
    const { session, heard } = await asked(machine);
    const waiting = heard.events.find(({ type }) => type === "waiting");
    expect(waiting).toMatchObject({
      diff: "--- a.txt\n+++ a.txt\n@@ -1,1 +1,2 @@\n one\n+one\n",
    });
    expect(heard.lines.join("\n")).toContain("@@ -1,1 +1,2 @@\n one\n+one\nsession ");
    expect(await approve(machine, session, hearing())).toMatchObject({ how: "done" });
    expect(file.text).toBe("one\none\n");
  });

  test("asks anew when the files changed since it was shown, under another request", async () => {
    const file = { text: "one\n" };
    const machine = testMachine({ tools: [doubling(file)] });
    const { session, heard } = await asked(machine);
    const first = heard.events.find(({ type }) => type === "waiting") as { request: string };
    file.text = "two\n";
    const again = hearing();
    const end = await approve(machine, session, again);
    expect(end).toMatchObject({ how: "waiting" });
    expect(file.text).toBe("two\n");
    const second = again.events.find(({ type }) => type === "waiting") as {
      request: string;
      why: string;
      diff: string;
    };
    expect(second.request).not.toBe(first.request);
    expect(second.why).toBe("writing at autonomy L2; the files changed since it was shown");
    expect(second.diff).toContain("+two");
    const late = { session, who: "cli:test", approve: true, request: first.request };
    await expect(continueSession(machine, late, hearing().listener)).rejects.toThrow(
      `request ${first.request} no longer waits`,
    );
    expect(await approve(machine, session, hearing())).toMatchObject({ how: "done" });
    expect(file.text).toBe("two\ntwo\n");
  });

  test.each([
    [
      "edit_file",
      { path: "a.txt", old_string: "two", new_string: "three" },
      "old_string is not in a.txt",
    ],
    ["edit_file", { path: "none.txt", old_string: "a", new_string: "b" }, "none.txt"],
    ["apply_patch", { patch: "nothing" }, "patch"],
    ["apply_patch", {
      patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch\n",
    }, "nothing was changed: "],
  ])("is not put to anybody when it would fail anyway: %s %j", async (tool, input, why) => {
    const machine = testMachine();
    const work = join(machine.folder, "work");
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, "a.txt"), "one\n");
    const heard = hearing();
    const models = [scriptOf(machine, [{ calls: [{ tool, input }] }, { say: "I see." }])];
    const options = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test" };
    const end = await runAgent(machine, { ...options, models, workspace: "work" }, heard.listener);
    expect(end).toMatchObject({ how: "done", said: "I see." });
    expect(heard.events.filter(({ type }) => type === "waiting")).toEqual([]);
    expect(heard.lines.find((line) => line.includes("✗"))).toContain(why);
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one\n");
  });

  test("says why its change cannot be shown, and shows one that is too long as that", async () => {
    const broken = await asked(testMachine({ tools: [doubling({ text: "broken" })] }));
    expect(broken.heard.lines.join("\n")).toContain("(the change cannot be shown: it is broken)");
    const long = await asked(testMachine({ tools: [doubling({ text: "x".repeat(1_100_000) })] }));
    expect(long.heard.lines.join("\n")).toMatch(/\(the change has \d{7} characters, too many/);
  });

  test("shows control characters of a change, and obeys none", async () => {
    const { heard } = await asked(testMachine({ tools: [doubling({ text: "\x1b[2J\r\n" })] }));
    expect(heard.lines.join("\n")).not.toContain("\x1b");
  });

  test("says in a sentence what a payment does", async () => {
    const machine = testMachine();
    const heard = hearing();
    const models = [scriptOf(machine, [{ calls: [PAY_BOB] }])];
    const options = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", autonomy: "L5" };
    await runAgent(machine, { ...options, models }, heard.listener);
    expect(heard.events.find(({ type }) => type === "waiting")).toMatchObject({
      says: expect.stringMatching(/^Pay 1 USD to bob for invoice 7\. Fee 0\.0012 USD\.\n/),
    });
    expect(agentTools.filter(({ highestEffect, says }) => highestEffect === "spend" && !says))
      .toEqual([]);
  });

  test("is not asked about where it may run, and its change is told where a front end wants it", async () => {
    for (const showChanges of [true, false]) {
      const machine = testMachine({ tools: [doubling({ text: "one\n" })], showChanges });
      mkdirSync(join(machine.folder, "work"), { recursive: true });
      const heard = hearing();
      const models = [scriptOf(machine, [{ calls: [{ tool: "double" }] }, { say: "did it" }])];
      const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", autonomy: "L3" };
      await runAgent(machine, { ...given, workspace: "work", models }, heard.listener);
      const told = heard.events.filter(({ type }) => type === "change");
      expect(told).toHaveLength(showChanges ? 1 : 0);
      if (showChanges) {
        expect(heard.lines.slice(1, 3).join("\n")).toBe(
          " → double {}\n--- a.txt\n+++ a.txt\n@@ -1,1 +1,2 @@\n one\n+one",
        );
      }
    }
  });

  test("has the ledger asked for no fee of a payment that runs unasked", async () => {
    const machine = testMachine({ showChanges: true });
    let fees = 0;
    Object.assign(machine.ledger, { payFee: () => Promise.resolve(BigInt(++fees)) });
    const models = [scriptOf(machine, [{ calls: [PAY_BOB] }, { say: "paid" }])];
    const given = { agent: AGENT, wallet: "coder", task: "pay bob 1 USD", who: "cli:test" };
    const heard = hearing();
    await runAgent(machine, { ...given, autonomy: "L6", models }, heard.listener);
    expect(heard.lines.join("\n")).toContain("paid");
    expect(heard.events.filter(({ type }) => type === "waiting")).toEqual([]);
    expect(fees).toBe(0);
  });

  test("tells no change of a call that its approver saw", async () => {
    const machine = testMachine({ tools: [doubling({ text: "one\n" })], showChanges: true });
    const { session } = await asked(machine);
    const heard = hearing();
    await approve(machine, session, heard);
    expect(heard.events.filter(({ type }) => type === "change")).toEqual([]);
  });
});
