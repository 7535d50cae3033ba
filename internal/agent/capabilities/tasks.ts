/** Tasks of the ledger: posted out of the agent's budget, or worked for. */
import * as z from "zod";
import { defineCapability } from "./_capability.ts";

/** `--tasks`. */
export const tasks = defineCapability({
  name: "tasks",
  options: [{
    name: "tasks",
    kind: "toggle",
    about: "tools for tasks on the ledger: post, attest, hand results in, be paid",
  }],
  settings: z.strictObject({}),
  read: (given) => Promise.resolve(given["tasks"] === true ? {} : undefined),
});
