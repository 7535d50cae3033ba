import type { Client, Submitted } from "#internal/client/mod.ts";
import { argument, defineCommand, toggle } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../errors.ts";
import { text } from "../readers.ts";
import { givenText } from "../standard_input.ts";

/** The hex of the units of the longest list of payments, and room for white space. */
const MAX_HEX_BYTES = 16_777_216;

export const command = defineCommand({
  path: "submit",
  brief: "Send a transaction that was signed elsewhere. Says what it asks for before it is sent.",
  args: {
    hex: argument(
      text("HEX"),
      "what `sion pay --offline` printed; - reads standard input, a transaction a line, sent in order",
    ),
  },
  flags: { noWait: toggle("do not wait for the receipt") },
  examples: [
    ["sion pay alice bob 1 --offline | sion submit -", "sign here, send there"],
    ["sion submit - --no-wait < signed.hex", "send and go"],
  ],
  json: "as sion_submit_intent returns it; of several an object a line",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    context.onInterrupt("nothing was sent");
    const given = args.hex === "-"
      ? givenText(await context.readStdin(MAX_HEX_BYTES), "standard input", "hex digits")
      : args.hex;
    const lines = given.trim().split("\n");
    const several = lines.length > 1;
    const client = await context.client();
    let code: number = EXIT.done;
    for (const [at, line] of lines.entries()) {
      if (several && line.trim() === "") continue;
      const sending = submitOne(context, client, line.trim(), !flags.noWait);
      const submitted = await sending.catch(async (error: unknown) => {
        const { atPlace } = await import("#internal/client/mod.ts");
        throw several ? atPlace(error, `line ${at + 1}`) : error;
      });
      if (tellSubmitted(context, submitted, several) !== EXIT.done) code = EXIT.failed;
    }
    return code;
  },
});

async function submitOne(
  context: CommandContext,
  client: Client,
  tx: string,
  wait: boolean,
): Promise<Submitted> {
  const { output, json, signal } = context;
  return await client.submitHex(tx, {
    wait,
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
}

function tellSubmitted(
  { output, json }: CommandContext,
  submitted: Submitted,
  several: boolean,
): number {
  const { digest, pulse, receipt, status } = submitted;
  if (json && several) output.jsonLine(submitted);
  else if (json) output.json(submitted);
  else if (receipt === undefined) output.line(`sent: transaction ${digest}`);
  else output.line(`Pulse ${pulse}: ${receipt}`);
  return status === undefined || status === "Success" ? EXIT.done : EXIT.failed;
}
