import { quoteOddWord } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { objectId } from "../readers.ts";
import { stateText, termsText } from "./_storage.ts";

export const command = defineCommand({
  path: "storage show",
  brief: "Show a storage deal: who has which file kept by whom, for what, and how it stands.",
  args: { deal: argument(objectId, "the deal's id, or the first digits") },
  flags: {},
  examples: [["sion storage show 66f5ffa4", "how it stands"]],
  json: "as sion_storage_deals returns one deal",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const deal = await opened.storage.deal(args.deal, { signal });
    if (json) return output.json(deal);
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    const { provider, locator, root, challenges, escrow } = deal;
    output.line(`deal ${deal.deal} of ${name(deal.client)}: ${stateText(deal)}`);
    output.line(
      `kept by ${provider === null ? "nobody yet, for whoever accepts it" : name(provider)}`,
    );
    output.line(`${termsText(deal)}, ${challenges} challenges a round, ${escrow} USD in escrow`);
    output.line(`root ${output.id(root)}`);
    output.line(locator === null ? "no locator" : `file at ${quoteOddWord(locator)}`);
  },
});
