import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, oneOf, text, walletName } from "../readers.ts";
import { judgedClaim } from "./_backing.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "claim judge",
  brief:
    "Judge a claim that names you as adjudicator. One that is found false loses the bonds it " +
    "names: what is reserved on it goes to whom it is reserved for, the rest to the treasury.",
  args: {
    wallet: argument(walletName, "the adjudicator"),
    claim: argument(objectId, "the claim's id"),
    verdict: argument(oneOf("upheld", "false"), "upheld against its dispute, or false"),
  },
  flags: { reason: value(text("TEXT"), "why, at most 1024 bytes") },
  examples: [
    ["sion claim judge carol e825c122 false", "slash what backs it"],
    ["sion claim judge carol e825c122 upheld", "end its dispute"],
  ],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const isFalse = args.verdict === "false";
    const { id } = await judgedClaim(context, args.wallet, args.claim, isFalse);
    const body = { claim: id, isFalse, reason: flags.reason ?? "" };
    return await signOne(context, args.wallet, { kind: "claim_adjudicate", body });
  },
});
