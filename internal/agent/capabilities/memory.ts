/** Memory logs of the agent: what it saw, kept on this machine and proven by the ledger. */
import * as z from "zod";
import { defineCapability } from "./_capability.ts";

/** `--memory`. */
export const memory = defineCapability({
  name: "memory",
  options: [{
    name: "memory",
    kind: "toggle",
    about: "tools for memory logs: remember, commit to the ledger, recall with a proof",
  }],
  settings: z.strictObject({}),
  read: (given) => Promise.resolve(given["memory"] === true ? {} : undefined),
});
