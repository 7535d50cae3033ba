/** An agent of a run: made, given a charter and money, pays, tries to pay too much, loses its money. */
import { agentPay, charter, fund, reclaim, register, resume, suspend } from "../ledger/_agents.ts";
import { accountOf, usd } from "../ledger/_world.ts";
import type { Send, Steps } from "./life.ts";

/** Who makes the agent. */
export const PRINCIPAL = "principal";
/** The agent's own wallet. */
export const ROBOT = "robot";

/** The steps of an agent; the last are payments among its principal's changes of mind. */
export function* agentLife(send: Send): Steps {
  const agent = yield send(PRINCIPAL, [register(ROBOT)]);
  const given = yield send(PRINCIPAL, [charter(agent, { maxPayment: usd(5) })]);
  const allotment = yield send(PRINCIPAL, [fund(given, usd(10))]);
  const ids = { agent, charter: given, allotment };
  const pay = (amount: number) => agentPay(ids, accountOf("bob"), usd(amount));
  send(ROBOT, [pay(1)]);
  send(ROBOT, [pay(6)], "forbidden");
  send(PRINCIPAL, [suspend(agent)]);
  send(ROBOT, [pay(2)]);
  send(PRINCIPAL, [resume(agent)]);
  yield send(PRINCIPAL, [reclaim(allotment)]);
}
