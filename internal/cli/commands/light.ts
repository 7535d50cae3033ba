import { defineCommand, toggle } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";

export const command = defineCommand({
  path: "light",
  brief: "Follow the chain of an identity as a light client. Each new head has a certificate, " +
    "comes after the one trusted before, and its published data is sampled. What is trusted is " +
    "kept; a fork, and data that is withheld or wrongly encoded, end the command with exit code 6.",
  args: {},
  flags: { once: toggle("only to the node's newest certified Pulse, then end") },
  examples: [
    [
      "sion light --chain $CHAIN",
      "until Ctrl-C",
    ],
    [
      "sion light --once --chain $CHAIN",
      "for scripts: 0 it is the chain trusted before, 4 the node is behind, 6 it is not",
    ],
  ],
  json: "one object a head, with its Pulse, header and the stake that signed",
  node: true,
  endless: true,
  exits: [EXIT.unknown, EXIT.no],
  errorExits: { "other-chain": EXIT.no },
  async run({ client, clientOptions, output, json, signal }, { flags: { once } }) {
    if (clientOptions.chain === undefined) {
      throw usageError("sion light needs --chain <HEX>: `sion status` shows a node's");
    }
    const opened = await client();
    for await (const head of opened.followChain({ once, signal })) {
      if (json) {
        output.jsonLine(head);
        continue;
      }
      const { pulse, header, signed, stake, sampled_pulses } = head;
      output.line(
        `Pulse ${pulse} ${output.id(header)}: ${signed} of ${stake} stake signed, ` +
          `data of ${sampled_pulses} Pulses sampled`,
      );
    }
  },
});
