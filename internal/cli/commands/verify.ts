import { defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { integer } from "../readers.ts";

export const command = defineCommand({
  path: "verify",
  brief: "Verify a Pulse as a light client: nine checks, none of which believes the node. Give " +
    "the chain identity you trust; without it the node vouches for itself.",
  args: {},
  flags: {
    pulse: value(integer(1, Number.MAX_SAFE_INTEGER, "PULSE"), "the Pulse", {
      default: "the newest certified one",
    }),
  },
  examples: [
    ["sion verify", "the newest certified Pulse"],
    [
      "sion verify --chain $CHAIN",
      "of the chain you mean",
    ],
    ["sion verify --pulse 213 --json", "one Pulse, for programs"],
  ],
  json: "as sion_verify_pulse returns it",
  node: true,
  exits: [EXIT.no],
  async run({ client, output, json, signal }, { flags: { pulse } }) {
    const opened = await client();
    const report = await opened.verifyPulse(pulse === undefined ? {} : { pulse }, { signal });
    if (json) output.json(report);
    else {
      for (const line of report.report) output.line(line);
      output.line(report.verified ? "verified" : "not verified");
    }
    return report.verified ? EXIT.done : EXIT.no;
  },
});
