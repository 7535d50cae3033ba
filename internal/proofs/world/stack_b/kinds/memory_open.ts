/** `memory_open`: begins a memory log of an account, or of an agent. */
import { id, option, struct } from "#internal/core/mod.ts";
import { defineKind } from "../kind.ts";
import { EMPTY_ROOT } from "../memory.ts";
import { checkActs, lineOf } from "../standing.ts";

/** docs/protocol/memory.md, memory_open. */
export const memoryOpen = defineKind({
  name: "memory_open",
  tag: 80,
  codec: struct({ agent: option(id) }),
  fixes: ({ agent }) => agent === null ? "outcome" : "execution",
  beyond: () => 100n,
  apply(context, { agent }) {
    if (agent !== null) checkActs(context, lineOf(context, agent));
    const owner = context.account;
    const log = context.make("memory_log", () => ({
      owner,
      agent,
      size: 0n,
      root: EMPTY_ROOT,
      head: 0n,
      opened: context.pulse,
      committed: context.pulse,
      sealed: null,
    }));
    return { MemoryLogOpened: { agent, log, owner } };
  },
});
