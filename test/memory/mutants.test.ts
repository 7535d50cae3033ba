import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringifyJson, toHex } from "#internal/core/mod.ts";
import type * as Memory from "#internal/memory/mod.ts";
import * as memory from "#internal/memory/mod.ts";
import type { Mutant, Mutated } from "../proofs/_mutants.ts";
import { plantMutants } from "../proofs/_mutants.ts";
import { atomOf, box, FRAMES } from "./_atoms.ts";

type Unit = typeof Memory;

/** Files of internal/memory. What each breaks is a rule, not only how one is written down. */
const MUTANTS: readonly Mutant[] = [
  [
    "the upper edge of a box",
    "bounds.ts",
    "hull.min[axis] < box.max[axis]",
    "hull.min[axis] <= box.max[axis]",
  ],
  [
    "the lower edge of a box",
    "bounds.ts",
    "box.min[axis] < hull.max[axis]",
    "box.min[axis] <= hull.max[axis]",
  ],
  ["frames apart", "bounds.ts", "hull.frame === box.frame", "true"],
  ["four frames", "bounds.ts", "hulls.length <= MAX_FRAMES", "hulls.length <= MAX_FRAMES - 1"],
  ["a hull of any frame", "bounds.ts", "hulls.every(({ frame }) => frame !== null)", "true"],
  ["the least of a hull", "bounds.ts", "a.min[axis] < b.min[axis]", "a.min[axis] > b.min[axis]"],
  ["the most of a hull", "bounds.ts", "a.max[axis] > b.max[axis]", "a.max[axis] < b.max[axis]"],
  ["empty boxes", "bounds.ts", "AXES.every((axis) => min[axis] < max[axis])", "true"],
  ["the order of frames", "bounds.ts", "compareFrames(before, hull.frame) >= 0", "false"],
  ["the size in a node", "node.ts", "encode(u64, BigInt(size))", "encode(u64, 1n)"],
  ["the bounds in a node", "node.ts", "encode(boundsCodec, bounds)", "encode(boundsCodec, [])"],
  ["the bounds of a join", "node.ts", "joinBounds(left.bounds, right.bounds)", "left.bounds"],
  ["the bounds of a leaf", "node.ts", "boundsOf(decodeAtom(bytes))", "[]"],
  ["the new head", "growth.ts", "sameHead(headOf(after), to)", "true"],
  ["the old head", "growth.ts", "sameHead(headOf(before), from)", "true"],
  ["equal heads", "growth.ts", "from.root === to.root", "true"],
  ["the first head", "growth.ts", "from.root === EMPTY_MEMORY_HEAD.root", "true"],
  [
    "the number of nodes",
    "growth.ts",
    "proof.length !== growthProofLength(from.size, to.size)",
    "false",
  ],
  ["where an atom is", "inclusion.ts", "index >= head.size", "index > head.size"],
  [
    "the path's length",
    "inclusion.ts",
    "beside.length !== proof.length",
    "beside.length > proof.length",
  ],
  ["what is left out", "recall.ts", "meets(bounds, this.#box)", "false"],
  ["what is too much", "recall.ts", "!meets(node.bounds, this.#box)", "false"],
  ["what follows a proof", "recall.ts", "reader.left > 0", "false"],
  ["whose proof it is", "recall.ts", "headOf(root).root !== head.root", "false"],
  ["an interval's order", "atom.ts", "atom.from >= atom.until", "atom.from > atom.until"],
  ["certainty", "atom.ts", "atom.confidence > MAX_CONFIDENCE", "false"],
  ["the names of kinds", "atom.ts", "!KIND.test(atom.kind)", "false"],
  [
    "nameless entities",
    "atom.ts",
    'atom.value.kind === "entity" && atom.value.body === ""',
    "false",
  ],
];

const atoms = Array.from(
  { length: 13 },
  (_, n) =>
    n % 5 === 4
      ? atomOf()
      : atomOf({ at: [10n * BigInt(n), -BigInt(n), 0n], frame: FRAMES[n % FRAMES.length] ?? "" }),
);
const asked = [
  box([0, -9, -5], [40, 9, 9], 0, 101),
  box([15, -10, -5], [16, 9, 5], 129, 500),
  box([5, -9, -9], [15, 9, 9], 100, 130, "dock"),
  box([-9, -9, -9], [-5, 9, 9], 100, 130, "dock"),
  box([-9, -9, -9], [999, 9, 9], 130, 131, "yard"),
  box([-9, -9, -9], [999, 9, 9], 0, 999, "nowhere"),
];

/** What a unit makes of truths and lies. Every line is a verdict. */
function verdicts(unit: Unit): string[] {
  const index = new unit.MemoryIndex();
  for (const atom of atoms) index.append(unit.encodeAtom(atom));
  const head = (size: number) =>
    size === 0 ? unit.EMPTY_MEMORY_HEAD : unit.headOf(unit.nodeOver(index, 0, size));
  return [
    ...atoms.map((_, size) => attempt(() => head(size))),
    ...asked.map((one) =>
      attempt(() => {
        const proof = unit.proveRecall(index, 13, one, 99);
        const closed = Uint8Array.of(0, ...proof.subarray(1));
        return [
          toHex(proof),
          ...[proof, closed, Uint8Array.of(...proof, 0), truth.recalls[0] as Uint8Array]
            .map((bytes) => unit.verifyRecall(truth.heads[13] as Memory.MemoryHead, one, bytes)),
          ...truth.recalls.map((bytes) => unit.verifyRecall(head(13), one, bytes)),
        ];
      })
    ),
    ...growths(unit),
    ...faults(unit),
  ];
}

function growths(unit: Unit): string[] {
  const [h0, h5, h6, h13] = [0, 5, 6, 13].map((size) => truth.heads[size]) as [
    Memory.MemoryHead,
    Memory.MemoryHead,
    Memory.MemoryHead,
    Memory.MemoryHead,
  ];
  const { growth, other, path, recalls } = truth;
  const box0 = asked[0] as Memory.FramedHull;
  const bytes = memory.encodeAtom(atoms[5] as Memory.Atom);
  return [
    () => unit.verifyGrowth(h5, h13, growth),
    () => unit.verifyGrowth(h5, { ...h13, root: h6.root }, growth),
    () => unit.verifyGrowth({ ...h5, root: h6.root }, h13, growth),
    () => unit.verifyGrowth(h5, h13, [...growth, ...other]),
    () => unit.verifyGrowth(h5, { ...h5, root: h6.root }, []),
    () => unit.verifyGrowth({ ...h0, root: h6.root }, h5, []),
    () => unit.growthProofLength(6n, 5n),
    () => unit.verifyRecall({ ...h13, root: h6.root }, box0, recalls[0] as Uint8Array),
    () => unit.verifyAtom(h13, 5n, bytes, path),
    () => unit.verifyAtom({ ...h6, size: 5n }, 5n, bytes, path),
    () => unit.verifyAtom(h13, 5n, bytes, [...path, ...path]),
    () => unit.verifyAtom({ ...memory.headOf(memory.memoryLeaf(bytes)), size: 1n }, 1n, bytes, []),
  ].map(attempt);
}

function faults(unit: Unit): string[] {
  const hull = { ...asked[0] as Memory.FramedHull };
  return [
    () => unit.boundsFault([{ ...hull, max: hull.min }]),
    () => unit.boundsFault([hull, hull]),
    () => unit.boundsFault([hull]),
    () => unit.atomFault(atomOf({ from: 5n, until: 5n })),
    () => unit.atomFault(atomOf({ confidence: 1001 })),
    () => unit.atomFault(atomOf({ kind: "9th" })),
    () => unit.atomFault(atomOf({ value: { kind: "entity", body: "" } })),
  ].map(attempt);
}

function attempt(act: () => unknown): string {
  try {
    return stringifyJson((act() ?? null) as never);
  } catch (thrown) {
    return `thrown: ${String(thrown)}`;
  }
}

/** Heads and proofs of the unit as it is, which every copy is handed. */
const truth = (() => {
  const index = new memory.MemoryIndex();
  const heads: Memory.MemoryHead[] = [index.head];
  for (const atom of atoms) {
    index.append(memory.encodeAtom(atom));
    heads.push(index.head);
  }
  return {
    heads,
    recalls: asked.map((one) => memory.proveRecall(index, 13, one, 99)),
    growth: memory.proveGrowth(index, 5, 13),
    other: memory.proveGrowth(index, 6, 13),
    path: memory.proveAtom(index, 5, 13),
  };
})();

let mutated: Mutated;
let copy: Unit;
let honest: string;

beforeAll(async () => {
  mutated = await plantMutants("internal/memory", ".", MUTANTS);
  copy = await mutated.load("mod.ts") as Unit;
  honest = verdicts(memory).join("\n");
}, 60_000);

afterAll(() => mutated[Symbol.dispose]());

describe("a rule of memory logs that is changed is noticed [L-407 L-446]", () => {
  it("but nothing is when none is", () => {
    mutated.choose(-1);
    expect(verdicts(copy).join("\n")).toBe(honest);
    expect(honest).not.toContain("thrown");
  });

  it.each(MUTANTS.map(([what, file], index) => [what, file, index] as const))(
    "in %s (%s)",
    (_what, _file, index) => {
      mutated.choose(index);
      expect(verdicts(copy).join("\n")).not.toBe(honest);
    },
  );
});
