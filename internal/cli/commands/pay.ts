import { defineCommand } from "../command.ts";
import { argument, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { account, span, spanNote, usd, walletName } from "../readers.ts";
import { exitOf, paymentValue, telling } from "./_signing.ts";

/** Pulses ahead that the ledger takes a transaction for. */
const MAX_VALID_FOR = 10_000;

export const command = defineCommand({
  path: "pay",
  brief:
    "Pay USD from a wallet of yours. It is final once a quorum of validators has confirmed it, " +
    "and is executed in the next Pulse, the ledger's step.",
  args: {
    wallet: argument(walletName, "the wallet that pays"),
    to: argument(account, "a wallet name (devnet) or an account of 64 hex digits"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {
    offline: toggle("sign without sending, print the transaction as hex"),
    validFor: value(
      span,
      "how long it may wait: Pulses (about one a second, slower when idle), or a time like 10m",
      {
        default: "20 Pulses",
      },
    ),
  },
  examples: [
    ["sion pay alice bob 1.5", "pay bob 1.5 USD"],
    ["sion pay alice bob 1.5 --offline", "sign only, print the transaction as hex"],
  ],
  json: "as sion_pay returns it",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    if (flags.validFor !== undefined) {
      if (flags.validFor.pulses > MAX_VALID_FOR) {
        const { pulses } = flags.validFor;
        throw usageError(`--valid-for ${pulses} Pulses is too long: give at most ${MAX_VALID_FOR}`);
      }
      spanNote("--valid-for", flags.validFor).forEach(output.note);
    }
    const client = await context.client();
    const options = telling(context);
    const payment = {
      from: args.wallet,
      to: args.to,
      amount: args.amount,
      ...options,
      ...(flags.validFor === undefined ? {} : { validForPulses: flags.validFor.pulses }),
    };
    if (flags.offline) {
      const signed = await client.signOffline(payment);
      const { digest, intent, tx, validUntil } = signed;
      if (json) {
        output.json({ digest, intent, tx, valid_until: validUntil });
      } else {
        output.note(`${args.wallet} signs: ${intent}`);
        output.line(tx);
        output.hint([
          `sent with: sion submit <hex>, until Pulse ${validUntil}; then: sion receipt ${digest}`,
        ]);
      }
      return EXIT.done;
    }
    const outcome = await client.pay(payment);
    if (json) output.json(paymentValue(outcome));
    return exitOf(outcome);
  },
});
