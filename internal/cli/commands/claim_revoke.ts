import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { claimNamed } from "./_claims.ts";
import { signOne } from "./_signing.ts";

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
    const body = { claim: await claimNamed(context, args.claim) };
    return await signOne(context, args.wallet, { kind: "claim_revoke", body });
  },
});
