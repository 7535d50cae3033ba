/** Files that an agent shares with the person it talks to. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Chat, continueSession, runAgent } from "#internal/agent/mod.ts";
import type { ConversationEvent } from "#internal/agent/mod.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const share = (...paths: readonly string[]): Turn => ({
  calls: paths.map((path) => ({ tool: "share_file", input: { path } })),
});

function machineWith(files: Readonly<Record<string, string>>): TestMachine {
  const machine = testMachine();
  mkdirSync(join(machine.folder, "work", "deep"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(machine.folder, "work", name), text);
  }
  return machine;
}

const doneIn = (events: readonly ConversationEvent[]) => events.find(({ type }) => type === "done");

describe("share_file", () => {
  test("names what goes to the person with the answer, each once, whoever asks again [C-221 C-222 C-233]", async () => {
    const machine = machineWith({ "a.txt": "A", "deep/b.pdf": "%PDF" });
    symlinkSync("a.txt", join(machine.folder, "work", "link.txt"));
    const heard = hearing();
    const end = await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Send them.",
      who: "cli:test",
      models: [
        scriptOf(machine, [share("deep/b.pdf", "a.txt"), share("link.txt"), { say: "Here." }]),
      ],
      workspace: "work",
      autonomy: "L1",
    }, heard.listener);
    expect(heard.lines).toContain(
      " ← deep/b.pdf (4 bytes) goes to the person after your answer",
    );
    const files = ["deep/b.pdf", "a.txt"];
    expect(doneIn(heard.events)).toMatchObject({ said: "Here.", files });
    const again = hearing();
    await continueSession(machine, { session: end.session, who: "cli:test" }, again.listener);
    expect(doneIn(again.events)).toMatchObject({ files });
  });

  test("takes only files of its workspace of 25 MB at most [C-221]", async () => {
    const machine = machineWith({ "large.bin": "", "fits.bin": "" });
    truncateSync(join(machine.folder, "work", "large.bin"), 25_000_001);
    truncateSync(join(machine.folder, "work", "fits.bin"), 25_000_000);
    const heard = hearing();
    await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Send them.",
      who: "cli:test",
      models: [
        scriptOf(machine, [
          share("large.bin", "../s.json", "deep", "none.txt", "fits.bin"),
          { say: "Here." },
        ]),
      ],
      workspace: "work",
    }, heard.listener);
    expect(heard.lines.filter((line) => line.startsWith(" ✗"))).toEqual([
      " ✗ large.bin has 25000001 bytes, more than 25 MB: share a smaller one",
      expect.stringContaining("../s.json is outside the workspace"),
      " ✗ deep is a folder, not a file",
      " ✗ there is no none.txt in the workspace",
    ]);
    expect(doneIn(heard.events)).toMatchObject({ files: ["fits.bin"] });
  });

  test("gives a channel the files with the reply, as they are when it sends them [C-222]", async () => {
    const machine = machineWith({ "a.png": "no picture", "b.txt": "B" });
    const turns = [share("a.png", "b.txt"), { say: "Here." }, { say: "Nothing more." }];
    const chat = new Chat({
      machine,
      place: { channel: "test", key: "1" },
      profile: {
        wallet: "coder",
        agent: AGENT,
        models: [scriptOf(machine, turns)],
        workspace: "work",
      },
      whenBusy: "wait",
    });
    onTestFinished(() => chat[Symbol.asyncDispose]());
    const person = { who: "cli:root", mayDecide: true };
    const first = await chat.handle({ ...person, text: "Send them." });
    expect(first).toMatchObject({ said: "Here.", files: ["a.png", "b.txt"] });
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
    writeFileSync(join(machine.folder, "work", "a.png"), png);
    expect(await chat.readSent("a.png")).toMatchObject({
      name: "a.png",
      mediaType: "image/png",
      size: 8,
      bytes: Buffer.from(png),
    });
    expect(await chat.readSent("b.txt")).toMatchObject({ mediaType: "text/plain", size: 1 });
    expect(await chat.readSent("../s.json")).toBeUndefined();
    expect(await chat.readSent("none.txt")).toBeUndefined();
    const second = await chat.handle({ ...person, text: "And?" });
    expect(second).not.toHaveProperty("files");
  });

  test("counts as reading the file, and marks a confidential one [C-221 A-062]", async () => {
    const machine = machineWith({ "keys.txt": "0x" });
    const { session } = await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Send it.",
      who: "cli:test",
      models: [scriptOf(machine, [share("keys.txt"), { say: "Here." }])],
      workspace: "work",
      given: { confidential: ["keys.txt"] },
    }, () => {});
    const [shared] = machine.sessions.read(session).filter(({ kind }) => kind === "call-ended");
    expect(shared?.body).toMatchObject({ confidential: ["keys.txt"], sends: ["keys.txt"] });
  });
});
