import { expect, test } from "vitest";
import { badTestTitles, badTitlesIn } from "../../scripts/_check_titles.ts";

/** Made here, since an id that stands in a test's file counts as shown by it. */
const L1 = ["L", "001"].join("-");
const A2 = ["A", "002"].join("-");

/** A test with that text in the bracket at the end of its title. */
const titled = (ids: string): string => `test("parse() works ${"["}${ids}]", () => {});`;

test("badTitlesIn() admits lists and ranges of ids, and brackets that hold none", () => {
  const good = [L1, `${L1} ${A2}`, `${L1}..${L1}`, `${A2}..007 ${L1}`, "the rest"];
  for (const ids of good) expect(badTitlesIn(titled(ids)), ids).toEqual([]);
  const inTable = titled(`${L1} ${A2}`).replace("test(", "[");
  expect(badTitlesIn(inTable)).toEqual([]);
});

test("badTitlesIn() names what looks like an id and is none", () => {
  const bad = ["L-64", "L064", `${L1}, ${A2}`, "X-1", `${L1} A-12`, `${L1}1`];
  for (const ids of bad) expect(badTitlesIn(titled(ids))).toEqual([`[${ids}]`]);
});

test("badTestTitles() finds none in this project", () => {
  expect(badTestTitles()).toEqual([]);
});
