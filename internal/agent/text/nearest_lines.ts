/**
 * Finds the lines of a text that are nearest to some that are not in it, to be quoted to whoever
 * quoted those. Lines are compared by the pairs of letters they share, white space and case aside.
 */

/** A stretch of lines. */
export interface Stretch {
  /** Index of the first line. */
  readonly start: number;
  readonly count: number;
  /** How near, 0 to 1; 1 is the same but for white space and case. */
  readonly nearness: number;
}

/** Below this, lines have nothing to do with each other. */
const NEAR = 0.5;
/** Pairs of lines that are compared; a text of lines that are all alike has many. */
const MAX_PAIRS = 50_000;
/** Lines longer than this are compared by their beginning, characters. */
const MAX_COMPARED = 400;
const MOST_STRETCHES = 3;
/** A part of a line is looked for from this length on, characters: less stands anywhere. */
const MIN_PART = 8;
/** A line that has fewer of a part's pairs does not hold it. */
const PART_NEAR = 0.8;
/** A second stretch is told when it is nearly as near as the first. */
const AS_NEAR = 0.95;

/** The stretches of `lines` nearest to `wanted`, nearest first; none when nothing is near. */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): Stretch[] {
  const words = new Map<string, number[]>();
  const compared = wanted.map(squashed);
  const near = wanted.length === 1 ? nearnessOfPart : likeness;
  const worth = compared.filter((line) => line !== "").length;
  if (worth === 0 || lines.length === 0) return [];
  compared.forEach((line, index) => {
    for (const word of wordsOf(line)) {
      const at = words.get(word);
      if (at === undefined) words.set(word, [index]);
      else at.push(index);
    }
  });
  const scores = new Map<number, number>();
  let pairs = 0;
  for (const [at, line] of lines.entries()) {
    if (pairs > MAX_PAIRS) break;
    const own = squashed(line);
    for (const index of new Set([...wordsOf(own)].flatMap((word) => words.get(word) ?? []))) {
      pairs++;
      const start = at - index;
      if (start < 0) continue;
      scores.set(start, (scores.get(start) ?? 0) + near(own, compared[index] ?? ""));
    }
  }
  const ranked = [...scores].map(([start, score]) => ({
    start,
    count: Math.min(wanted.length, lines.length - start),
    nearness: score / worth,
  })).filter(({ nearness }) => nearness >= NEAR).sort((a, b) => b.nearness - a.nearness);
  return apart(ranked);
}

/** The first, and those that are nearly as near and do not overlap with one before. */
function apart(ranked: readonly Stretch[]): Stretch[] {
  const [first] = ranked;
  if (first === undefined) return [];
  const told = [first];
  for (const other of ranked.slice(1)) {
    if (other.nearness < AS_NEAR * first.nearness || told.length === MOST_STRETCHES) break;
    const free = told.every(({ start, count }) =>
      other.start + other.count <= start || start + count <= other.start
    );
    if (free) told.push(other);
  }
  return told;
}

function squashed(line: string): string {
  return line.slice(0, MAX_COMPARED).trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** What lines are looked up by: their words, or a line without any as a whole. */
function wordsOf(line: string): Set<string> {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? (line === "" ? [] : [line]));
}

/** How near a line is to one that may have been quoted in part, 0 to 1. */
function nearnessOfPart(line: string, wanted: string): number {
  const whole = likeness(line, wanted);
  if (wanted.length < MIN_PART || wanted.length >= line.length) return whole;
  const held = sharedPairs(line, wanted) / (wanted.length - 1);
  return held < PART_NEAR ? whole : Math.max(whole, held * PART_NEAR);
}

/** How alike two lines are, 0 to 1: shared pairs of characters over all of them. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  return 2 * sharedPairs(a, b) / (a.length + b.length - 2);
}

function sharedPairs(a: string, b: string): number {
  const counts = new Map<string, number>();
  for (let i = 0; i + 1 < a.length; i++) {
    const pair = a.slice(i, i + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let i = 0; i + 1 < b.length; i++) {
    const pair = b.slice(i, i + 2);
    const left = counts.get(pair) ?? 0;
    if (left > 0) {
      shared++;
      counts.set(pair, left - 1);
    }
  }
  return shared;
}
