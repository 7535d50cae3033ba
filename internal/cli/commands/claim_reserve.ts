import { DEFAULT_RESERVATION_PULSES } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, objectId, span, spanNote, usd, walletName } from "../readers.ts";
import { ownClaim, requireReservable } from "./_backing.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "claim reserve",
  brief:
    "Hold a part of the bonds behind your claim for one who relies on it: if the claim is found " +
    "false, the part is theirs.",
  args: {
    wallet: argument(walletName, "who issued the claim"),
    claim: argument(objectId, "the claim's id"),
    account: argument(account, "who relies on it"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: {
    for: value(span, "how long: Pulses, or a time like 30d", {
      default: `${DEFAULT_RESERVATION_PULSES} Pulses`,
    }),
  },
  examples: [["sion claim reserve dana e825c122 bob 40", "40 USD for bob, if it is false"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const span = flags.for ?? { pulses: DEFAULT_RESERVATION_PULSES, time: undefined };
    spanNote("--for", span).forEach(context.output.note);
    const client = await context.client();
    const own = await ownClaim(context, args.wallet, args.claim, "reserve what backs it");
    await requireReservable(context, own, args.amount);
    const { account } = await client.resolve(args.account, { signal: context.signal });
    const body = { claim: own.id, account, amount: args.amount, pulses: BigInt(span.pulses) };
    return await signOne(context, args.wallet, { kind: "bond_reserve", body });
  },
});
