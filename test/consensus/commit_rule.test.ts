/** The commit rule on graphs made by hand. */
import { describe, expect, it } from "vitest";
import { committeeOf } from "#internal/proofs/mod.ts";
import type { CommitView, Decision } from "../../internal/consensus/commit_rule.ts";
import { decideDirectly, decideSlot } from "../../internal/consensus/commit_rule.ts";

interface Made {
  readonly name: string;
  readonly round: number;
  readonly author: number;
  readonly links: (Made | undefined)[];
  readonly ancestors: Set<Made>;
}

/** Blocks by name, as `a1`: author a of round 1; `a1x` is another block of the same place. */
class Graph implements CommitView<Made> {
  readonly committee = committeeOf(
    [0, 1, 2, 3].map((i) => ({ publicKey: Uint8Array.of(i), stake: 1n })),
  );
  readonly blocks: Made[] = [];
  leaders: (round: number) => number = () => 0;

  get top(): number {
    return Math.max(0, ...this.blocks.map(({ round }) => round));
  }
  at(round: number): Made[] {
    return this.blocks.filter((block) => block.round === round);
  }
  leader(round: number): number {
    return this.leaders(round);
  }
  descends(of: Made, block: Made): boolean {
    return of === block || of.ancestors.has(block);
  }
  get(name: string): Made {
    const found = this.blocks.find((block) => block.name === name);
    if (found === undefined) throw new Error(`no block ${name}`);
    return found;
  }
  /** Adds `name` with the parents named, apart by spaces. */
  add(name: string, parents = ""): void {
    const round = Number(name.slice(1, name.length > 2 && name.endsWith("x") ? -1 : undefined));
    const links: (Made | undefined)[] = [undefined, undefined, undefined, undefined];
    const ancestors = new Set<Made>();
    for (const parent of parents.split(" ").filter((p) => p !== "").map((p) => this.get(p))) {
      if (parent.round === round - 1) links[parent.author] = parent;
      ancestors.add(parent);
      for (const block of parent.ancestors) ancestors.add(block);
    }
    this.blocks.push({ name, round, author: name.charCodeAt(0) - 97, links, ancestors });
  }
  /** A round in which each author has all blocks of the round before, less those left out. */
  full(round: number, authors = "abcd", without = ""): void {
    const parents = this.at(round - 1).map(({ name }) => name)
      .filter((name) => !without.split(" ").includes(name));
    for (const author of authors) this.add(`${author}${round}`, parents.join(" "));
  }
}

const slot = (graph: Graph, round: number): string => {
  const decision: Decision<Made> = decideSlot(graph, round, new Map());
  return decision.type === "commit" ? decision.block.name : decision.type;
};

describe("decideSlot()", () => {
  it("commits a leader that a quorum of the second round after certifies [L-595]", () => {
    const graph = new Graph();
    for (let round = 1; round <= 3; round++) graph.full(round);
    expect(slot(graph, 1)).toBe("a1");
  });

  it("waits while no quorum certifies and no quorum blames", () => {
    const graph = new Graph();
    graph.full(1);
    graph.full(2);
    graph.full(3, "ab");
    expect(slot(graph, 1)).toBe("undecided");
  });

  it("skips a slot that a quorum of the next round has no parent in", () => {
    const graph = new Graph();
    graph.full(1, "bcd");
    graph.full(2, "bcd");
    expect(slot(graph, 1)).toBe("skip");
  });

  it("does not commit on support of fewer than a quorum", () => {
    const graph = new Graph();
    graph.full(1);
    graph.add("a2", "a1 b1 c1 d1");
    graph.add("b2", "a1 b1 c1");
    graph.add("c2", "b1 c1 d1");
    graph.add("d2", "b1 c1 d1");
    graph.full(3);
    expect(decideDirectly(graph, 1).type).toBe("undecided");
  });

  it("commits indirectly when a certifying block is in the deciding anchor's history", () => {
    const graph = new Graph();
    graph.full(1);
    graph.full(2);
    // Only b and c certify a1; the anchor of round 4 has them both.
    graph.add("b3", "a2 b2 c2 d2");
    graph.add("c3", "a2 b2 c2 d2");
    graph.leaders = (round) => (round === 4 ? 1 : 0);
    graph.add("d3", "d2");
    graph.add("b4", "b3 c3 d3");
    graph.add("c4", "b3 c3 d3");
    graph.add("d4", "b3 c3 d3");
    for (let round = 5; round <= 7; round++) graph.full(round, "bcd");
    expect(decideDirectly(graph, 1).type).toBe("undecided");
    expect(slot(graph, 1)).toBe("a1");
  });

  it("skips indirectly when no certifying block is in the deciding anchor's history", () => {
    const graph = new Graph();
    graph.full(1);
    graph.add("a2", "a1 b1 c1");
    graph.add("b2", "a1 b1 c1");
    graph.add("c2", "b1 c1 d1");
    graph.add("d2", "b1 c1 d1");
    for (let round = 3; round <= 7; round++) graph.full(round);
    expect(decideDirectly(graph, 1).type).toBe("undecided");
    expect(slot(graph, 1)).toBe("skip");
    expect(slot(graph, 2)).toBe("a2");
  });

  it("is decided by the first later slot that is not skipped, however far", () => {
    const graph = new Graph();
    graph.leaders = (round) => (round === 4 || round === 5 ? 3 : 0);
    graph.full(1);
    graph.add("a2", "a1 b1 c1");
    graph.add("b2", "a1 b1 c1");
    graph.add("c2", "b1 c1 d1");
    graph.add("d2", "b1 c1 d1");
    graph.full(3, "abc");
    for (let round = 4; round <= 6; round++) graph.full(round, "abc");
    expect(slot(graph, 4)).toBe("skip");
    expect(slot(graph, 1)).toBe("undecided");
    graph.full(7, "abc");
    graph.full(8, "abc");
    expect(slot(graph, 6)).toBe("a6");
    expect(slot(graph, 1)).toBe("skip");
  });

  it("commits at most one block of an equivocating leader", () => {
    const graph = new Graph();
    graph.full(1);
    graph.add("a1x");
    graph.add("a2", "a1 b1 c1");
    graph.add("b2", "a1 b1 c1");
    graph.add("c2", "a1 b1 c1");
    graph.add("d2", "a1x b1 d1");
    for (let round = 3; round <= 6; round++) graph.full(round);
    expect(slot(graph, 1)).toBe("a1");
  });
});
