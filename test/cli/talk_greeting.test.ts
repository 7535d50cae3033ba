/** What a person is told when a conversation begins, or goes on. */
import { describe, expect, test } from "vitest";
import type { SessionOptions } from "#internal/agent/mod.ts";
import { folderNotice, standingNotice } from "../../internal/cli/commands/_talk_greeting.ts";

const OPTIONS: SessionOptions = { wallet: "coder", agent: "coder", models: [], workspace: "/w" };
const PLACE = { cwd: "/home/me", env: { HOME: "/home/me" } };

describe("folderNotice()", () => {
  test.each<[string, Partial<SessionOptions>, string]>([
    ["L0", {}, "at L0 lead does nothing with the files in /w"],
    ["L1", {}, "at L1 lead reads files, and changes none in /w"],
    ["L2", {}, "at L2 lead reads files, and asks you before it changes one in /w"],
    [
      "l2",
      { given: { shell: "bwrap" } },
      "at L2 lead reads files, and asks you before it changes one, and before each command in /w",
    ],
    ["L3", {}, "at L3 lead reads and changes files without asking in /w"],
    [
      "L5",
      { given: { shell: "bwrap" }, workspace: "w" },
      "at L5 lead reads and changes files and runs commands without asking in ~/w",
    ],
  ])("says what may be read and written at %s", (autonomy, over, says) => {
    expect(folderNotice({ ...OPTIONS, ...over, autonomy }, "lead", PLACE)).toEqual([says]);
  });

  test("says nothing without a folder", () => {
    const { workspace: _none, ...without } = OPTIONS;
    expect(folderNotice(without, "lead", PLACE)).toEqual([]);
  });
});

describe("standingNotice()", () => {
  const state = (over: object) =>
    ({ said: [{}], calls: new Map(), turns: [], entries: [], ...over }) as never;
  const machine = (held: boolean) => ({ sessions: { summary: () => ({ held }) } }) as never;
  const says = (over: object, held = false) =>
    standingNotice({ session: "3ffd", state: () => state(over) }, machine(held));

  test("says that an answer was cut off, and how it is had", async () => {
    const goesOn = "session 3ffd goes on; /new starts another";
    expect(await says({})).toEqual([
      goesOn,
      "its last answer was cut off: /retry answers again, or say what is next",
    ]);
    expect(await says({ ended: { how: "done" } })).toEqual([goesOn]);
    expect((await says({}, true))[1]).toContain("another process is at work in it");
  });
});
