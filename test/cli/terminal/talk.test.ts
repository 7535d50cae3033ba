/** A conversation at a terminal from its beginning to its end, with a terminal that is none. */
import { setImmediate } from "node:timers";
import { describe, expect, test } from "vitest";
import type { ChatReply } from "#internal/agent/mod.ts";
import type { RawTerminal } from "#internal/runtime/mod.ts";
import { talkAtTerminal } from "../../../internal/cli/terminal/talk.ts";
import type { TalkOptions } from "../../../internal/cli/terminal/talk.ts";

/** What the terminal was opened with. */
type Opened = Parameters<NonNullable<Parameters<typeof talkAtTerminal>[1]>>[0];

/** A conversation under test: what is written to the terminal, and keys for it. */
function testTalk(over: Partial<TalkOptions> = {}) {
  const written: string[] = [];
  let opened: Opened | undefined;
  const talking = talkAtTerminal({
    chat: {
      working: false,
      session: undefined,
      state: () => undefined,
      handle: () => Promise.resolve(NOTHING),
      stop: () => false,
    },
    name: "lead",
    level: "L5",
    stdout: { isTty: true, colour: false, columns: 60, write: (text) => written.push(text) },
    greeting: [],
    history: [],
    files: [],
    commands: [],
    filesIn: () => undefined,
    budget: () => Promise.resolve(undefined),
    signal: new AbortController().signal,
    hear: () => {},
    ...over,
  }, (use): RawTerminal => {
    opened = use;
    return { size: () => ({ columns: 60, rows: 20 }), [Symbol.dispose]() {} };
  });
  return {
    talking,
    type: (text: string) => opened?.typed(text),
    written: () => written.join(""),
  };
}

const NOTHING: ChatReply = { said: "", session: null, details: [] };

describe("talkAtTerminal()", () => {
  test("says at which level it will be, and which command is being answered", async () => {
    const answer = Promise.withResolvers<ChatReply>();
    const { talking, type, written } = testTalk({
      chat: {
        working: false,
        session: undefined,
        state: () => undefined,
        handle: () => answer.promise,
        stop: () => false,
      },
    });
    expect(written()).toContain("lead · L5 · nothing from outside · /help");
    type("/compact now\r");
    expect(written()).toContain("· /compact …");
    expect(written()).not.toContain("writing …");
    type("\x04");
    await talking;
    answer.resolve(NOTHING);
  });

  test("draws nothing, and asks nothing of the session, once it was left", async () => {
    const budget = Promise.withResolvers<string>();
    const answer = Promise.withResolvers<ChatReply>();
    let left = false;
    const { talking, type, written } = testTalk({
      budget: () => budget.promise,
      chat: {
        working: true,
        session: undefined,
        state() {
          if (left) throw new Error("the session's store is closed");
          return undefined;
        },
        handle: () => answer.promise,
        stop: () => true,
      },
    });
    type("hello\r");
    type("\x04");
    await talking;
    left = true;
    const before = written();
    budget.resolve("85 USD left");
    answer.resolve({ ...NOTHING, said: "late" });
    await Promise.all([budget.promise, answer.promise]);
    await new Promise((done) => setImmediate(done));
    expect(written()).toBe(before);
  });
});
