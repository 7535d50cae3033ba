import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes, encode } from "#internal/core/mod.ts";
import type {
  Atom,
  FramedHull,
  MemoryHead,
  RecallVerdict,
  SizedNode,
} from "#internal/memory/mod.ts";
import {
  atomId,
  encodeAtom,
  headOf,
  joinNodes,
  memoryLeaf,
  memoryNodeCodec,
  nodeOver,
  proveAtom,
  proveRecall,
  verifyAtom,
  verifyRecall,
} from "#internal/memory/mod.ts";
import { atomOf, atoms, box, boxes, indexOf, isIn } from "./_atoms.ts";

const MOST = 1000;

function recalled(all: readonly Atom[], asked: FramedHull, size = all.length): RecallVerdict {
  const index = indexOf(all.slice(0, size));
  return verifyRecall(index.head, asked, proveRecall(index, size, asked, MOST));
}

function fault(head: MemoryHead, asked: FramedHull, proof: Uint8Array): string {
  const verdict = verifyRecall(head, asked, proof);
  return verdict.ok ? `${verdict.atoms.length} atoms` : verdict.fault;
}

describe("recall", () => {
  it("proveRecall() finds exactly the atoms in the box, at every head, and proves it [L-445 L-446 L-463]", () => {
    fc.assert(fc.property(fc.array(atoms, { maxLength: 40 }), boxes, fc.nat(), (all, asked, n) => {
      const size = n % (all.length + 1);
      const index = indexOf(all);
      const head = size === 0 ? indexOf([]).head : headOf(nodeOver(index, 0, size));
      const wanted = all.slice(0, size).map((atom, seq) => ({ seq, id: atomId(atom), atom }))
        .filter(({ atom }) => isIn(atom, asked));
      const verdict = verifyRecall(head, asked, proveRecall(index, size, asked, MOST));
      expect(verdict).toEqual({ ok: true, atoms: wanted });
    }));
  });

  it("proveRecall() proves an empty answer, of an empty log too [L-447]", () => {
    const asked = box([0, 0, 0], [9, 9, 9], 0, 9);
    const index = indexOf([]);
    expect(proveRecall(index, 0, asked, MOST)).toEqual(new Uint8Array());
    expect(recalled([], asked)).toEqual({ ok: true, atoms: [] });
    expect(recalled([atomOf(), atomOf({ at: [99n, 99n, 99n] })], asked)).toEqual({
      ok: true,
      atoms: [],
    });
  });

  it("verifyRecall() takes one proof for each answer: one changed byte is refused", () => {
    fc.assert(
      fc.property(
        fc.array(atoms, { minLength: 1, maxLength: 12 }),
        boxes,
        fc.nat(),
        (all, asked, n) => {
          const index = indexOf(all);
          const proof = proveRecall(index, all.length, asked, MOST);
          const changed = proof.with(n % proof.length, (proof[n % proof.length] as number) ^ 4);
          expect(verifyRecall(index.head, asked, changed).ok).toBe(false);
          expect(verifyRecall(index.head, asked, proof.subarray(0, n % proof.length)).ok).toBe(
            false,
          );
          expect(verifyRecall(index.head, asked, concatBytes(proof, Uint8Array.of(0))).ok).toBe(
            false,
          );
        },
      ),
    );
  });

  it("proveRecall() refuses to show more than is wanted, and an empty box", () => {
    const index = indexOf(Array.from({ length: 4 }, () => atomOf({ at: [0n, 0n, 0n] })));
    const asked = box([0, 0, 0], [1, 1, 1], 0, 999);
    expect(() => proveRecall(index, 4, asked, 3)).toThrow("over 3 atoms");
    expect(proveRecall(index, 4, asked, 4).length).toBeGreaterThan(0);
    const empty = { ...asked, max: asked.min };
    expect(() => proveRecall(index, 4, empty, 4)).toThrow(RangeError);
    expect(fault(index.head, empty, new Uint8Array())).toBe("a box is empty");
  });

  it("proveRecall() opens a path of the tree for what lies together, whatever the log's size", () => {
    const all = Array.from({ length: 5000 }, (_, n) => atomOf({ at: [100n * BigInt(n), 0n, 0n] }));
    const index = indexOf(all);
    const asked = box([123_000, 0, 0], [123_001, 1, 1], 0, 999);
    const proof = proveRecall(index, all.length, asked, MOST);
    expect(recalled(all, asked)).toMatchObject({ ok: true, atoms: [{ seq: 1230 }] });
    // 13 closed nodes with one hull each, 13 opened, one atom.
    expect(proof.length).toBeLessThan(14 * 112 + 13 + 120);
  });
});

describe("a lie about a recall is refused", () => {
  const all = [0, 10, 20, 1000, 2000].map((x) => atomOf({ at: [BigInt(x), 0n, 0n] }));
  const index = indexOf(all);
  const asked = box([0, 0, 0], [25, 1, 1], 100, 130);
  const leaves = all.map((atom) => memoryLeaf(encodeAtom(atom)));
  const closed = (node: SizedNode, bounds = node.bounds) =>
    concatBytes(Uint8Array.of(0), encode(memoryNodeCodec, { ...node, bounds }));
  const opened = (left: Uint8Array, right: Uint8Array) =>
    concatBytes(Uint8Array.of(1), left, right);
  const shown = (atom: Atom) => concatBytes(Uint8Array.of(2), encodeAtom(atom));
  const [a, b, c] = all as [Atom, Atom, Atom, Atom, Atom];
  const [leafA, , leafC, leafD, leafE] = leaves as [SizedNode, ...SizedNode[]] as [
    SizedNode,
    SizedNode,
    SizedNode,
    SizedNode,
    SizedNode,
  ];
  const answer = (third: Uint8Array, second = shown(b)) =>
    opened(opened(opened(shown(a), second), opened(third, closed(leafD))), closed(leafE));
  const OTHER = "the proof is not of the log with this head";
  const MORE = "more is shown than was asked for";
  const LEFT_OUT = "what may hold an answer is left out";

  it("verifyRecall() takes the answer that shows all that was asked for", () => {
    expect(proveRecall(index, 5, asked, MOST)).toEqual(answer(shown(c)));
    expect(fault(index.head, asked, answer(shown(c)))).toBe("3 atoms");
  });

  const far = { ...leafC, bounds: memoryLeaf(encodeAtom(atomOf({ at: [5000n, 0n, 0n] }))).bounds };
  const lies: [string, () => string, string][] = [
    ["an atom dropped", () => fault(index.head, asked, answer(closed(leafC))), LEFT_OUT],
    ["all dropped", () => fault(index.head, asked, closed(nodeOver(index, 0, 5))), LEFT_OUT],
    ["a box made empty", () => fault(index.head, asked, answer(closed(leafC, []))), MORE],
    ["a box moved away", () => fault(index.head, asked, answer(closed(far))), MORE],
    [
      "a box shrunk beside one that meets",
      () =>
        fault(
          index.head,
          asked,
          opened(
            opened(opened(closed(leafA, []), shown(b)), opened(shown(c), closed(leafD))),
            closed(leafE),
          ),
        ),
      OTHER,
    ],
    [
      "a subtree's bounds shrunk",
      () => fault(index.head, asked, opened(closed(nodeOver(index, 0, 4), []), closed(leafE))),
      MORE,
    ],
    [
      "an atom changed",
      () => fault(index.head, asked, answer(shown({ ...c, confidence: 1 }))),
      OTHER,
    ],
    [
      "an atom moved away",
      () => fault(index.head, asked, answer(shown(atomOf({ at: [5000n, 0n, 0n] })))),
      MORE,
    ],
    ["atoms in another order", () => fault(index.head, asked, answer(shown(b), shown(c))), OTHER],
    [
      "an old head's answer",
      () => fault(index.head, asked, proveRecall(index, 2, asked, MOST)),
      "a node of 4 atoms has the form 2",
    ],
    [
      "an old head's answer of the same shape",
      () => {
        const old = indexOf([...all.slice(0, 4), atomOf({ at: [3000n, 0n, 0n] })]);
        return fault(old.head, asked, proveRecall(index, 5, asked, MOST));
      },
      OTHER,
    ],
    [
      "another log's answer",
      () => {
        const other = indexOf(all.map((atom) => ({ ...atom, confidence: 5 })));
        return fault(index.head, asked, proveRecall(other, 5, asked, MOST));
      },
      OTHER,
    ],
    [
      "an empty log's answer",
      () => fault(index.head, asked, new Uint8Array()),
      "the proof is none: Cannot decode: the bytes end too early",
    ],
    [
      "the answer to a narrower question",
      () => {
        const narrow = box([0, 0, 0], [12, 1, 1], 100, 130);
        return fault(index.head, asked, proveRecall(index, 5, narrow, MOST));
      },
      LEFT_OUT,
    ],
    [
      "the answer to a wider question",
      () => {
        const wide = box([0, 0, 0], [1001, 1, 1], 100, 130);
        return fault(index.head, asked, proveRecall(index, 5, wide, MOST));
      },
      MORE,
    ],
    [
      "the answer in another frame",
      () => fault(index.head, { ...asked, frame: "yard" }, proveRecall(index, 5, asked, MOST)),
      MORE,
    ],
    [
      "a size of the owner's own",
      () => fault({ ...index.head, size: 2n ** 41n }, asked, answer(shown(c))),
      "no log is as long",
    ],
    [
      "bounds that are none",
      () => fault(index.head, asked, closed(leafC, [...leafC.bounds, ...leafC.bounds])),
      "the proof is none: Cannot decode: frames are not in strictly ascending order",
    ],
    [
      "a form that is none",
      () => fault(index.head, asked, Uint8Array.of(3)),
      "a node of 5 atoms has the form 3",
    ],
  ];
  it.each(lies)("verifyRecall() refuses %s [L-446]", (_what, told, why) => {
    expect(told()).toBe(why);
  });

  it("verifyRecall() lets nobody show what a committed lie hides: not by inclusion either [L-446]", () => {
    // The owner commits a tree whose third leaf claims to be far away.
    const left = nodeOver(index, 0, 2);
    const right = joinNodes(far, leafD);
    const head = headOf(joinNodes(joinNodes(left, right), leafE));
    const hiding = opened(opened(opened(shown(a), shown(b)), closed(right)), closed(leafE));
    expect(fault(head, asked, hiding)).toBe("2 atoms");
    expect(fault(head, asked, answer(shown(c)))).toBe(OTHER);
    const path = proveAtom(index, 2, 5);
    expect(verifyAtom(index.head, 2n, encodeAtom(c), path)).toBe(true);
    expect(verifyAtom(head, 2n, encodeAtom(c), path)).toBe(false);
  });
});
