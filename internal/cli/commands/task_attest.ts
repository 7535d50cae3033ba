import { VERIFIER_BOND_LABEL } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, objectId, walletName } from "../readers.ts";
import { label } from "./_claims.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { outputFlags, outputOf } from "./_tasks.ts";

export const command = defineCommand({
  path: "task attest",
  brief:
    "Attest, as a verifier that the task names, that an output passes: a claim that rests on " +
    "your bond.",
  args: {
    wallet: argument(walletName, "the verifier"),
    task: argument(objectId, "the task's id"),
  },
  flags: {
    ...outputFlags,
    bond: value(label, "your bond that it rests on", { default: VERIFIER_BOND_LABEL }),
    worker: value(account, "whose result alone may rest on it; of a bounty, else anyone's"),
  },
  examples: [
    ["sion task attest dana 5bc688d4 --output-file primes.txt", "dana's word for this file"],
    ["sion task attest dana 5bc688d4 --output 17 --worker bob", "of a bounty, for bob alone"],
  ],
  json: "{claim, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const bytes = await outputOf(context, flags);
    const client = await context.client();
    const outcome = await client.tasks.attest({
      wallet: args.wallet,
      task: args.task,
      output: bytes,
      bondLabel: flags.bond,
      worker: flags.worker,
      ...telling(context),
    });
    const { claim } = outcome;
    if (context.json) context.output.json(outcomeValue(outcome, { claim }));
    else if (claim !== undefined) context.output.line(`attestation ${claim}`);
    return exitOf(outcome);
  },
});
