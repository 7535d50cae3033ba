import {
  DEFAULT_KAPPA,
  DEFAULT_RELIANCE_PULSES,
  DEFAULT_TASK_DETECTION,
  DEFAULT_TASK_PULSES,
  formatFactor,
  FULL_DETECTION,
  shortId,
} from "#internal/core/mod.ts";
import { argument, defineCommand, list, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import {
  account,
  integer,
  objectId,
  path,
  span,
  spanNote,
  text,
  usd,
  walletName,
} from "../readers.ts";
import { factor } from "./_claims.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { adjudicator, bytesOf } from "./_tasks.ts";

export const command = defineCommand({
  path: "task post",
  brief:
    "Put money in escrow for work. What results it is paid for is fixed now; what nobody earned " +
    "by the deadline can be taken back.",
  args: { wallet: argument(walletName, "who pays; with --charter, the agent's wallet") },
  flags: {
    amount: neededValue(usd, "what is paid for a result, whole", "say how much, in USD"),
    worker: value(account, "who alone can be paid; without it anyone can: a bounty"),
    spec: value(text("TEXT"), "what is to be done; its bytes are committed"),
    specFile: value(path, "the same from a file; - is standard input"),
    deadline: value(span, "how long it can be settled: Pulses, or a time like 30d", {
      default: `${DEFAULT_TASK_PULSES} Pulses`,
    }),
    requires: list(objectId, "a claim that every result has to rest on"),
    verifier: list(account, "whose attestations count beside the worker's bond"),
    adjudicator: value(adjudicator, "who may find a result false; without it nobody can"),
    kappa: value(factor, "how many times the payment has to back a result", {
      default: formatFactor(DEFAULT_KAPPA),
    }),
    detection: value(
      integer(1, FULL_DETECTION),
      `of ${FULL_DETECTION} false results, how many a result may claim at most would be noticed`,
      { default: `${DEFAULT_TASK_DETECTION}` },
    ),
    reliance: value(span, "how long the backing of a paid result stays reserved", {
      default: `${DEFAULT_RELIANCE_PULSES} Pulses`,
    }),
    charter: value(objectId, "the agent's charter to pay under, with --allotment"),
    allotment: value(objectId, "the agent's allotment to pay from, with --charter"),
  },
  examples: [
    [
      "sion task post alice --amount 5 --worker bob --adjudicator carol:judge --spec-file task.md",
      "5 USD for bob, who stakes 10",
    ],
    ["sion task post alice --amount 5 --verifier dana --kappa 1", "a bounty that dana can attest"],
    [
      "sion task post coder --amount 5 --worker bob --charter e2737343 --allotment 755f14ba",
      "from an agent's budget",
    ],
  ],
  json: "{digest, events, fee, pulse, receipt, status, task}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const { deadline, reliance } = flags;
    if (deadline !== undefined) spanNote("--deadline", deadline).forEach(output.note);
    if (reliance !== undefined) spanNote("--reliance", reliance).forEach(output.note);
    const spec = await bytesOf(context, "spec", flags.spec, flags.specFile);
    const client = await context.client();
    const outcome = await client.tasks.post({
      wallet: args.wallet,
      amount: flags.amount,
      worker: flags.worker,
      spec,
      requires: flags.requires,
      verifiers: flags.verifier,
      adjudicator: flags.adjudicator,
      kappa: flags.kappa,
      detection: flags.detection,
      reliancePulses: reliance?.pulses,
      deadlinePulses: deadline?.pulses,
      charter: flags.charter,
      allotment: flags.allotment,
      ...telling(context),
    });
    const { task } = outcome;
    if (json) output.json(outcomeValue(outcome, { task }));
    else if (task !== undefined) {
      const id = shortId(task);
      output.line(`task ${task}`);
      output.hint([
        flags.worker === undefined
          ? `sion task show ${id} shows what a result needs`
          : `sion task submit ${flags.worker} ${id} --output TEXT hands a result in`,
      ]);
    }
    return exitOf(outcome);
  },
});
