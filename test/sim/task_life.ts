/**
 * Two tasks of a run: one that is handed in, attested, paid and perhaps found false; and a bounty that
 * nobody earns. Beside them what the ledger must not do: pay twice, pay another, give back too early.
 */
import { adjudicate, dispute, post, release } from "../ledger/_claims.ts";
import { attest, postTask, refund, resultOf, settle } from "../ledger/_tasks.ts";
import { accountOf, usd } from "../ledger/_world.ts";
import type { Send, Steps } from "./life.ts";

/** Who pays, who works, who verifies, who judges. */
const [PAYER, WORKER, CHECKER, ARBITER] = ["payer", "worker", "checker", "arbiter"] as const;

/** Accounts that only runs with tasks begin with: other runs stay what they were. */
export const TASK_WALLETS = [PAYER, WORKER, CHECKER, ARBITER];

const JUDGE = { account: accountOf(ARBITER), label: "judge" };
const RULE = { verifiers: [accountOf(CHECKER)], adjudicator: JUDGE };

/** The steps of both tasks; what is sent without waiting races with what follows. */
export function* taskLife(send: Send, isFalse: boolean): Steps {
  yield send(ARBITER, [post("judge", usd(60))]);
  yield send(CHECKER, [post("verifier", usd(30))]);
  yield send(WORKER, [post("task-worker", usd(3))]);
  const task = yield send(PAYER, [
    postTask({ worker: accountOf(WORKER), pulses: 10_000n }, RULE),
  ]);
  const bounty = yield send(PAYER, [postTask({ worker: null, pulses: 1n }, RULE)]);
  const attested = yield send(CHECKER, [attest(CHECKER, task, { adjudicator: JUDGE })]);
  const bare = yield send(WORKER, [resultOf(WORKER, task, [], {}, RULE)]);
  // The worker's bond alone is worth too little.
  yield send(WORKER, [settle(task, bare)], "forbidden");
  const result = yield send(WORKER, [resultOf(WORKER, task, [attested], {}, RULE)]);
  send(CHECKER, [settle(task, result, [attested])], "forbidden");
  send(PAYER, [refund(task)], "forbidden");
  yield send(WORKER, [settle(task, result, [attested])]);
  send(WORKER, [settle(task, result, [attested])], "forbidden");
  send(WORKER, [release("task-worker", usd(3))], "forbidden");
  send(CHECKER, [refund(bounty)], "forbidden");
  yield send(PAYER, [refund(bounty)]);
  send(PAYER, [refund(bounty)], "forbidden");
  yield send(PAYER, [refund(task)], "forbidden");
  if (!isFalse) return;
  yield send(PAYER, [dispute(result, "it does not run")]);
  yield send(ARBITER, [adjudicate(result, true)]);
  yield send(ARBITER, [adjudicate(attested, true)]);
}
