import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { MemoryNode } from "#internal/memory/mod.ts";
import { decodeUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import type { Commit } from "../ledger/_memory.ts";
import { commit, growing, openLog } from "../ledger/_memory.ts";
import { World } from "../ledger/_world.ts";
import { atoms as oneAtom } from "../memory/_atoms.ts";
import { ASTRAL, MAX_ATOMS, WIDE } from "./_memory_stories.ts";
import { misshapenCommits, unitOfCommit } from "./_misshapen.ts";
import { executeByBoth } from "./_two_stacks.ts";

const ledger = createLedger({});

/** Whether each of the stacks takes bytes for a unit. */
function verdicts(bytes: Uint8Array): [boolean, boolean] {
  const isRead = (read: (bytes: Uint8Array) => unknown): boolean => {
    try {
      read(bytes);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(SionError);
      return false;
    }
  };
  return [isRead(ledger.decodeSigned), isRead(decodeUnit)];
}

/** What of a commit is changed; it stays a commit in its shape. */
type Change = (body: Commit, node: number, other: number) => Commit;

function withNode(body: Commit, at: number, change: (node: MemoryNode) => MemoryNode): Commit {
  const { length } = body.proof;
  const proof = body.proof.map((node, i) => i === at % length ? change(node) : node);
  return { ...body, proof };
}

const CHANGES: readonly Change[] = [
  (body) => body,
  (body) => body,
  (body) => body,
  (body, at, other) =>
    withNode(body, at, (node) => ({
      ...node,
      bounds: body.proof[other % body.proof.length]?.bounds ?? [],
    })),
  (body, at, other) =>
    withNode(body, at, (node) => ({
      ...node,
      content: body.proof[other % body.proof.length]?.content ?? node.content,
    })),
  (body, at) => withNode(body, at, (node) => ({ ...node, bounds: [] })),
  (body) => ({ ...body, proof: body.proof.toReversed() }),
  (body) => ({ ...body, to: { ...body.to, root: body.from.root }, seal: false }),
  (body) => ({ ...body, from: { ...body.from, root: body.to.root } }),
];

describe("both stacks over memory logs", () => {
  it("they agree on every step of logs of any atoms, and on every step that is not one", () => {
    const outcomes = new Set<string>();
    const step = fc.record({
      by: fc.integer({ min: 0, max: 9 }),
      change: fc.nat(CHANGES.length - 1),
      at: fc.nat(9),
      other: fc.nat(9),
      seal: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    const logs = fc.record({
      atoms: fc.array(oneAtom, { minLength: 1, maxLength: 40 }),
      steps: fc.array(step, { minLength: 1, maxLength: 9 }),
    });
    fc.assert(
      fc.property(logs, ({ atoms, steps }) => {
        const world = new World();
        const log = world.make("alice", openLog());
        const grow = growing(log, atoms);
        let size = 0;
        for (const { by, change, at, other, seal } of steps) {
          const to = Math.min(size + by, atoms.length);
          const body = (CHANGES[change] as Change)(grow(size, to, seal || to === size), at, other);
          // What became of the shape with the change is the decoders' to say, below.
          if (!verdicts(unitOfCommit(body))[0]) continue;
          const { a, differences } = executeByBoth(world, [world.unit("alice", [commit(body)])]);
          expect(differences).toEqual([]);
          const outcome = a.receipts[0]?.outcome;
          outcomes.add(outcome?.kind === "failed" ? outcome.reason : outcome?.kind ?? "");
          if (outcome?.kind === "success" && body.to.size > body.from.size) size = to;
        }
      }),
      { numRuns: 150, seed: 20_261_130 },
    );
    expect([...outcomes].sort()).toEqual([
      "invalid transaction: the memory log has another head",
      "invalid transaction: the memory log is sealed",
      "invalid transaction: the proof does not show that the memory log grew",
      "success",
    ]);
  });

  it("they agree on every size up to 33 grown from every smaller one", () => {
    const world = new World();
    const atoms = fc.sample(oneAtom, { numRuns: 33, seed: 7 });
    for (let from = 1; from < 33; from++) {
      const log = world.make("alice", openLog());
      const grow = growing(log, atoms);
      world.make("alice", commit(grow(0, from)));
      for (const to of [from + 1, from + 2, from + 5, 2 * from, 33]) {
        if (to > 33) continue;
        const before = world.state;
        const { a, differences } = executeByBoth(world, [
          world.unit("alice", [commit(grow(from, to))]),
        ]);
        expect(differences).toEqual([]);
        expect(a.receipts[0]?.outcome.kind).toBe("success");
        world.state = before;
      }
    }
  });
});

describe("both stacks' decoders of memory_commit", () => {
  it("refuse every body that breaks one rule of its shape", () => {
    expect(misshapenCommits().length).toBeGreaterThan(15);
    for (const body of misshapenCommits()) {
      expect(verdicts(unitOfCommit(body))).toEqual([false, false]);
    }
  });

  it("accept and refuse the same of bodies at their bounds", () => {
    const seen = { accepted: 0, refused: 0 };
    const frame = fc.option(fc.constantFrom("", "a", "b", WIDE, ASTRAL, "z".repeat(64)), {
      freq: 5,
    });
    const ends = fc.constantFrom(
      [0n, 1n],
      [-(2n ** 63n), 2n ** 63n - 1n],
      [-1n, 0n],
      [5n, 6n],
      [0n, 0n],
      [1n, 0n],
    );
    const likely = fc.oneof({ weight: 30, arbitrary: fc.constant([0n, 1n]) }, ends);
    const hull = fc.record({ frame, axes: fc.tuple(likely, likely, likely, likely) }).map((
      { frame: name, axes },
    ) => ({
      frame: name,
      min: axes.map(([min]) => min) as never,
      max: axes.map(([, max]) => max) as never,
    }));
    const node = fc.record({
      bounds: fc.oneof(
        fc.array(hull, { maxLength: 4 }),
        fc.array(hull, { maxLength: 1 }),
        fc.constant([]),
      ),
      content: fc.constant(new Uint8Array(32).fill(9)),
    });
    // Sizes with the length of the proof between them, which is often another.
    const sizes = fc.constantFrom<[bigint, bigint, number]>(
      [0n, 0n, 0],
      [0n, MAX_ATOMS, 0],
      [0n, MAX_ATOMS + 1n, 0],
      [1n, 2n, 2],
      [1n, 3n, 3],
      [2n, 3n, 2],
      [3n, 4n, 3],
      [3n, 3n, 0],
      [3n, 2n, 0],
      [MAX_ATOMS / 2n, MAX_ATOMS, 2],
      [2n, MAX_ATOMS, 40],
      [MAX_ATOMS - 1n, MAX_ATOMS, 41],
      [MAX_ATOMS, MAX_ATOMS + 1n, 2],
    );
    const root = fc.constantFrom("11".repeat(32), "22".repeat(32));
    const off = fc.constantFrom(0, 0, 0, 0, 1, -1);
    const body = fc.record({ sizes, off, from: root, to: root, node, seal: fc.boolean() }).chain((
      { sizes: [from, to, nodes], ...one },
    ) => {
      const length = Math.max(0, Math.min(41, nodes + one.off));
      const proof = length > 4
        ? fc.constant(new Array<typeof one.node>(length).fill({ ...one.node, bounds: [] }))
        : fc.array(node, { minLength: length, maxLength: length });
      return proof.map((all): Commit => ({
        log: "11".repeat(32),
        agent: one.off === 0 ? null : "22".repeat(32),
        from: { size: from, root: one.from },
        to: { size: to, root: one.to },
        proof: all,
        seal: one.seal,
      }));
    });
    fc.assert(
      fc.property(body, (one) => {
        const [a, b] = verdicts(unitOfCommit(one));
        expect(b).toBe(a);
        seen[a ? "accepted" : "refused"]++;
      }),
      { numRuns: 1500 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(200);
  });
});
