import { utf8Text } from "#internal/core/mod.ts";
import { argument, defineCommand, toggle } from "../command.ts";
import { EXIT } from "../errors.ts";
import { text } from "../readers.ts";

/** The hex of the largest transaction, and room for white space. */
const MAX_HEX_BYTES = 2_621_440;

export const command = defineCommand({
  path: "submit",
  brief: "Send a transaction that was signed elsewhere. Says what it asks for before it is sent.",
  args: {
    hex: argument(text("HEX"), "what `sion pay --offline` printed; - reads it from standard input"),
  },
  flags: { noWait: toggle("do not wait for the receipt") },
  examples: [
    ["sion pay alice bob 1 --offline | sion submit -", "sign here, send there"],
    ["sion submit - --no-wait < signed.hex", "send and go"],
  ],
  json: "as sion_submit_intent returns it",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json, signal } = context;
    context.onInterrupt("nothing was sent");
    const tx = args.hex === "-" ? utf8Text(await context.readStdin(MAX_HEX_BYTES)) : args.hex;
    const client = await context.client();
    const submitted = await client.submitHex(tx.trim(), {
      wait: !flags.noWait,
      signal,
      onIntent(intent, digest) {
        context.began(
          `transaction ${digest} was sent: ask \`sion receipt ${digest}\`, do not pay again`,
        );
        if (!json) output.line(`asks: ${intent}`);
        context.onInterrupt(
          `it was sent and may still execute: ask \`sion receipt ${digest}\`, do not pay again`,
        );
      },
    });
    const { digest, pulse, receipt, status } = submitted;
    if (json) output.json(submitted);
    else if (receipt === undefined) output.line(`sent: transaction ${digest}`);
    else output.line(`Pulse ${pulse}: ${receipt}`);
    return status === undefined || status === "Success" ? EXIT.done : EXIT.failed;
  },
});
