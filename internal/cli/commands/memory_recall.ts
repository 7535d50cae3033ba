import { argument, defineCommand, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { objectId, point, text, unixSeconds } from "../readers.ts";
import { proofValue, showRecalled } from "./_memory.ts";

export const command = defineCommand({
  path: "memory recall",
  brief: "Show everything that a memory log of this machine had recorded in a box during an " +
    "interval, as of the ledger's head, checked to be complete. With --chain the head is proven too.",
  args: {
    log: argument(objectId, "the log's id, or the first digits"),
    frame: argument(text("FRAME"), "the frame that the box is in"),
  },
  flags: {
    min: value(point, "the lower corner in millimetres; --min=-5,0,0 for one below 0"),
    max: value(point, "the upper corner, which is not in the box"),
    from: value(unixSeconds, "when the interval begins, seconds since the Unix epoch"),
    until: value(unixSeconds, "when it ends; the end is not in it"),
    proof: toggle("print the question with its proof instead, for `sion memory verify` elsewhere"),
  },
  examples: [
    [
      "sion memory recall 5bc688d4 warehouse-3 --min 40000,10000,0 --max 42000,12000,3000 " +
      "--from 1790812800 --until 1790812860",
      "what was there in that minute",
    ],
  ],
  json: "as sion_memory_recall returns it; with --proof what memory verify takes",
  node: true,
  exits: [EXIT.no],
  async run({ client, output, json, signal }, { args: { log, frame }, flags }) {
    const { min, max, from: from_s, until: until_s } = flags;
    if (min === undefined || max === undefined || from_s === undefined || until_s === undefined) {
      throw usageError("sion memory recall needs --min, --max, --from and --until: give all four");
    }
    const opened = await client();
    const asked = { frame, min, max, from_s, until_s };
    const recalled = await opened.memory.recall({ ...asked, log }, { signal });
    if (flags.proof) output.json(proofValue(asked, recalled));
    else if (json) output.json(recalled.value);
    else showRecalled(recalled.value, output);
  },
});
