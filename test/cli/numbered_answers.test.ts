/** Numbers as answers to a question in plain lines. */
import { describe, expect, it } from "vitest";
import { meantByNumber, numberedAnswers } from "../../internal/cli/commands/_numbered_answers.ts";

const ASKED = {
  type: "waiting",
  session: "5",
  request: "e415977a",
  tool: "edit_file",
  input: {},
  why: "writing at autonomy L2",
} as const;
const RULED = { ...ASKED, rule: "edit_file(a.md)" };

describe("meantByNumber()", () => {
  it.each([
    ["1", "/approve e415977a"],
    [" 1 ", "/approve e415977a"],
    ["1 is enough", "1 is enough"],
    ["2", "/decline e415977a"],
    ["2 not like this", "/decline e415977a not like this"],
    ["3", "3"],
    ["4", "4"],
    ["12", "12"],
    ["yes", "yes"],
  ])("takes %j for %j while a call waits", (line, meant) => {
    expect(meantByNumber(line, ASKED)).toBe(meant);
    expect(meantByNumber(line, undefined)).toBe(line);
  });

  it("takes the rule that is offered, and numberedAnswers() says which", () => {
    expect(meantByNumber("3", RULED)).toBe("/approve e415977a always edit_file(a.md)");
    expect(numberedAnswers(RULED).at(-1)).toContain("edit_file(a.md) without asking");
    expect(numberedAnswers(ASKED)).toHaveLength(2);
  });
});
