import { defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { DOCTOR_JSON, doctorFlags, runDoctor } from "./_doctor.ts";

export const command = defineCommand({
  path: "agent doctor",
  brief: "Look at what agents need on this machine: what failed first, then a count. Changes " +
    "nothing without --fix.",
  args: {},
  flags: doctorFlags,
  examples: [
    ["sion agent doctor", "what is wrong, and what to do about it"],
    ["sion agent doctor --offline", "without trying keys of models"],
    ["sion agent doctor --fix", "mend what it can"],
  ],
  json: DOCTOR_JSON,
  node: true,
  exits: [EXIT.no],
  run: (context, { flags }) => runDoctor(context, flags, ({ ofAgents }) => ofAgents),
});
