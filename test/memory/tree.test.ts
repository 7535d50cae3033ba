import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import type { Atom, MemoryHead, MemoryNode, MemoryPeaks, SizedNode } from "#internal/memory/mod.ts";
import {
  appendLeaf,
  EMPTY_MEMORY_HEAD,
  encodeAtom,
  growthProofLength,
  headOf,
  joinNodes,
  MAX_LOG_ATOMS,
  MAX_PATH,
  MemoryIndex,
  memoryLeaf,
  nodeOver,
  peaksHead,
  proveAtom,
  proveGrowth,
  verifyAtom,
  verifyGrowth,
} from "#internal/memory/mod.ts";
import { atomOf, atoms, indexOf, modelBounds, modelRoot } from "./_atoms.ts";

const logs = fc.array(atoms, { minLength: 1, maxLength: 40 });

function modelHead(all: readonly Atom[]): MemoryHead {
  return { size: BigInt(all.length), root: toHex(modelRoot(all)) };
}

/** A log of ever other places: atom n is at x = 100·n. */
function lineOf(size: number): Atom[] {
  return Array.from({ length: size }, (_, n) => atomOf({ at: [100n * BigInt(n), 0n, 0n] }));
}

describe("a memory log's tree", () => {
  it("MemoryIndex, peaks and ranges agree with the model at every size [L-406 L-464]", () => {
    expect(EMPTY_MEMORY_HEAD).toEqual(modelHead([]));
    expect(new MemoryIndex().head).toEqual(EMPTY_MEMORY_HEAD);
    fc.assert(
      fc.property(logs, (all) => {
        const index = new MemoryIndex();
        let peaks: MemoryPeaks = [];
        for (const [i, atom] of all.entries()) {
          const bytes = encodeAtom(atom);
          expect(index.append(bytes)).toBe(i);
          peaks = appendLeaf(peaks, memoryLeaf(bytes)).peaks;
          const head = modelHead(all.slice(0, i + 1));
          expect(index.head).toEqual(head);
          expect(peaksHead(peaks)).toEqual(head);
        }
        expect(nodeOver(index, 0, all.length).bounds).toEqual(modelBounds(all));
        for (let size = 1; size <= all.length; size++) {
          expect(headOf(nodeOver(index, 0, size))).toEqual(modelHead(all.slice(0, size)));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("appendLeaf() completes each perfect subtree once", () => {
    const seen = new Map<string, number>();
    let peaks: MemoryPeaks = [];
    for (const atom of lineOf(21)) {
      const done = appendLeaf(peaks, memoryLeaf(encodeAtom(atom)));
      peaks = done.peaks;
      for (const { level, index, node } of done.completed) {
        expect(node.size).toBe(2 ** level);
        seen.set(`${level}/${index}`, (seen.get(`${level}/${index}`) ?? 0) + 1);
      }
    }
    const wanted = [21, 10, 5, 2, 1].flatMap((count, level) =>
      Array.from({ length: count }, (_, index) => [`${level}/${index}`, 1] as const)
    );
    expect(seen).toEqual(new Map(wanted));
  });

  it("MemoryIndex refuses what is no atom, and reads nothing that is not there", () => {
    const index = indexOf(lineOf(3));
    expect(() => index.append(Uint8Array.of(1, 2, 3))).toThrow("Cannot decode");
    expect(index.size).toBe(3);
    expect(() => index.atom(3)).toThrow(RangeError);
    expect(() => index.node(1, 1)).toThrow(RangeError);
    expect(() => index.node(2, 0)).toThrow(RangeError);
  });
});

describe("growth", () => {
  it("verifyGrowth() takes the proof between any two sizes, and no other's [L-407 L-436]", () => {
    fc.assert(fc.property(logs, fc.nat(), fc.nat(), (all, a, b) => {
      const index = indexOf(all);
      const [from, to] = [a % (all.length + 1), b % (all.length + 1)].sort((m, n) => m - n) as [
        number,
        number,
      ];
      const proof = proveGrowth(index, from, to);
      expect(proof.length).toBe(growthProofLength(BigInt(from), BigInt(to)));
      const [old, now] = [modelHead(all.slice(0, from)), modelHead(all.slice(0, to))];
      expect(verifyGrowth(old, now, proof)).toBe(true);
      const other = { ...old, root: modelHead([...all.slice(0, from), atomOf()]).root };
      expect(verifyGrowth(other, now, proof)).toBe(false);
      if (from < to) expect(verifyGrowth(now, old, proof)).toBe(false);
      for (const size of [from - 1, from + 1]) {
        if (size < 1 || size > to) continue;
        expect(verifyGrowth({ ...old, size: BigInt(size) }, now, proof)).toBe(false);
      }
    }));
  });

  it("verifyGrowth() takes no changed node: bounds, content, order, number [L-407]", () => {
    const all = lineOf(23);
    const index = indexOf(all);
    const old = modelHead(all.slice(0, 11));
    const now = modelHead(all);
    const proof = proveGrowth(index, 11, 23);
    expect(verifyGrowth(old, now, proof)).toBe(true);
    const lies: MemoryNode[][] = [
      proof.slice(1),
      proof.slice(0, -1),
      [...proof, proof[0] as MemoryNode],
      proof.toReversed(),
      ...proof.flatMap((node, at) => [
        proof.with(at, { ...node, bounds: [] }),
        proof.with(at, {
          ...node,
          bounds: node.bounds.map((hull) => ({
            ...hull,
            max: hull.min.map((v) => v + 1n) as never,
          })),
        }),
        proof.with(at, { ...node, content: node.content.map((byte) => byte ^ 1) }),
      ]),
    ];
    for (const lie of lies) expect(verifyGrowth(old, now, lie)).toBe(false);
  });

  it("verifyGrowth() refuses a new head that narrows what the old one showed [L-407]", () => {
    // An owner makes its own tree, in which the third atom's bounds have vanished.
    const all = lineOf(4);
    const leaves = all.map((atom) => memoryLeaf(encodeAtom(atom)));
    const [first, second, third, fourth] = leaves as [SizedNode, SizedNode, SizedNode, SizedNode];
    const hidden = { ...third, bounds: [] };
    const left = joinNodes(first, second);
    const grown = (under: SizedNode) => headOf(joinNodes(left, joinNodes(under, fourth)));
    const old = modelHead(all.slice(0, 3));
    expect(verifyGrowth(old, grown(third), [third, fourth, left])).toBe(true);
    expect(verifyGrowth(old, grown(hidden), [hidden, fourth, left])).toBe(false);
    expect(verifyGrowth(old, grown(hidden), [third, fourth, left])).toBe(false);
    const lying = headOf(joinNodes(left, hidden));
    expect(verifyGrowth(lying, grown(hidden), [hidden, fourth, left])).toBe(true);
  });

  it("growthProofLength() is of the order of the logarithm, and bounded", () => {
    expect(growthProofLength(0n, 5n)).toBe(0);
    expect(growthProofLength(5n, 5n)).toBe(0);
    expect(growthProofLength(6n, 5n)).toBeUndefined();
    expect(growthProofLength(1n, BigInt(MAX_LOG_ATOMS) + 1n)).toBeUndefined();
    expect(growthProofLength(1n, BigInt(MAX_LOG_ATOMS))).toBe(MAX_PATH);
    expect(growthProofLength(BigInt(MAX_LOG_ATOMS) - 1n, BigInt(MAX_LOG_ATOMS))).toBe(MAX_PATH);
    expect(growthProofLength(999_999n, 1_000_000n)).toBeLessThanOrEqual(21);
  });
});

describe("inclusion", () => {
  it("verifyAtom() takes an atom at its place and nowhere else", () => {
    fc.assert(fc.property(logs, fc.nat(), (all, pick) => {
      const index = indexOf(all);
      const at = pick % all.length;
      const head = modelHead(all);
      const bytes = encodeAtom(all[at] as Atom);
      const proof = proveAtom(index, at, all.length);
      expect(verifyAtom(head, BigInt(at), bytes, proof)).toBe(true);
      const other = encodeAtom({ ...all[at] as Atom, subject: "another" });
      expect(verifyAtom(head, BigInt(at), other, proof)).toBe(false);
      expect(verifyAtom(head, BigInt(all.length), bytes, proof)).toBe(false);
      expect(verifyAtom(head, -1n, bytes, proof)).toBe(false);
      expect(verifyAtom(head, BigInt(at), bytes.subarray(1), proof)).toBe(false);
      expect(verifyAtom({ ...head, size: head.size + 1n }, BigInt(at), bytes, proof)).toBe(false);
      for (const [i, node] of proof.entries()) {
        const shrunk = proof.with(i, { ...node, bounds: [] });
        const same = node.bounds.length === 0;
        expect(verifyAtom(head, BigInt(at), bytes, shrunk)).toBe(same);
      }
    }));
    const index = indexOf(lineOf(2));
    expect(() => proveAtom(index, 2, 2)).toThrow(RangeError);
  });
});
