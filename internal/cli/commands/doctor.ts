import { defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { DOCTOR_JSON, doctorFlags, runDoctor } from "./_doctor.ts";

export const command = defineCommand({
  path: "doctor",
  brief: "Look at what sion needs on this machine: what failed first, then a count. Changes " +
    "nothing without --fix.",
  args: {},
  flags: doctorFlags,
  examples: [
    ["sion doctor", "what is wrong, and what to do about it"],
    ["sion doctor --all --offline", "everything it looked at, without the network"],
    ["sion doctor --fix", "mend what it can"],
  ],
  json: DOCTOR_JSON,
  node: true,
  exits: [EXIT.no],
  run: (context, { flags }) => runDoctor(context, flags, () => true),
});
