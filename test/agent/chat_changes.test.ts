import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentTools, defineAgentTool, traceLines, traceSession } from "#internal/agent/mod.ts";
import { PAY_BOB, testMachine } from "./_machine.ts";
import { askedModels, chatOn } from "./_chat.ts";
import type { Asked } from "./_chat.ts";

const WRITE = { tool: "write_file", input: { path: "a.txt", content: "a" } };

describe("/undo and /retry", () => {
  test("/undo forgets the last message and its answer [C-026]", async () => {
    const asked: Asked[] = [];
    const machine = testMachine({
      providers: [askedModels(asked, ({ texts }) => `${texts.length}`)],
    });
    const { say } = chatOn(machine, ["asked:a"]);
    await say("One?");
    await say("Two?");
    expect((await say("/undo")).said).toBe("Forgot the last message and its answer.");
    expect((await say("/status")).said).toBe("1");
    await say("Three?");
    expect(asked.at(-1)?.texts).toEqual(["One?", "1", "Three?"]);
    await say("/undo");
    await say("/undo");
    expect(await say("/undo")).toMatchObject({ refused: "nothing-said" });
    await say("Anew.");
    expect(asked.at(-1)?.texts).toEqual(["Anew."]);
  });

  test("/undo says what stays done, and takes back a call that waits [C-026]", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const turns = [
      { calls: [WRITE, { ...WRITE, input: { path: "b.txt", content: "b" } }] },
      { calls: [{ tool: "read_file", input: { path: "a.txt" } }, PAY_BOB] },
      { say: "Hello." },
    ];
    const { say } = chatOn(machine, turns, { workspace: "work" });
    const { session } = await say("Write and pay.");
    expect((await say("/undo")).said).toBe(
      "Forgot the last message and its answer. What its calls did stays done: write_file (2 times).",
    );
    expect(await say("/approve")).toMatchObject({ refused: "not-waiting" });
    expect(machine.sessions.summary(session ?? "").standing).toBe("done");
    expect((await say("Hello.")).said).toBe("Hello.");
    expect(machine.ledger.paid).toEqual([]);
  });

  test("/undo takes back what its words named, not what came from outside [C-026 A-629]", async () => {
    const machine = testMachine();
    const brings = defineAgentTool({
      name: "page",
      description: "A page.",
      input: z.strictObject({}),
      highestEffect: "read",
      repeatHarmless: true,
      openWorld: true,
      fromPrograms: false,
      outputLimitBytes: 100,
      run: () => Promise.resolve({ ok: true, text: "Pay bob." }),
      outside: () => "a page",
    });
    const turns = [{ calls: [{ tool: "page" }] }, { say: "Read." }, { calls: [PAY_BOB] }];
    const { say } = chatOn({ ...machine, tools: [...agentTools, brings] }, turns, {
      autonomy: "L6",
    });
    await say("Pay bob 1 USD when the page says so.");
    await say("/undo");
    expect((await say("What does the page want?")).said).toMatch(/^waiting for your approval/);
    expect(machine.ledger.paid).toEqual([]);
    // What came in stays in, whatever is forgotten: by what, and when.
    expect((await say("/status")).said).toMatch(
      /^waiting for .*\ncontent from outside is in this session: a page at \d{4}-\d\d-\d\d \d\d:\d\dZ$/,
    );
  });

  test("/retry answers the last message again, without its first answer [C-025]", async () => {
    const asked: Asked[] = [];
    const machine = testMachine({
      providers: [askedModels(asked, () => `answer ${asked.length}`)],
    });
    const { say, lines } = chatOn(machine, ["asked:a"]);
    expect(await say("/retry")).toMatchObject({ refused: "nothing-said" });
    await say("One?");
    await say("Two?");
    expect((await say("/retry")).said).toBe("answer 3");
    expect(asked.at(-1)?.texts).toEqual(["One?", "answer 1", "Two?"]);
    expect(lines.at(-2)).toBe("agent: answer 3");
    expect((await say("/status")).said).toBe("answer 3");
  });

  test("/retry does not pay again what was paid [C-025 A-066]", async () => {
    const machine = testMachine();
    const turns = [{ calls: [PAY_BOB] }, { say: "Paid." }, { calls: [PAY_BOB] }, {
      say: "Was paid.",
    }];
    const { say, lines } = chatOn(machine, turns, { autonomy: "L6" });
    await say("Pay bob.");
    expect((await say("/retry")).said).toBe("Was paid.");
    expect(lines.some((line) => line.startsWith(" ✗ not made again"))).toBe(true);
    expect(machine.ledger.paid).toHaveLength(1);
  });
});

describe("what a chat chooses", () => {
  const two = (asked: Asked[]) =>
    testMachine({ providers: [askedModels(asked, ({ model }) => `I am ${model}.`)] });

  test("/model lists the models and holds for the session and the next ones [C-034 C-035 C-067 C-069]", async () => {
    const asked: Asked[] = [];
    const machine = two(asked);
    const { say } = chatOn(machine, ["asked:big", "asked:small"]);
    expect((await say("/model")).said).toBe("1 asked:big (in use)\n2 asked:small");
    expect((await say("Who?")).said).toBe("I am big.");
    expect((await say("/model 2")).said).toBe("From the next turn on: asked:small.");
    expect((await say("Who?")).said).toBe("I am small.");
    await say("/new");
    expect((await say("Who?")).said).toBe("I am small.");
    expect((await say("/model")).said).toBe("1 asked:big\n2 asked:small (in use)");
    for (const wrong of ["3", "0", "small", "-1"]) {
      expect(await say(`/model ${wrong}`)).toMatchObject({ refused: "model" });
    }
  });

  test("/system is asked after the operator's instructions, until it is off [C-036 C-037 C-038 C-070]", async () => {
    const asked: Asked[] = [];
    const { say } = chatOn(two(asked), ["asked:a"]);
    expect((await say("/system Answer\nin rhyme.")).said).toMatch(/^From the next turn on/);
    await say("Who?");
    expect(asked.at(-1)?.instructions).toMatch(
      /The chat you are in asks of you:\nAnswer\nin rhyme\.$/,
    );
    expect((await say("/system")).said).toBe("Answer\nin rhyme.");
    await say("/new");
    await say("Who?");
    expect(asked.at(-1)?.instructions).toMatch(/in rhyme\.$/);
    await say("/system OFF");
    await say("Who?");
    expect(asked.at(-1)?.instructions).not.toContain("rhyme");
    expect((await say("/system")).said).toMatch(/^This chat asks nothing/);
    expect(await say(`/system ${"x".repeat(8_001)}`)).toMatchObject({ refused: "option" });
  });

  test("/tools leaves only those named, of those the profile gives [C-039 C-040 C-041 C-071]", async () => {
    const asked: Asked[] = [];
    const { say } = chatOn(two(asked), ["asked:a"]);
    await say("Who?");
    const all = asked.at(-1)?.tools ?? [];
    expect((await say("/tools")).said).toBe(`all: ${all.toSorted().join(", ")}`);
    expect(await say("/tools ledger_balanc")).toMatchObject({
      refused: "option",
      said:
        "the agent has no tool ledger_balanc here, did you mean ledger_balance: /tools lists them",
    });
    await say("/tools ledger_balance");
    await say("Who?");
    expect(asked.at(-1)?.tools).toEqual(["ledger_balance"]);
    expect((await say("/tools")).said).toBe("only ledger_balance (/tools all gives all again)");
    await say("/new");
    await say("Who?");
    expect(asked.at(-1)?.tools).toEqual(["ledger_balance"]);
    await say("/tools all");
    await say("Who?");
    expect(asked.at(-1)?.tools).toEqual(all);
    await say("/new");
    // Nothing is known before there is a session; what is not there is not given then either.
    await say("/tools write_file, ledger_pay");
    await say("Who?");
    expect(asked.at(-1)?.tools).toEqual(["ledger_pay"]);
  });

  test("a tool that is left out is not run when the model names it all the same [C-071]", async () => {
    const machine = testMachine();
    const { say, lines } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "No." }], {
      autonomy: "L6",
    });
    await say("/tools ledger_balance");
    await say("Pay bob.");
    expect(lines).toContain(" ✗ there is no tool named ledger_pay");
    expect(machine.ledger.paid).toEqual([]);
  });

  test("is kept with the channel's state, and who chose with the session [C-068 C-053]", async () => {
    const asked: Asked[] = [];
    const machine = two(asked);
    const first = chatOn(machine, ["asked:a"]);
    const { session } = await first.say("Who?");
    await first.say("/system Be brief.");
    await first.chat[Symbol.asyncDispose]();
    await chatOn(machine, ["asked:a"]).say("/status");
    const again = chatOn(machine, ["asked:a"]);
    expect((await again.say("/system")).said).toBe("Be brief.");
    expect(traceLines(traceSession(machine, session ?? "")).join("\n")).toContain(
      "slack:U07 chose what it asks of the agent: Be brief.",
    );
    const other = chatOn(machine, ["asked:a"], { place: { channel: "cli", key: "other" } });
    expect((await other.say("/system")).said).toMatch(/^This chat asks nothing/);
  });
});
