import { shortId } from "#internal/core/mod.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  path: "stake pools",
  brief: "List validators, one a line: own stake, what is delegated to them and how much of it " +
    "earns, commission, weight. An epoch's end makes earn what was delegated in it.",
  args: {},
  flags: {},
  examples: [["sion stake pools", "whom to delegate to"]],
  json: "{epoch, epoch_end, pools}",
  node: true,
  async run({ client, output, json, signal }) {
    const { stake } = await client();
    const { epoch, epochEnd, pools, lines } = await stake.pools({ signal });
    if (json) return output.json({ epoch, epoch_end: epochEnd, pools: [...pools] });
    for (const line of lines) output.line(line);
    for (const { validator, session } of await stake.accused({ signal })) {
      output.note(
        `validator ${
          shortId(validator)
        } signed things in session ${session} that contradict each ` +
          "other: `sion stake report` with a wallet has it slashed",
      );
    }
    if (epochEnd === null) {
      output.note(
        "epochs never end here, so nothing delegated ever earns: `sion devnet " +
          "--epoch-pulses` starts a chain on which they do",
      );
    }
  },
});
