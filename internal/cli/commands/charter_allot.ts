import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, usd, walletName } from "../readers.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "charter allot",
  brief: "Put money in escrow under a charter, for its agent to pay from.",
  args: {
    wallet: argument(walletName, "who gives it"),
    charter: argument(objectId, "the charter's id"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {
    allotment: value(objectId, "add to this allotment", { default: "a new one" }),
    source: value(objectId, "take it from this allotment of your own, when you are an agent", {
      default: "the wallet's balance",
    }),
  },
  examples: [["sion charter allot alice e2737343 10", "10 USD under the charter"]],
  json: "{allotment, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { signal } = context;
    const client = await context.client();
    const idOf = async (id: string | undefined): Promise<string | null> =>
      id === undefined ? null : (await client.object("allotment", id, { signal })).id;
    const charter = await client.object("charter", args.charter, { signal });
    const body = {
      charter: charter.id,
      allotment: await idOf(flags.allotment),
      source: await idOf(flags.source),
      amount: args.amount,
    };
    return await signOne(context, args.wallet, { kind: "allotment_fund", body }, {
      makes: "allotment",
    });
  },
});
