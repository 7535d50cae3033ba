import { MAX_CONFIDENCE } from "#internal/memory/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { integer, objectId, point, text, unixSeconds, walletName } from "../readers.ts";

export const command = defineCommand({
  path: "memory remember",
  brief:
    "Record a statement in a memory log here, without the ledger: what held, since when and, " +
    "for robots, where. `sion memory commit` tells the ledger.",
  args: {
    wallet: argument(walletName, "whose log it is"),
    log: argument(objectId, "the log's id, or the first digits"),
    subject: argument(text("SUBJECT"), "what the statement is about"),
    predicate: argument(text("PREDICATE"), "what it says of it"),
    value: argument(text("VALUE"), "true or false, an integer, @name for an entity, or text"),
  },
  flags: {
    kind: value(
      text("KIND"),
      "observation, coverage, world-state, semantic, … or a word of yours",
      {
        default: "observation",
      },
    ),
    confidence: value(integer(0, MAX_CONFIDENCE, "PERMILLE"), "how sure, in thousandths", {
      default: "1000",
    }),
    from: value(unixSeconds, "when it began to hold, seconds since the Unix epoch", {
      default: "now",
    }),
    seconds: value(integer(1, Number.MAX_SAFE_INTEGER), "for how long it held", {
      default: "without end",
    }),
    frame: value(text("FRAME"), "the frame that its place is in"),
    at: value(point, "its place in millimetres; --at=-5,0,0 for one below 0"),
    size: value(point, "half the size of its box in millimetres", { default: "a point" }),
  },
  examples: [
    [
      "sion memory remember robot-7 5bc688d4 pallet-17 at @aisle-4 --frame warehouse-3 " +
      "--at 41000,11000,500 --size 600,400,500",
      "a pallet was seen there",
    ],
    ["sion memory remember robot-7 5bc688d4 dock-door-2 open true --kind world-state", "no place"],
  ],
  json: "as sion_memory_remember returns it",
  node: true,
  async run({ client, output, json, signal }, { args, flags }) {
    const { confidence, from, ...more } = flags;
    const opened = await client();
    const remembered = await opened.memory.remember({
      ...args,
      ...more,
      confidence_permille: confidence,
      from_s: from,
      signal,
    });
    if (json) return output.json(remembered);
    const { id, log, seq, uncommitted } = remembered;
    output.line(`atom ${seq} of memory log ${output.id(log)}: ${id}, ${uncommitted} not committed`);
  },
});
