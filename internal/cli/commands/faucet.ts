import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, usd } from "../readers.ts";
import { exitOf, paymentValue } from "./_signing.ts";

export const command = defineCommand({
  path: "faucet",
  brief: "Give a devnet's account new money. The node's operator signs and pays the fee.",
  args: {
    account: argument(account, "a wallet name or an account of 64 hex digits"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {},
  examples: [["sion faucet alice 100", "give alice 100 USD"]],
  json: "as sion_pay returns a payment",
  node: true,
  exits: [EXIT.failed],
  async run({ client, output, json, signal, onInterrupt }, { args }) {
    onInterrupt("the node may still mint it: ask `sion balance`, do not ask the faucet again");
    const opened = await client();
    const outcome = await opened.faucet(args.account, args.amount, { signal });
    if (json) {
      output.json(paymentValue(outcome));
    } else {
      output.line(`Pulse ${outcome.pulse}: ${outcome.receipt}`);
      output.hint([`sion balance ${args.account} shows it; sion pay ${args.account} bob 1 spends`]);
    }
    return exitOf(outcome);
  },
});
