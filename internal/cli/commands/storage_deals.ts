import { defineCommand, toggle } from "../command.ts";
import { dealLine } from "./_storage.ts";

export const command = defineCommand({
  path: "storage deals",
  brief: "List storage deals, one a line: id, terms, how they stand.",
  args: {},
  flags: { open: toggle("only those that can still be accepted") },
  examples: [
    ["sion storage deals", "all of them"],
    ["sion storage deals --open", "what a provider can take"],
  ],
  json: "as sion_storage_deals returns it",
  node: true,
  async run({ client, output, json, signal }, { flags: { open } }) {
    const opened = await client();
    const deals = await opened.storage.deals({ open, signal });
    if (json) return output.json({ deals });
    for (const deal of deals) output.line(dealLine(deal, output));
    if (deals.length === 0) {
      output.note(
        open
          ? "no storage deal can be accepted now: `sion storage post` makes one"
          : "no storage deals yet: `sion storage post` makes one",
      );
    }
  },
});
