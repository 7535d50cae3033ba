import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { usd, walletName } from "../readers.ts";
import { ownBond } from "./_backing.ts";
import { label } from "./_claims.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "bond add",
  brief: "Put more money at stake under a label.",
  args: {
    wallet: argument(walletName, "whose money it is"),
    label: argument(label, "the bond's label: letters, digits, - and _, at most 32"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {},
  examples: [["sion bond add dana tests 5", "5 USD more"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    await ownBond(context, args.wallet, args.label);
    const body = { label: args.label, amount: args.amount };
    return await signOne(context, args.wallet, { kind: "bond_top_up", body });
  },
});
