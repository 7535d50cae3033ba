import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, concatBytes, fromHex, toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { SparseEntry, SparseMultiproof, SparseProof } from "#internal/merkle/mod.ts";
import { SparseTree, verifySparse, verifySparseMulti } from "#internal/merkle/mod.ts";

const ZERO = new Uint8Array(32);

type Pair = readonly [Uint8Array, Uint8Array];

/** The definition word for word, over all leaves under one prefix. */
function modelRoot(leaves: readonly Pair[], depth = 0): Uint8Array {
  if (leaves.length === 0) return ZERO;
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) {
    return sha256(Uint8Array.of(0), only[0], only[1]);
  }
  const bit = (key: Uint8Array) => ((key[depth >> 3] as number) >> (7 - (depth & 7))) & 1;
  const left = modelRoot(leaves.filter(([key]) => bit(key) === 0), depth + 1);
  const right = modelRoot(leaves.filter(([key]) => bit(key) === 1), depth + 1);
  return sha256(Uint8Array.of(1), left, right);
}

/** Keys that share long prefixes as often as not: few random bits at few places. */
const keys = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(7)).map(([first, middle, last]) => {
  const key = new Uint8Array(32);
  key[0] = first << 6;
  key[15] = middle;
  key[31] = last;
  return key;
});
const anyKeys = fc.oneof(keys, fc.uint8Array({ minLength: 32, maxLength: 32 }));
const values = fc.nat(1000).map((n) => sha256(Uint8Array.of(n & 255, n >> 8)));
const entryLists = fc.array(fc.tuple(anyKeys, values), { maxLength: 40 });

function asMap(entries: readonly Pair[]): Map<string, Pair> {
  return new Map(entries.map((entry) => [toHex(entry[0]), entry]));
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = bytes.slice();
  changed[(bit >> 3) % changed.length] = (changed[(bit >> 3) % changed.length] as number) ^
    (1 << (bit & 7));
  return changed;
}

interface Vector {
  name: string;
  root: string;
  updates: [string, string][];
}

function vectors(): Vector[] {
  const path = new URL("../../fixtures/merkle/sparse.json", import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as Vector[];
}

describe("SparseTree", () => {
  it("SparseTree gives the published roots of Fuel's vectors", () => {
    for (const vector of vectors()) {
      let tree = SparseTree.empty;
      for (const [key, data] of vector.updates) {
        tree = tree.set(fromHex(key), sha256(fromHex(data)));
      }
      expect([vector.name, toHex(tree.root())]).toEqual([vector.name, vector.root]);
    }
  });

  it("SparseTree has the same root as the definition, however the entries come", () => {
    fc.assert(
      fc.property(entryLists, entryLists, (first, second) => {
        const all = [...asMap([...first, ...second]).values()];
        const root = toHex(modelRoot(all));
        const inTwo = SparseTree.empty.setMany(first).setMany(second);
        expect(toHex(inTwo.root())).toBe(root);
        let single = SparseTree.empty;
        for (const [key, value] of all.toReversed()) single = single.set(key, value);
        expect(toHex(single.root())).toBe(root);
        expect(inTwo.size).toBe(all.length);
        expect(single.size).toBe(all.length);
      }),
      { numRuns: 60 },
    );
  });

  it("SparseTree returns what was set, in the order of the keys", () => {
    fc.assert(
      fc.property(entryLists, anyKeys, (entries, other) => {
        const tree = SparseTree.empty.setMany(entries);
        const expected = [...asMap(entries).values()].sort((a, b) => compareBytes(a[0], b[0]));
        expect([...tree.entries()]).toEqual(expected);
        for (const [key, value] of expected) expect(tree.get(key)).toEqual(value);
        expect(tree.get(other)).toEqual(asMap(entries).get(toHex(other))?.[1]);
      }),
      { numRuns: 40 },
    );
  });

  it("SparseTree is persistent: an old tree keeps its root and entries", () => {
    fc.assert(
      fc.property(entryLists, entryLists, (first, second) => {
        const old = SparseTree.empty.setMany(first);
        const before = toHex(modelRoot([...asMap(first).values()]));
        const later = old.setMany(second);
        later.root();
        expect(toHex(old.root())).toBe(before);
        expect([...old.entries()].length).toBe(asMap(first).size);
      }),
      { numRuns: 30 },
    );
  });

  it("SparseTree stays the very same tree when nothing changes", () => {
    const tree = SparseTree.empty.set(ZERO, sha256()).set(sha256(), sha256());
    expect(tree.set(ZERO, sha256())).toBe(tree);
    expect(tree.setMany([])).toBe(tree);
    expect(tree.set(ZERO, ZERO)).not.toBe(tree);
  });

  it("SparseTree copies what it is given", () => {
    const key = sha256(Uint8Array.of(1));
    const value = sha256(Uint8Array.of(2));
    const tree = SparseTree.empty.set(key, value);
    const root = toHex(modelRoot([[key.slice(), value.slice()]]));
    key.fill(0);
    value.fill(0);
    expect(toHex(tree.root())).toBe(root);
    tree.root().fill(0);
    expect(toHex(tree.root())).toBe(root);
  });

  it("SparseTree refuses keys and value hashes that are not 32 bytes", () => {
    const short = new Uint8Array(31);
    expect(() => SparseTree.empty.set(short, ZERO)).toThrow(TypeError);
    expect(() => SparseTree.empty.set(ZERO, short)).toThrow(TypeError);
    expect(() => SparseTree.empty.get(short)).toThrow(TypeError);
    expect(() => SparseTree.empty.prove(short)).toThrow(TypeError);
    expect(() => SparseTree.empty.multiproof([short])).toThrow(TypeError);
  });
});

describe("verifySparse()", () => {
  it("verifySparse() accepts what is so and refuses what is not", () => {
    fc.assert(
      fc.property(entryLists, anyKeys, values, (entries, other, wrong) => {
        const tree = SparseTree.empty.setMany(entries);
        const root = tree.root();
        const map = asMap(entries);
        for (const key of [...[...map.values()].slice(0, 5).map(([k]) => k), other]) {
          const value = map.get(toHex(key))?.[1];
          const proof = tree.prove(key);
          expect(verifySparse(root, key, value, proof)).toBe(true);
          if (value !== undefined) expect(verifySparse(root, key, undefined, proof)).toBe(false);
          if (value === undefined || compareBytes(value, wrong) !== 0) {
            expect(verifySparse(root, key, wrong, proof)).toBe(false);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("verifySparse() refuses any mutated proof", () => {
    fc.assert(
      fc.property(entryLists, anyKeys, fc.nat(), (entries, key, bit) => {
        const tree = SparseTree.empty.setMany([[sha256(), sha256()], ...entries]);
        const root = tree.root();
        const value = tree.get(key);
        const proof = tree.prove(key);
        const { siblings } = proof;
        const broken: SparseProof[] = [
          { ...proof, siblings: [...siblings, ZERO] },
          { ...proof, siblings: [ZERO, ...siblings] },
          { ...proof, siblings: Array.from({ length: 257 }, () => ZERO) },
          { ...proof, siblings: [...siblings, new Uint8Array(31)] },
          value === undefined && proof.leaf !== undefined
            ? { siblings }
            : { siblings, leaf: { key: flip(key, 255), valueHash: ZERO } },
        ];
        if (siblings.length > 0) {
          const where = bit % siblings.length;
          broken.push(
            { ...proof, siblings: siblings.slice(1) },
            {
              ...proof,
              siblings: siblings.with(where, flip(siblings[where] as Uint8Array, bit % 256)),
            },
          );
        }
        if (proof.leaf !== undefined) {
          const { leaf } = proof;
          broken.push(
            { siblings, leaf: { ...leaf, valueHash: flip(leaf.valueHash, bit % 256) } },
            { siblings, leaf: { ...leaf, key: flip(leaf.key, bit % 256) } },
            { siblings, leaf: { ...leaf, key } },
            { siblings, leaf: { ...leaf, key: leaf.key.subarray(1) } },
          );
        }
        expect(verifySparse(root, key, value, proof)).toBe(true);
        for (const mutated of broken) expect(verifySparse(root, key, value, mutated)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it("verifySparse() refuses absence by a leaf that stands elsewhere", () => {
    // Keys 0… and 1…; the leaf of 1… proves nothing of a key that begins with 0.
    const low = new Uint8Array(32);
    const high = new Uint8Array(32).fill(255);
    const tree = SparseTree.empty.setMany([[low, sha256()], [high, sha256()]]);
    const forHigh = tree.prove(flip(high, 255));
    expect(verifySparse(tree.root(), flip(high, 255), undefined, forHigh)).toBe(true);
    expect(verifySparse(tree.root(), flip(low, 255), undefined, forHigh)).toBe(false);
  });

  it("verifySparse() proves absence in the empty tree", () => {
    const proof = SparseTree.empty.prove(sha256());
    expect(proof).toEqual({ siblings: [] });
    expect(verifySparse(ZERO, sha256(), undefined, proof)).toBe(true);
    expect(verifySparse(ZERO, sha256(), ZERO, proof)).toBe(false);
  });
});

describe("verifySparseMulti()", () => {
  const asked = fc.array(anyKeys, { minLength: 1, maxLength: 12 });

  function entriesOf(tree: SparseTree, wanted: readonly Uint8Array[]): SparseEntry[] {
    const distinct = new Map(wanted.map((key) => [toHex(key), key]));
    return [...distinct.values()].map((key) => [key, tree.get(key)] as const);
  }

  it("verifySparseMulti() shows present and absent keys together in any order", () => {
    fc.assert(
      fc.property(entryLists, asked, (entries, extra) => {
        const tree = SparseTree.empty.setMany(entries);
        const wanted = [...entries.slice(0, 10).map(([key]) => key), ...extra];
        const proof = tree.multiproof(wanted);
        const shown = entriesOf(tree, wanted);
        expect(verifySparseMulti(tree.root(), shown, proof)).toBe(true);
        expect(verifySparseMulti(tree.root(), shown.toReversed(), proof)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("verifySparseMulti() refuses a changed claim, a key left out, added or twice", () => {
    fc.assert(
      fc.property(entryLists, asked, fc.nat(), (entries, wanted, pick) => {
        const tree = SparseTree.empty.setMany([[sha256(), sha256()], ...entries]);
        const proof = tree.multiproof(wanted);
        const shown = entriesOf(tree, wanted);
        const at = pick % shown.length;
        const [key, value] = shown[at] as SparseEntry;
        const check = (claims: readonly SparseEntry[]) =>
          verifySparseMulti(tree.root(), claims, proof);
        expect(check(shown)).toBe(true);
        expect(check(shown.with(at, [key, value === undefined ? ZERO : undefined]))).toBe(false);
        expect(check([...shown, [key, value]])).toBe(false);
        expect(check(shown.with(at, [key.subarray(1), value]))).toBe(false);
        if (value !== undefined) {
          expect(check(shown.with(at, [key, flip(value, pick % 256)]))).toBe(false);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("verifySparseMulti() refuses any mutated proof", () => {
    fc.assert(
      fc.property(entryLists, asked, fc.nat(), (entries, wanted, bit) => {
        const tree = SparseTree.empty.setMany([[sha256(), sha256()], ...entries]);
        const root = tree.root();
        const proof = tree.multiproof(wanted);
        const shown = entriesOf(tree, wanted);
        const { shape, siblings, leaves } = proof;
        const broken: SparseMultiproof[] = [
          { ...proof, siblings: [...siblings, ZERO] },
          { ...proof, shape: [...shape, "empty"] },
          { ...proof, shape: shape.slice(0, -1) },
          { ...proof, shape: shape.map(() => "branch") },
          { ...proof, leaves: [...leaves, { key: ZERO, valueHash: ZERO }] },
        ];
        if (siblings.length > 0) {
          const where = bit % siblings.length;
          const changed = flip(siblings[where] as Uint8Array, bit % 256);
          broken.push(
            { ...proof, siblings: siblings.with(where, changed) },
            { ...proof, siblings: siblings.slice(1) },
          );
        }
        if (leaves.length > 0) {
          const where = bit % leaves.length;
          const leaf = leaves[where] as { key: Uint8Array; valueHash: Uint8Array };
          broken.push(
            { ...proof, leaves: leaves.with(where, { ...leaf, key: flip(leaf.key, bit % 256) }) },
            { ...proof, leaves: leaves.slice(1) },
          );
        }
        for (const mutated of broken) expect(verifySparseMulti(root, shown, mutated)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it("verifySparseMulti() takes the empty list with the empty proof only", () => {
    const tree = SparseTree.empty.set(ZERO, sha256());
    expect(verifySparseMulti(tree.root(), [], tree.multiproof([]))).toBe(true);
    expect(verifySparseMulti(tree.root(), [], tree.multiproof([ZERO]))).toBe(false);
  });

  it("multiproof() holds each hash once: less than the single proofs together", () => {
    const entries = Array.from({ length: 256 }, (_, i): [Uint8Array, Uint8Array] => {
      const key = sha256(Uint8Array.of(i));
      return [key, sha256(key)];
    });
    const tree = SparseTree.empty.setMany(entries);
    const wanted = entries.slice(0, 32).map(([key]) => key);
    const single = wanted.reduce((sum, key) => sum + tree.prove(key).siblings.length, 0);
    expect(tree.multiproof(wanted).siblings.length).toBeLessThan(single / 2);
    expect(concatBytes(...tree.multiproof(wanted.slice(0, 1)).siblings))
      .toHaveLength(32 * tree.prove(wanted[0] as Uint8Array).siblings.length);
  });
});
