import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { usd, walletName } from "../readers.ts";
import { label } from "./_claims.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "bond post",
  brief: "Put money at stake under a label of your own, for claims to rest on.",
  args: {
    wallet: argument(walletName, "whose money it is"),
    label: argument(label, "the bond's label: letters, digits, - and _, at most 32"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {},
  examples: [["sion bond post dana tests 100", "100 USD for what dana claims"]],
  json: "{bond, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const body = { label: args.label, amount: args.amount };
    return await signOne(context, args.wallet, { kind: "bond_post", body }, { makes: "bond" });
  },
});
