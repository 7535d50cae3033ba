import type { Topic } from "./_topic.ts";

/** `sion help output`. */
export const output: Topic = {
  name: "output",
  text: () =>
    `The answer is on standard output, all that is about it on standard error.
  What signs says first what it signs, then how it went:
    alice signs: Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 38.
    Pulse 20: Done: paid 1.5 USD to bob; fee 0.0011 USD.
  Lists have one record a line. Without a terminal ids are whole.
With --json there is one JSON value on standard output and nothing else:
  the value that the MCP tool of the same name returns, where there is one.
  A transaction that failed is that value too, with exit code 3.
  What runs on prints one object a line. Keys are only ever added.
  An error is {"code":"node-unreachable","error":"<the sentence>"}.
Amounts are decimal USD; in events they are integers of a millionth of a USD.
The ledger counts Pulses, its steps, not seconds. Times like 10m or 30d are
  taken for one Pulse a second, as many as it makes under load; an idle chain
  makes one in up to 16 seconds, so that what you give then lasts longer.`,
};
