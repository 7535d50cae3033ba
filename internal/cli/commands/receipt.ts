import { argument, defineCommand, toggle } from "../command.ts";
import { EXIT } from "../errors.ts";
import { digest } from "../readers.ts";

/** How long `--wait` waits at a time, ms. */
const WAIT_MS = 30_000;

export const command = defineCommand({
  path: "receipt",
  brief: "Show what became of a transaction, proven as a light client does: certificate of its " +
    "Pulse, place under the receipts root. One that was signed here and left unfinished is " +
    "finished first.",
  args: { digest: argument(digest, "the transaction's digest, 64 hex digits") },
  flags: { wait: toggle("wait up to 30 s for it to be executed") },
  examples: [
    [
      "sion receipt 21e98fa52e2e93548f46961448250d1639b9d61a162335b0028e451264338f59",
      "did it pay?",
    ],
  ],
  json: "as sion_fetch_receipt returns it",
  node: true,
  exits: [EXIT.failed, EXIT.unknown, EXIT.no],
  async run({ client, output, json, signal }, { args, flags }) {
    const opened = await client();
    const receipt = await opened.receipt(args.digest, {
      signal,
      waitMs: flags.wait ? WAIT_MS : 0,
    });
    if (json) output.json(receipt);
    else output.line(`Pulse ${receipt.pulse}: ${receipt.receipt}`);
    return receipt.outcome === "success" ? EXIT.done : EXIT.failed;
  },
});
