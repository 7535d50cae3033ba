/**
 * An agent of a run that spawns keyless ones, once with more money than there is; they pay together
 * under one signature, one of them spawns another, and all are stopped by one suspension.
 */
import type { Funded } from "../ledger/_agents.ts";
import { agentPay, charter, fund, placeOf, register, spawn, suspend } from "../ledger/_agents.ts";
import { accountOf, payTo, usd } from "../ledger/_world.ts";
import type { Send, Steps } from "./life.ts";
import { accountOfOwner } from "./owner.ts";

/** Makes the agent that spawns. */
const CHIEF = "chief";
/** That agent's wallet. */
const LEAD = "lead";

/** Accounts that only runs with spawned agents begin with. */
export const SPAWN_WALLETS = [CHIEF, LEAD];

/** The identity, charter and allotment at a place of what was made. */
function fundedAt(made: readonly string[], at: number): Funded {
  const [agent = "", id = "", allotment = ""] = made.slice(at, at + 3);
  return { agent, charter: id, allotment };
}

/** The steps of an agent and those that it spawns. */
export function* spawnLife(send: Send): Steps {
  const agent = yield send(CHIEF, [register(LEAD)], "certain");
  const given = yield send(CHIEF, [charter(agent, { maxPayment: usd(5) })], "certain");
  const allotment = yield send(CHIEF, [fund(given, usd(12))], "certain");
  const place = placeOf({ agent, charter: given, allotment });
  const named = (amount: number) =>
    ["fetch", "clean", "label"].map((name) => ({ name, amount: usd(amount) }));
  yield send(LEAD, [spawn(place, named(5))], "forbidden");
  const spawned = send(LEAD, [spawn(place, named(3))], "certain");
  yield spawned;
  const below = [0, 3, 6].map((at) => fundedAt(spawned.made, at));
  const owners = below.map(({ agent }) => `${LEAD}/${agent}`);
  yield send(LEAD, [payTo(...owners.map((by) => [accountOfOwner(by), usd(10)] as const))]);
  const pays = (amount: number) =>
    below.map((from) => agentPay(from, accountOf("bob"), usd(amount)));
  yield send(owners, pays(1), "certain");
  const [first = "", second = ""] = owners;
  // One for another, and more than the charter above allows.
  send(first, [agentPay(below[1] as Funded, accountOf("bob"), 1n)], "forbidden");
  send(second, [agentPay(below[1] as Funded, accountOf("bob"), usd(5) + 1n)], "forbidden");
  const deeper = send(first, [
    spawn(placeOf(below[0] as Funded), [{ name: "deeper", amount: usd(1) }]),
  ], "certain");
  yield deeper;
  yield send(CHIEF, [suspend(agent)], "certain");
  yield send(owners, pays(0.1), "forbidden");
  yield send(first, [spawn({ parent: below[0]?.agent ?? "" }, [{ name: "late" }])], "forbidden");
}
