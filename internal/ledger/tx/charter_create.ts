/**
 * A charter for an agent, given by whoever stands above it. A person's is under no other; an agent's
 * is under one of its own, whose caveats bind every payment below.
 */
import { id, option, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { caveatsCodec, caveatsFault, caveatsText } from "../caveats.ts";
import type { Known } from "../delegation.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import type { Identity } from "../objects/identity.ts";
import type { View } from "../view.ts";
import { checkCharterAbove, checkExpiry, makeCharter } from "./_new_agents.ts";

const codec = struct({
  agent: id,
  /** The giver's own charter; null when a person gives it. */
  parent: option(id),
  caveats: caveatsCodec,
});

/** Body of `charter_create`. */
export type CharterCreateBody = ValueOf<typeof codec>;

function checkParent(
  view: View,
  line: readonly Known<Identity>[],
  level: number,
  parent: string | null,
): void {
  if (level === 0) {
    view.require(parent === null, "invalid transaction", "a person's charter is under no other");
    return;
  }
  view.require(parent !== null, "invalid transaction", "an agent's charter must be under its own");
  const giver = line.find(({ value }) => value.depth === level);
  checkCharterAbove(view, parent, giver?.id);
}

export const charterCreate = defineTxKind({
  name: "charter_create",
  tag: 24,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ caveats }: CharterCreateBody) => caveatsFault(caveats),
  touches: ({ agent, parent }) => ({ shared: parent === null ? [agent] : [agent, parent] }),
  intent: ({ agent, caveats }, say) =>
    `Give agent ${say.short(agent)} a charter to pay ${caveatsText(caveats, say)}`,
  apply(view: View, { agent, parent, caveats }) {
    const line = lineOf(view, agent);
    const level = levelAbove(view, line, "give it a charter");
    const revoked = line.some(({ value }) => value.revoked !== null);
    view.require(!revoked, "invalid transaction", "the agent is revoked");
    checkParent(view, line, level, parent);
    checkExpiry(view, caveats);
    makeCharter(view, { agent, parent, caveats });
  },
  tells: {
    CharterCreated: (fields, say) =>
      `charter ${say.short(fields.id("charter"))} given to agent ` +
      `${say.short(fields.id("agent"))} by ${say.account(fields.id("giver"))}`,
  },
  done: ({ made }, { agent }, say) =>
    `charter ${say.short(made[0] ?? "")} given to agent ${say.short(agent)}`,
});
