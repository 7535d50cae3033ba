import { DEFAULT_VALIDITY_PULSES, MAX_VALIDITY_PULSES } from "#internal/core/mod.ts";
import type { CommandContext } from "../context.ts";
import { argument, argumentUnless, defineCommand, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { account, path, span, spanNote, usd, walletName } from "../readers.ts";
import { exitOf, paymentValue, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "pay",
  brief:
    "Pay USD from a wallet of yours. It is final once a quorum of validators has confirmed it, " +
    "and is executed in the next Pulse, the ledger's step. A chain without a new Pulse for 60 s ends " +
    "the waiting with exit code 4: what was sent is kept.",
  args: {
    wallet: argument(walletName, "the wallet that pays"),
    to: argumentUnless("batch", account, "a wallet name (devnet) or an account of 64 hex digits"),
    amount: argumentUnless("batch", usd, "USD, at most six decimals"),
  },
  flags: {
    batch: value(
      path,
      "pay a list instead, a payee and an amount on each line (bob 1.5 or bob,1.5; # begins a " +
        "remark; - is standard input): up to 128 share a signature and its fee. Given again after " +
        "a crash, a list goes on where it was",
    ),
    again: toggle(
      "pay once more: beside an unfinished payment of the same, which the command otherwise only " +
        "finishes; a list that was made before, giving up an unfinished one",
    ),
    offline: toggle("sign without sending, print the transaction as hex"),
    validFor: value(
      span,
      "how long it may wait: Pulses (about one a second, slower when idle), or a time like 10m",
      {
        default: `${DEFAULT_VALIDITY_PULSES} Pulses`,
      },
    ),
  },
  examples: [
    ["sion pay alice bob 1.5", "pay bob 1.5 USD"],
    ["sion pay alice bob 1.5 --offline", "sign only, print the transaction as hex"],
    ["sion pay alice --batch payroll.csv", "pay everybody on the list"],
    ["printf 'bob 1\\ncarol 2\\n' | sion pay alice --batch -", "a list from another program"],
  ],
  json:
    "as sion_pay returns it; of a list {batch, earlier, failed, fees, paid, payments, succeeded}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output } = context;
    if (flags.validFor !== undefined) {
      if (flags.validFor.pulses > MAX_VALIDITY_PULSES) {
        const { pulses } = flags.validFor;
        throw usageError(
          `--valid-for ${pulses} Pulses is too long: give at most ${MAX_VALIDITY_PULSES}`,
        );
      }
      spanNote("--valid-for", flags.validFor).forEach(output.note);
    }
    const { wallet, to, amount } = args;
    const common = { wallet, offline: flags.offline, validForPulses: flags.validFor?.pulses };
    if (flags.batch !== undefined) {
      const { payList } = await import("./_pay_batch.ts");
      return await payList(context, { ...common, file: flags.batch, again: flags.again });
    }
    // The parser sees to it that both are there without a list.
    if (to === undefined || amount === undefined) throw new TypeError("A payment has no payee");
    return await payOne(context, { ...common, to, amount, resume: !flags.again });
  },
});

interface OnePayment {
  readonly wallet: string;
  readonly to: string;
  readonly amount: bigint;
  readonly offline: boolean;
  readonly validForPulses: number | undefined;
  /** Whether an unfinished payment of the same is all that is done. */
  readonly resume: boolean;
}

async function payOne(
  context: CommandContext,
  { wallet, to, amount, offline, validForPulses, resume }: OnePayment,
): Promise<number> {
  const { output, json } = context;
  const client = await context.client();
  const payment = {
    from: wallet,
    to,
    amount,
    resume,
    ...telling(context),
    ...(validForPulses === undefined ? {} : { validForPulses }),
  };
  if (offline) {
    const { digest, intent, tx, validUntil } = await client.signOffline(payment);
    if (json) {
      output.json({ digest, intent, tx, valid_until: validUntil });
    } else {
      output.note(`${wallet} signs: ${intent}`);
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
}
