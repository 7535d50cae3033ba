/** A new memory log, of the acting account or of the agent that acts with it. */
import type { ValueOf } from "#internal/core/mod.ts";
import { id, option, struct } from "#internal/core/mod.ts";
import { EMPTY_MEMORY_HEAD } from "#internal/memory/mod.ts";
import { actingAgent } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import type { MemoryLog } from "../objects/memory_log.ts";
import { memoryLogKind } from "../objects/memory_log.ts";
import type { View } from "../view.ts";

const codec = struct({
  /** Identity of the agent that the log will belong to; null for the acting account's own. */
  agent: option(id),
});

/** Body of `memory_open`. */
export type MemoryOpenBody = ValueOf<typeof codec>;

export const memoryOpen = defineTxKind({
  name: "memory_open",
  tag: 80,
  since: "1.0",
  // Without an agent it reads nothing and always succeeds.
  certificateFixes: ({ agent }) => agent === null ? "outcome" : "execution",
  body: codec,
  touches: ({ agent }) => agent === null ? {} : { shared: [agent] },
  // The log stays in the state for good.
  beyondFloor: () => 100n,
  intent: ({ agent }, say) =>
    agent === null ? "Open a memory log" : `Open a memory log of agent ${say.short(agent)}`,
  apply(view: View, { agent }: MemoryOpenBody) {
    if (agent !== null) actingAgent(view, agent);
    const log = view.create(
      memoryLogKind,
      {
        owner: view.actor,
        agent,
        ...EMPTY_MEMORY_HEAD,
        head: 0n,
        opened: view.pulse,
        committed: view.pulse,
        sealed: null,
      } satisfies MemoryLog,
    );
    view.emit("MemoryLogOpened", { agent, log, owner: view.actor });
  },
  tells: {
    MemoryLogOpened(fields, say) {
      const agent = fields.idIfAny("agent");
      const by = agent === undefined
        ? say.account(fields.id("owner"))
        : `agent ${say.short(agent)}`;
      return `memory log ${say.short(fields.id("log"))} opened by ${by}`;
    },
  },
  done: ({ made }, _body, say) => `memory log ${say.short(made[0] ?? "")} opened`,
});
