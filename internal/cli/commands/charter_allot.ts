import type { ObjectValue } from "#internal/client/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, usd, walletName } from "../readers.ts";
import { requireAddable } from "./_allotments.ts";
import { signOne } from "./_signing.ts";
import { requireInForce } from "./_standing.ts";

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
    const find = async (id: string | undefined): Promise<ObjectValue | null> =>
      id === undefined ? null : await client.object("allotment", id, { signal });
    const charter = await client.object("charter", args.charter, { signal });
    requireInForce(charter);
    const [allotment, source] = [await find(flags.allotment), await find(flags.source)];
    if (allotment !== null) await requireAddable(context, args.wallet, allotment, charter.id);
    const body = {
      charter: charter.id,
      allotment: allotment?.id ?? null,
      source: source?.id ?? null,
      amount: args.amount,
    };
    return await signOne(context, args.wallet, { kind: "allotment_fund", body }, {
      makes: "allotment",
    });
  },
});
