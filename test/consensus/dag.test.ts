/** The graph: histories as bit sets agree with walking the parents. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZERO_HASH } from "#internal/proofs/mod.ts";
import type { DagNode } from "../../internal/consensus/dag.ts";
import { Dag } from "../../internal/consensus/dag.ts";
import { inHistory } from "../../internal/consensus/history.ts";

function add(dag: Dag, round: number, author: number, parents: readonly DagNode[]): DagNode {
  const content = {
    id: `${round}/${author}/${dag.size}`,
    header: {
      version: 1,
      chain: ZERO_HASH,
      session: 0,
      round,
      author,
      parents: [],
      timeMs: 0n,
      link: { value: ZERO_HASH, next: ZERO_HASH },
      bodyRoot: ZERO_HASH,
      statementsRoot: ZERO_HASH,
    },
    signature: ZERO_HASH,
    statements: [],
    encoded: [],
    evidence: [],
    units: [],
    unitDigests: [],
    bytes: undefined,
  };
  return dag.add(content, parents, dag.historyOf(parents));
}

/** A graph of random parents, with the ancestors of each block found by walking. */
function randomGraph(rounds: number, pick: () => number) {
  const dag = new Dag(4);
  const walked = new Map<DagNode, Set<DagNode>>();
  let before: DagNode[] = [];
  for (let round = 1; round <= rounds; round++) {
    const row: DagNode[] = [];
    for (let author = 0; author < 4; author++) {
      const parents = before.filter(() => pick() < 0.7);
      const node = add(dag, round, author, parents);
      walked.set(node, new Set([node, ...parents.flatMap((p) => [...(walked.get(p) ?? [])])]));
      row.push(node);
    }
    before = row;
  }
  return { dag, walked };
}

describe("Dag", () => {
  const picks = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 7,
    maxLength: 50,
  });

  it("knows each block's history as walking the parents gives it", () => {
    fc.assert(
      fc.property(picks, (values) => {
        let at = 0;
        const { walked } = randomGraph(12, () => values[at++ % values.length] ?? 0);
        for (const [node, ancestors] of walked) {
          for (const other of walked.keys()) {
            expect(inHistory(node.history, other)).toBe(ancestors.has(other));
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("gives the blocks of a history that are not ordered, each once", () => {
    const { dag, walked } = randomGraph(20, () => 0.5);
    const tip = dag.at(20)[0] as DagNode;
    for (const node of dag.at(3)) node.ordered = true;
    const expected = [...(walked.get(tip) ?? [])].filter(({ round }) => round !== 3);
    expect(new Set(dag.unordered(tip.history))).toEqual(new Set(expected));
    expect(dag.unordered(tip.history)).toHaveLength(expected.length);
  });

  it("strips a block to what certificates need, which stays the same", () => {
    const { dag } = randomGraph(2, () => 1);
    const message = new Uint8Array(5_000).fill(7);
    const header = { ...(dag.at(2)[0] as DagNode).signed().header, round: 3 };
    const encoded = [message.subarray(0, 33), message.subarray(33, 40)];
    const node = dag.add(
      {
        id: "stripped",
        header,
        signature: message.subarray(100, 3_100),
        statements: [{ kind: "vote", body: { unit: "u" } }],
        encoded,
        evidence: [],
        units: [],
        unitDigests: ["u"],
        bytes: message,
      },
      dag.at(2),
      dag.historyOf(dag.at(2)),
    );
    expect(node.statements).toHaveLength(1);
    node.strip();
    node.strip();
    expect(node.signed()).toEqual({ header, encoded });
    expect([node.statements, node.units, node.evidence]).toEqual([[], [], []]);
    expect(node.bytes).toBeUndefined();
    expect(node.unitDigests).toEqual(["u"]);
    expect(node.signature).toEqual(new Uint8Array(3_000).fill(7));
    // Not a view: the message it came in can be collected.
    expect(node.signature?.buffer.byteLength).toBe(3_000);
  });

  it("forgets old rounds, and histories made later are smaller and still right", () => {
    const { dag } = randomGraph(100, () => 0.5);
    const before = dag.at(100)[0]?.history.words.length ?? 0;
    const gone = dag.prune(80);
    expect(gone).toHaveLength(79 * 4);
    expect(dag.size).toBe(21 * 4);
    expect(dag.get(gone[0]?.id ?? "")).toBeUndefined();
    const parents = dag.at(100).slice(0, 3);
    const node = add(dag, 101, 0, parents);
    expect(node.history.words.length).toBeLessThan(before);
    for (const kept of dag.at(90)) expect(inHistory(node.history, kept)).toBe(true);
    expect(parents.every((parent) => inHistory(node.history, parent))).toBe(true);
    expect(inHistory(node.history, dag.at(100)[3] as DagNode)).toBe(false);
    // Whole words are let go of: up to 31 places of forgotten blocks stay, and name nothing.
    for (const old of gone.slice(0, -31)) expect(inHistory(node.history, old)).toBe(false);
  });
});
