/** Going back and forking: the conversation, the files that its own tools changed, and what stays. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  Chat,
  continueSession,
  forkSession,
  openSession,
  traceLines,
  traceSession,
} from "#internal/agent/mod.ts";
import type { Conversation } from "#internal/agent/mod.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const ME = { who: "cli:root", mayDecide: true };

interface Bench {
  readonly machine: TestMachine;
  readonly file: (name: string) => string;
  readonly text: (name: string) => string | undefined;
}

function bench(): Bench {
  const machine = testMachine();
  mkdirSync(join(machine.folder, "work"));
  const file = (name: string): string => join(machine.folder, "work", name);
  return {
    machine,
    file,
    text: (name) => existsSync(file(name)) ? readFileSync(file(name), "utf8") : undefined,
  };
}

const options = (machine: TestMachine, turns: readonly Turn[], autonomy = "L6") => ({
  wallet: "coder",
  agent: AGENT,
  models: [scriptOf(machine, turns)],
  workspace: "work",
  autonomy,
});

async function talk(
  machine: TestMachine,
  turns: readonly Turn[],
  messages: readonly string[],
): Promise<Conversation> {
  const conversation = await openSession(machine, options(machine, turns), hearing().listener);
  for (const text of messages) await conversation.say({ ...ME, text });
  return conversation;
}

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const remove = (path: string) => ({
  tool: "apply_patch",
  input: { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n` },
});

describe("rewind()", () => {
  test("puts back what write_file, edit_file and apply_patch did since, and forgets the messages", async () => {
    const { machine, file, text } = bench();
    writeFileSync(file("old.txt"), "one\n");
    writeFileSync(file("run.sh"), "#!/bin/sh\n");
    chmodSync(file("run.sh"), 0o755);
    await using conversation = await talk(machine, [
      { say: "Hello." },
      {
        calls: [
          write("new.txt", "new\n"),
          { tool: "edit_file", input: { path: "old.txt", old_string: "one", new_string: "two" } },
          remove("run.sh"),
        ],
      },
      { say: "Changed." },
      { calls: [write("old.txt", "three\n")] },
      { say: "And again." },
    ], ["Hi.", "Change it.", "Once more."]);
    expect([text("new.txt"), text("old.txt"), text("run.sh")]).toEqual([
      "new\n",
      "three\n",
      undefined,
    ]);

    const back = await conversation.rewind(2, "cli:root");
    expect(back).toEqual({
      restored: expect.arrayContaining(["new.txt", "old.txt", "run.sh"]),
      left: [],
      stays: [],
    });
    expect([text("new.txt"), text("old.txt"), text("run.sh")])
      .toEqual([undefined, "one\n", "#!/bin/sh\n"]);
    expect(statSync(file("run.sh")).mode & 0o111).not.toBe(0);
    expect(conversation.state.entries).toHaveLength(2);
    expect(traceLines(traceSession(machine, conversation.session)).join("\n"))
      .toContain("cli:root went back: ");
  });

  test("goes back one message only, to what the file was at that message", async () => {
    const { machine, text } = bench();
    await using conversation = await talk(machine, [
      { calls: [write("a.txt", "1")] },
      { say: "One." },
      { calls: [write("a.txt", "2"), write("a.txt", "3")] },
      { say: "Three." },
    ], ["First.", "Second."]);
    expect((await conversation.rewind(1, "cli:root")).restored).toEqual(["a.txt"]);
    expect(text("a.txt")).toBe("1");
    expect((await conversation.rewind(1, "cli:root")).restored).toEqual(["a.txt"]);
    expect(text("a.txt")).toBeUndefined();
    await expect(conversation.rewind(1, "cli:root")).rejects.toThrow("is left to take back");
  });

  test("leaves a file that somebody else changed since, and says so", async () => {
    const { machine, file, text } = bench();
    await using conversation = await talk(machine, [
      { calls: [write("a.txt", "agent"), write("b.txt", "agent")] },
      { say: "Done." },
    ], ["Write."]);
    writeFileSync(file("a.txt"), "mine");
    expect(await conversation.rewind(1, "cli:root")).toEqual({
      restored: ["b.txt"],
      left: [{ path: "a.txt", why: "somebody else changed it since" }],
      stays: [],
    });
    expect([text("a.txt"), text("b.txt")]).toEqual(["mine", undefined]);
  });

  test("undoes no payment, and the journal does not let it be made again", async () => {
    const { machine } = bench();
    await using conversation = await talk(machine, [
      { calls: [PAY_BOB] },
      { say: "Paid." },
      { calls: [PAY_BOB] },
      { say: "It was paid before." },
    ], ["Pay bob 1 USD for invoice 7."]);
    expect((await conversation.rewind(1, "cli:root")).stays).toEqual(["ledger_pay"]);
    await conversation.say({ ...ME, text: "Pay bob 1 USD for invoice 7." });
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("cut off after the files were put back, the same again goes on", async () => {
    const { machine, file, text } = bench();
    writeFileSync(file("a.txt"), "old");
    await using conversation = await talk(machine, [
      { calls: [write("a.txt", "new"), write("b.txt", "new")] },
      { say: "Done." },
    ], ["Write."]);
    // What a process that ended there had done.
    writeFileSync(file("a.txt"), "old");
    rmSync(file("b.txt"));
    expect(await conversation.rewind(1, "cli:root")).toEqual({ restored: [], left: [], stays: [] });
    expect(conversation.state.entries).toEqual([]);
    expect([text("a.txt"), text("b.txt")]).toEqual(["old", undefined]);
  });

  test("says what it cannot put back because it is not kept any more", async () => {
    const { machine, file, text } = bench();
    writeFileSync(file("a.txt"), "old");
    await using conversation = await talk(machine, [
      { calls: [write("a.txt", "new")] },
      { say: "Done." },
    ], ["Write."]);
    const kept = join(machine.home, "agents", "before", conversation.session);
    expect(statSync(kept).mode & 0o077).toBe(0);
    rmSync(kept, { recursive: true });
    expect((await conversation.rewind(1, "cli:root")).left)
      .toEqual([{ path: "a.txt", why: "what it was is not kept any more" }]);
    expect(text("a.txt")).toBe("new");
  });

  test("wants a number of messages that are there", async () => {
    const { machine } = bench();
    await using conversation = await talk(machine, [{ say: "Hello." }], ["Hi."]);
    await expect(conversation.rewind(3, "cli:root")).rejects.toThrow(
      "only 1 message can be taken back: give a number up to 1",
    );
    expect(conversation.state.entries).toHaveLength(2);
  });
});

describe("forkSession()", () => {
  const goOn = (machine: TestMachine, session: string, say: string) =>
    continueSession(machine, { session, say, who: "cli:root" }, hearing().listener);

  test("copies up to a message's answer, and leaves the first session as it is", async () => {
    const { machine } = bench();
    const first = await talk(
      machine,
      [{ say: "A." }, { say: "B." }, { say: "C." }, { say: "D." }],
      ["1", "2", "3"],
    );
    await first[Symbol.asyncDispose]();
    const forked = forkSession(machine, {
      session: first.session.slice(0, 6),
      at: 2,
      who: "cli:root",
    });
    expect(forked).toEqual({ from: first.session, messages: 2, session: expect.any(String) });
    const steps = traceLines(traceSession(machine, forked.session));
    expect(steps.join("\n")).toContain(`cli:root forked it from session ${first.session}`);
    expect(steps.join("\n")).not.toContain("cli:root said: 3");
    const end = await goOn(machine, forked.session, "Other.");
    expect(end).toMatchObject({ how: "done", session: forked.session, said: "C." });
    const before = first.state.lastSeq;
    expect(machine.sessions.summary(first.session).events).toBe(before);
    expect(machine.sessions.search("Other", 5).map(({ session }) => session)).toEqual([
      forked.session,
    ]);
  });

  test("pays nothing twice: the first session's journal holds in its forks", async () => {
    const { machine } = bench();
    const turns = [{ calls: [PAY_BOB] }, { say: "Paid." }, { calls: [PAY_BOB] }, { say: "Again." }];
    const first = await talk(machine, turns, ["Pay bob 1 USD for invoice 7."]);
    await first[Symbol.asyncDispose]();
    const forked = forkSession(machine, { session: first.session, who: "cli:root" });
    const again = forkSession(machine, { session: forked.session, who: "cli:root" });
    for (const { session } of [forked, again]) {
      await goOn(machine, session, "Pay bob 1 USD for invoice 7.");
    }
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("refuses while a call waits, and a message that is not there", async () => {
    const { machine } = bench();
    const first = await openSession(
      machine,
      options(machine, [{ calls: [PAY_BOB] }], "L5"),
      hearing().listener,
    );
    await first.say({ ...ME, text: "Pay." });
    await first[Symbol.asyncDispose]();
    const fork = (at?: number) => () =>
      forkSession(machine, {
        session: first.session,
        who: "cli:root",
        ...(at === undefined ? {} : { at }),
      });
    expect(fork()).toThrow("have not ended there: decide or continue it first");
    expect(fork(2)).toThrow("has 1 messages: give --at 1 to 1");
    expect(machine.sessions.list()).toHaveLength(1);
  });
});

describe("/rewind and /fork", () => {
  test("say what was put back, what was not, and where the conversation goes on", async () => {
    const { machine, file, text } = bench();
    await using chat = new Chat({
      machine,
      place: { channel: "cli", key: "test" },
      profile: options(machine, [
        { calls: [write("a.txt", "x"), write("b.txt", "x"), PAY_BOB] },
        { say: "Done." },
      ]),
      whenBusy: "wait",
    });
    const said = async (line: string) => (await chat.handle({ ...ME, text: line })).said;
    expect(await said("/fork")).toMatch(/^there is no session yet/);
    await said("Pay bob 1 USD for invoice 7, and write.");
    const first = chat.session ?? "";
    expect(await said("/fork")).toBe(
      `In session ${chat.session} now, a copy of ${first}: /resume ${first} goes back. ` +
        "Files and payments are the same for both.",
    );
    expect(chat.session).not.toBe(first);
    writeFileSync(file("b.txt"), "mine");
    expect(await said("/rewind two")).toBe(
      "two is no number of messages: write /rewind, or /rewind 2",
    );
    expect(await said("/rewind")).toBe(
      "Forgot the last message and its answer.\nPut back: a.txt.\n" +
        "Not put back: b.txt (somebody else changed it since).\n" +
        "What these did stays done: ledger_pay; files that commands changed are as they left them.\n" +
        "Payments and the journal are never undone.",
    );
    expect([text("a.txt"), text("b.txt")]).toEqual([undefined, "mine"]);
    expect(await said(`/resume ${first.slice(0, 8)}`)).toContain(`Back in session ${first}`);
  });
});
