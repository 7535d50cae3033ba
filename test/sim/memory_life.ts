/**
 * Two memory logs of a run, an account's own and an agent's: opened, grown along proofs, sealed,
 * frozen while the agent is suspended, and told lies about that the ledger must not believe.
 */
import { register, resume, suspend } from "../ledger/_agents.ts";
import { commit, growing, openLog, SOME_ATOMS } from "../ledger/_memory.ts";
import { atomOf } from "../memory/_atoms.ts";
import type { Send, Steps } from "./life.ts";

/** Owns the log of its own. */
const KEEPER = "keeper";
/** Makes the agent that has the other log. */
const PATRON = "patron";
/** The agent's wallet. */
const ROVER = "rover";

/** Accounts that only runs with memory logs begin with: other runs stay what they were. */
export const MEMORY_WALLETS = [KEEPER, PATRON, ROVER];

/** What the owner of a log means it to hold: heads are compared with those of these atoms. */
export const LOG_ATOMS: readonly (typeof SOME_ATOMS)[number][] = SOME_ATOMS;
/** As if the oldest atom had been another. */
const REWRITTEN = [atomOf({ subject: "somebody-else", at: [1n, 2n, 3n] }), ...SOME_ATOMS.slice(1)];

/** The steps of the account's own log. */
export function* ownLogLife(send: Send): Steps {
  const log = yield send(KEEPER, [openLog()], "certain");
  const grow = growing(log, LOG_ATOMS);
  yield send(KEEPER, [commit(grow(0, 3))], "certain");
  const honest = grow(3, 6);
  send(KEEPER, [commit(grow(0, 5))], "forbidden");
  // To a head of a log that began otherwise; with a place taken from what a subtree of the proof holds.
  const { to } = growing(log, REWRITTEN)(3, 6);
  send(KEEPER, [commit({ ...honest, to })], "forbidden");
  const proof = honest.proof.map((node, at) => at === 0 ? { ...node, bounds: [] } : node);
  send(KEEPER, [commit({ ...honest, proof })], "forbidden");
  send(ROVER, [commit(honest)], "forbidden");
  // Two in one unit, the second from where the first ends; sealed by it.
  yield send(KEEPER, [commit(honest), commit(grow(6, 8, true))], "certain");
  yield send(KEEPER, [commit(grow(8, 9))], "forbidden");
}

/** The steps of the agent's log. */
export function* agentLogLife(send: Send): Steps {
  const agent = yield send(PATRON, [register(ROVER)], "certain");
  const log = yield send(ROVER, [openLog(agent)], "certain");
  const grow = growing(log, LOG_ATOMS, agent);
  yield send(ROVER, [commit(grow(0, 4))], "certain");
  yield send(PATRON, [suspend(agent)], "certain");
  yield send(ROVER, [commit(grow(4, 7))], "forbidden");
  yield send(PATRON, [resume(agent)], "certain");
  yield send(ROVER, [commit(grow(4, 7))], "certain");
}
