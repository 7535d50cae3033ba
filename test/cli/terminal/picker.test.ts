/** The list that a person chooses from. */
import { describe, expect, it } from "vitest";
import { createKeyReader } from "../../../internal/cli/terminal/keys.ts";
import { Picker } from "../../../internal/cli/terminal/picker.ts";

const CHOICES = Array.from({ length: 30 }, (_, n) => ({
  id: `id-${n + 1}`,
  label: "done",
  title: n === 6 ? "Pay invoice 7 \u001b[2J" : `Task ${String.fromCharCode(97 + n % 26)}`,
}));
const SIZE = { columns: 40, rows: 10 };

/** Types as a terminal sends it. @returns what was chosen, if the person is done */
function type(picker: Picker, text: string): string | undefined {
  const reader = createKeyReader();
  for (const key of [...reader.push(text), ...reader.flush()]) {
    const picked = picker.key(key);
    if (picked !== undefined) return picked.id;
  }
  return "choosing";
}

describe("Picker", () => {
  it("goes up and down with the arrows, no further than the list, and Enter chooses", () => {
    const picker = new Picker("Which?", CHOICES);
    expect(type(picker, "\x1b[A\x1b[B\x1b[B")).toBe("choosing");
    expect(picker.rows(SIZE).rows[3]).toBe("> 3 done Task c");
    expect(type(picker, "\r")).toBe("id-3");
    const last = new Picker("Which?", CHOICES);
    expect(type(last, "\x1b[B".repeat(99) + "\r")).toBe("id-30");
  });

  it("takes a number, and shows only what has all the words typed", () => {
    expect(type(new Picker("Which?", CHOICES), "12\r")).toBe("id-12");
    const picker = new Picker("Which?", CHOICES);
    expect(type(picker, "INVOICE pay")).toBe("choosing");
    expect(picker.rows(SIZE).rows).toEqual([
      "Which?",
      "> 7 done Pay invoice 7 \\u001b[2J",
      "search: INVOICE pay",
    ]);
    expect(type(picker, "\r")).toBe("id-7");
    expect(type(picker, "zzz\r")).toBe("choosing");
    expect(picker.rows(SIZE).rows[1]).toBe("  none fits");
    expect(type(picker, "\x7f\x7f\x7f\r")).toBe("id-7");
  });

  it("finds what was said in one besides, and shows that instead of what it is about", () => {
    const asked: string[] = [];
    const picker = new Picker("Which?", CHOICES, (words) => {
      asked.push(words);
      return new Map(words === "lemon" ? [["id-3", "a lemon\u001b[2J"], ["other", "x"]] : []);
    });
    type(picker, "lemon");
    expect(picker.rows(SIZE).rows).toEqual([
      "Which?",
      "> 3 done a lemon\\u001b[2J",
      "search: lemon",
    ]);
    expect(type(picker, "\r")).toBe("id-3");
    expect(asked).toEqual(["lemon"]);
    expect(type(picker, "\x7f\x7f\x7f\x7f\x7f12\r")).toBe("id-12");
    expect(asked.at(-1)).toBe("l");
  });

  it("fits the terminal, with the chosen one in sight", () => {
    const picker = new Picker("Which of all these sessions is it that you mean now?", CHOICES);
    type(picker, "\x1b[B".repeat(20));
    const { rows, cursor } = picker.rows(SIZE);
    expect(rows.length).toBeLessThan(SIZE.rows);
    expect(rows.every((row) => row.length < SIZE.columns)).toBe(true);
    expect(rows.some((row) => row.startsWith("> 21 "))).toBe(true);
    expect(cursor).toEqual({ row: rows.length - 1, column: "search: ".length });
  });

  it("leaves without a choice at Escape, Ctrl-C and Ctrl-D", () => {
    for (const key of ["\x1b", "\x03", "\x04"]) {
      expect(type(new Picker("Which?", CHOICES), key)).toBeUndefined();
    }
  });
});
