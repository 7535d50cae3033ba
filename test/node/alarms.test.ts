import { describe, expect, test } from "vitest";
import { alarmSentence } from "../../internal/node/alarms.ts";

describe("alarmSentence()", () => {
  test("alarmSentence() says which validator has an old store, what follows and what to do", () => {
    expect(alarmSentence({ code: "stale-key", text: "a peer shows a block of this key" }, 2)).toBe(
      "Validator 2 signs nothing more and only follows: it signed blocks that its store lacks, so " +
        "the store is older than its key: only the very same store, the newest there is, may " +
        "be put back; else give the validator another key (sion validator rotate-key)",
    );
  });

  test("alarmSentence() keeps what the others found out", () => {
    expect(
      alarmSentence(
        { code: "diverged", text: "over a third signed another header for Pulse 7" },
        null,
      ),
    ).toBe(
      "A follower signs nothing more: over a third signed another header for Pulse 7: " +
        "give another --dir, and report it",
    );
    expect(
      alarmSentence(
        { code: "equivocation", text: "validator 1 signed two blocks for one round" },
        0,
      ),
    ).toMatch(
      /^validator 1 signed two blocks for one round: its key is used in two places/,
    );
  });
});
