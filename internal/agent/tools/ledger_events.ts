/** What happened on the ledger. */
import * as z from "zod";
import { looked } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_EVENTS = 200;
const DEFAULT_EVENTS = 50;

export const ledgerEvents = defineAgentTool({
  name: "ledger_events",
  title: "Events of the ledger",
  description: "What happened on the ledger from a Pulse on, oldest first.",
  input: () =>
    z.strictObject({
      from: z.int().min(0).describe("Pulse to begin at, default 0").optional(),
      limit: z.int().min(1).max(MAX_EVENTS).describe(`How many, default ${DEFAULT_EVENTS}`)
        .optional(),
    }),
  highestEffect: "read",
  // Names and purposes in events are everybody's words.
  outside: (result) => result.ok ? "the ledger's events" : undefined,
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  run: ({ ledger, signal }, { from, limit = DEFAULT_EVENTS }) =>
    looked(() => ledger.events({ limit, ...(from === undefined ? {} : { from }) }, { signal })),
});
