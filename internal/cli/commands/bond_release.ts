import { RELEASE_PULSES } from "#internal/core/mod.ts";
import { argument, defineCommand, optionalArgument } from "../command.ts";
import { EXIT } from "../errors.ts";
import { usd, walletName } from "../readers.ts";
import { ownBond, requireFree, requireReleased } from "./_backing.ts";
import { label } from "./_claims.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "bond release",
  brief: "Ask for money of a bond that is reserved for nobody: it can be taken " +
    `${RELEASE_PULSES} Pulses later, and ` +
    "slashed until then. Without an amount, take what is due.",
  args: {
    wallet: argument(walletName, "whose bond it is"),
    label: argument(label, "the bond's label"),
    amount: optionalArgument(usd, "USD to ask for; without it, what is due is taken"),
  },
  flags: {},
  examples: [
    ["sion bond release dana tests 30", "ask for 30 USD"],
    ["sion bond release dana tests", `take it, ${RELEASE_PULSES} Pulses later`],
  ],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const bond = await ownBond(context, args.wallet, args.label);
    if (args.amount === undefined) await requireReleased(context, bond);
    else requireFree(bond, args.amount);
    const body = { label: args.label, amount: args.amount ?? null };
    return await signOne(context, args.wallet, { kind: "bond_release", body });
  },
});
