import { argument, defineCommand, list } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "task settle",
  brief:
    "Be paid for a result, once, if it passes the task's rule. A part of what backs it is then " +
    "held for the poster.",
  args: {
    wallet: argument(walletName, "the worker, who handed the result in"),
    task: argument(objectId, "the task's id"),
    result: argument(objectId, "the result's claim"),
  },
  flags: {
    attestation: list(objectId, "an attestation, in order; without any, those the result lists"),
  },
  examples: [["sion task settle bob 5bc688d4 e825c122", "the escrow goes to bob"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const client = await context.client();
    const outcome = await client.tasks.settle({
      ...args,
      attestations: flags.attestation.length === 0 ? undefined : flags.attestation,
      ...telling(context),
    });
    return finished(context, outcome);
  },
});
