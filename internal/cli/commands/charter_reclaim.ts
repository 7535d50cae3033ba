import { argument, defineCommand, optionalArgument } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, usd, walletName } from "../readers.ts";
import { requireReclaimable } from "./_allotments.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "charter reclaim",
  brief: "Take money out of an allotment, back to where it came from.",
  args: {
    wallet: argument(walletName, "who gave it, or stands above"),
    allotment: argument(objectId, "the allotment's id"),
    amount: optionalArgument(usd, "USD; all that is left if left out"),
  },
  flags: {},
  examples: [["sion charter reclaim alice 755f14ba", "all that is left"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const allotment = await client.object("allotment", args.allotment, { signal: context.signal });
    await requireReclaimable(context, args.wallet, allotment, args.amount);
    const body = { allotment: allotment.id, amount: args.amount ?? null };
    return await signOne(context, args.wallet, { kind: "allotment_reclaim", body });
  },
});
