import { describe, expect, it } from "vitest";
import type { AgentNode, AgentObjects } from "../../internal/explore/agent_tree.ts";
import { agentTrees } from "../../internal/explore/agent_tree.ts";

type Members = Record<string, string | number | null>;

const told = (id: string, object: Members) => ({ id, object });
const agent = (id: string, parent: string | null, own_standing = "good", principal = "alice") =>
  told(id, { name: id, parent, own_standing, principal });

function treesOf(objects: Partial<AgentObjects>) {
  return agentTrees({ identities: [], charters: [], allotments: [], ...objects });
}

/** A tree as nested lists of ids with their standing. */
function outline(nodes: readonly AgentNode[] = []): unknown {
  return nodes.map(({ agent, standing, isOwn, below }) => [
    `${agent.id} ${standing}${isOwn ? "" : " above"}`,
    outline(below),
  ]);
}

describe("agentTrees()", () => {
  it("agentTrees() puts each agent below the one above it, and what stops one stops all below [L-618 L-620 L-621]", () => {
    const trees = treesOf({
      identities: [
        agent("lead", null),
        agent("fetch", "lead", "suspended"),
        agent("page", "fetch"),
        agent("gone", "fetch", "revoked"),
        agent("other", null, "good", "bob"),
      ],
    });
    expect([...trees.keys()]).toEqual(["alice", "bob"]);
    expect(outline(trees.get("alice"))).toEqual([
      ["lead good", [
        ["fetch suspended", [["page suspended above", []], ["gone revoked", []]]],
      ]],
    ]);
  });

  it("agentTrees() counts what is left, spent and passed on of all allotments of an agent [L-618 L-627]", () => {
    const trees = treesOf({
      identities: [agent("lead", null), agent("fetch", "lead"), agent("page", "fetch")],
      charters: [
        told("c1", { agent: "lead" }),
        told("c2", { agent: "fetch" }),
        told("c3", { agent: "page" }),
      ],
      allotments: [
        told("a1", { charter: "c1", source: null, balance: 40, spent: 10 }),
        told("a2", { charter: "c1", source: null, balance: 1, spent: 0 }),
        told("a3", { charter: "c2", source: "a1", balance: 20, spent: 5 }),
        told("a4", { charter: "c3", source: "a3", balance: 7, spent: 3 }),
        told("a5", { charter: "nowhere", source: null, balance: 9, spent: 9 }),
      ],
    });
    const [lead] = trees.get("alice") ?? [];
    expect(lead?.budget).toEqual({ left: 41n, spent: 10n, passedOn: 35n });
    expect(lead?.below[0]?.budget).toEqual({ left: 20n, spent: 5n, passedOn: 10n });
    expect(lead?.below[0]?.below[0]?.budget).toEqual({ left: 7n, spent: 3n, passedOn: 0n });
  });

  it("agentTrees() ends whatever a node tells: circles, and agents below unknown ones", () => {
    const trees = treesOf({
      identities: [
        agent("a", "b"),
        agent("b", "a"),
        agent("orphan", "elsewhere"),
        agent("self", "self"),
      ],
      charters: [told("c", { agent: "orphan" })],
      allotments: [
        told("x", { charter: "c", source: "y", balance: 1, spent: 0 }),
        told("y", { charter: "c", source: "x", balance: 1, spent: 0 }),
      ],
    });
    expect(outline(trees.get("alice"))).toEqual([["orphan good", []]]);
  });
});
