/** `memory_commit`: moves a memory log's head to a later one, or seals it. */
import { bool, id, list, option, struct } from "#internal/core/mod.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { growthLength, headCodec, nodeCodec, showsGrowth } from "../memory.ts";
import { checkActs, lineOf } from "../standing.ts";

/** Atoms that a log has at most. */
const MAX_ATOMS = 2n ** 40n;

/** docs/protocol/memory.md, memory_commit. */
export const memoryCommit = defineKind({
  name: "memory_commit",
  tag: 81,
  codec: struct({
    log: id,
    agent: option(id),
    from: headCodec,
    to: headCodec,
    proof: list(nodeCodec, 41),
    seal: bool,
  }),
  fixes: ({ agent }) => agent === null ? "outcome" : "execution",
  fault({ from, to, proof, seal }) {
    const same = from.size === to.size && from.root === to.root;
    if (to.size <= from.size && !(seal && same)) return "a memory log does not grow";
    if (to.size > MAX_ATOMS) return "a memory log has too many atoms";
    const length = growthLength(from.size, to.size);
    return proof.length === length ? null : "a proof of growth is too short or too long";
  },
  apply(context, { log, agent, from, to, proof, seal }) {
    if (agent !== null) checkActs(context, lineOf(context, agent));
    const known = context.find("memory_log", log);
    if (known === null || known.owner !== context.account || known.agent !== agent) {
      const who = agent === null ? "the account" : `agent ${short(agent)}`;
      return invalid(`${who} has no memory log ${short(log)}`);
    }
    if (known.sealed !== null) invalid("the memory log is sealed");
    if (known.size !== from.size || known.root !== from.root) {
      invalid("the memory log has another head");
    }
    if (!showsGrowth(from, to, proof)) {
      invalid("the proof does not show that the memory log grew");
    }
    const { size, root } = to;
    const head = known.head + 1n;
    const moved = { size, root, head, committed: context.pulse };
    context.put("memory_log", log, { ...known, ...moved, sealed: seal ? context.pulse : null });
    const added = size - from.size;
    return { MemoryLogCommitted: { added, head, log, root, sealed: seal, size } };
  },
});
