import { expect, test } from "vitest";
import { badTestTitles, badTitlesIn } from "../../scripts/_check_titles.ts";

/** Made here, since an id that stands in a test's file counts as shown by it. */
const L1 = ["L", "001"].join("-");
const A2 = ["A", "002"].join("-");

const titled = (bracket: string): string => `test("parse() works ${bracket}", () => {});`;

test("badTitlesIn() admits lists and ranges of ids, and brackets that hold none", () => {
  const good = [`[${L1}]`, `[${L1} ${A2}]`, `[${L1}..${L1}]`, `[${A2}..007 ${L1}]`, "[the rest]"];
  for (const bracket of good) expect(badTitlesIn(titled(bracket)), bracket).toEqual([]);
  expect(badTitlesIn(`["a case [${L1} ${A2}]", 1]`)).toEqual([]);
});

test("badTitlesIn() names what looks like an id and is none", () => {
  const bad = ["[L-64]", "[L064]", `[${L1}, ${A2}]`, "[X-1]", `[${L1} A-12]`, `[${L1}1]`];
  for (const bracket of bad) expect(badTitlesIn(titled(bracket))).toEqual([bracket]);
});

test("badTestTitles() finds none in this project", () => {
  expect(badTestTitles()).toEqual([]);
});
