import { describe, expect, it } from "vitest";
import type { Formula } from "#internal/ledger/mod.ts";
import { anyOf, atomFormula, DUAL_SIGNATURE, NO_NAMES, sayWith } from "#internal/ledger/mod.ts";
import { formulaDrawing, gateText } from "../../internal/explore/formula_drawing.ts";

const say = sayWith(NO_NAMES);
const draw = (formula: Formula): string => formulaDrawing(formula, say, "a formula").toString();
const texts = (drawing: string): string[] =>
  [...drawing.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text as string);

describe("formulaDrawing()", () => {
  it("formulaDrawing() has a box for each group and atom, and a line to what it is part of", () => {
    const drawing = draw(anyOf(
      DUAL_SIGNATURE,
      atomFormula({ kind: "bond", body: { account: "ab".repeat(32), label: "tests" } }),
    ));
    expect(texts(drawing)).toEqual([
      "any of 2",
      "both of",
      "ml-dsa-44",
      "slh-dsa-sha2-128f",
      "bond abababab:tests",
    ]);
    expect(drawing.match(/class="gate"/g)).toHaveLength(2);
    expect(drawing.match(/<path/g)).toHaveLength(4);
    expect(drawing).toContain('role="img" aria-label="a formula"');
    expect(drawing).not.toContain("style=");
  });

  it("formulaDrawing() of one atom is one box without a line", () => {
    const drawing = draw(atomFormula({ kind: "assumption", body: { name: "ledger:execution" } }));
    expect(texts(drawing)).toHaveLength(1);
    expect(drawing).not.toContain("<path");
  });

  it("formulaDrawing() cuts long words, and those of strangers are no markup", () => {
    const drawing = draw(
      atomFormula({ kind: "assumption", body: { name: `<b>${"x".repeat(60)}` } }),
    );
    const [text = ""] = texts(drawing);
    expect(text).toMatch(/^assumption &quot;&lt;b&gt;x+…$/);
    const width = Number(/<svg[^>]* width="(\d+)"/.exec(drawing)?.[1]);
    expect(width).toBeLessThan(288);
  });

  it.each([
    [1, 2, "any of 2"],
    [2, 2, "both of"],
    [3, 3, "all 3 of"],
    [2, 3, "2 of 3"],
  ])("gateText() of %i of %i is %s", (needed, parts, text) => {
    expect(gateText(needed, parts)).toBe(text);
  });
});
