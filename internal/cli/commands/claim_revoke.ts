import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { ownClaim } from "./_backing.ts";
import { signOne } from "./_signing.ts";
import { refused } from "./_standing.ts";

export const command = defineCommand({
  path: "claim revoke",
  brief:
    "Take a claim back, for good. What is reserved on it stays so, and it can still be found false.",
  args: {
    wallet: argument(walletName, "who issued the claim"),
    claim: argument(objectId, "the claim's id"),
  },
  flags: {},
  examples: [["sion claim revoke dana e825c122", "nobody is to rely on it any more"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const claim = await ownClaim(context, args.wallet, args.claim, "revoke it");
    if (claim.object["revoked"] !== null) {
      throw refused(`claim ${shortId(claim.id)} was revoked, which is for good: issue another`);
    }
    const body = { claim: claim.id };
    return await signOne(context, args.wallet, { kind: "claim_revoke", body });
  },
});
