import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { path } from "../readers.ts";
import { readGiven } from "../standard_input.ts";
import { readProof, showRecalled } from "./_memory.ts";

/** A thousand atoms of the longest texts, as hex, with the nodes around them. */
const MAX_BYTES = 64 << 20;

export const command = defineCommand({
  path: "memory verify",
  brief:
    "Check what another machine recalled, by the ledger's root alone: the head is proven as a " +
    "light client does, and nobody's word is taken for what was recorded.",
  args: {
    answer: argument(path, "what `sion memory recall --proof` printed; - is standard input"),
  },
  flags: {},
  examples: [
    ["sion memory verify answer.json --chain $CHAIN", "of the chain you mean"],
  ],
  json: "as sion_memory_recall returns it",
  node: true,
  exits: [EXIT.no],
  async run(context, { args: { answer } }) {
    const wanted = "what `sion memory recall --proof` printed";
    const given = readProof(await readGiven(context, answer, MAX_BYTES, wanted));
    const client = await context.client();
    const value = await client.memory.verify(given, { signal: context.signal });
    if (context.json) context.output.json(value);
    else showRecalled(value, context.output);
  },
});
