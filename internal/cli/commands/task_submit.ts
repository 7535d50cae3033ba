import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, list } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { outputFlags, outputOf } from "./_tasks.ts";

export const command = defineCommand({
  path: "task submit",
  brief: "Hand a result in: a claim that rests on exactly what the task requires, your bond " +
    "task-worker included.",
  args: {
    wallet: argument(walletName, "the worker"),
    task: argument(objectId, "the task's id"),
  },
  flags: {
    ...outputFlags,
    attestation: list(objectId, "a verifier's attestation that it rests on, in order"),
  },
  examples: [
    ["sion task submit bob 5bc688d4 --output-file primes.txt", "on bob's bond alone"],
    ["sion task submit bob 5bc688d4 --output 17 --attestation 8386175a", "on a verifier's too"],
  ],
  json: "{claim, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const bytes = await outputOf(context, flags);
    const client = await context.client();
    const outcome = await client.tasks.submit({
      wallet: args.wallet,
      task: args.task,
      output: bytes,
      attestations: flags.attestation,
      ...telling(context),
    });
    const { claim } = outcome;
    if (json) output.json(outcomeValue(outcome, { claim }));
    else if (claim !== undefined) {
      output.line(`result ${claim}`);
      output.hint([
        `sion task settle ${args.wallet} ${args.task} ${shortId(claim)} asks for the payment`,
      ]);
    }
    return exitOf(outcome);
  },
});
