import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { textOf } from "./_objects.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, requireInForce } from "./_standing.ts";

export const command = defineCommand({
  path: "charter revoke",
  brief: "End a charter and all below it, for good. What is allotted can be reclaimed.",
  args: {
    wallet: argument(walletName, "who revokes it: stands above the agent"),
    charter: argument(objectId, "the charter's id"),
  },
  flags: {},
  examples: [["sion charter revoke alice e2737343", "no more payments under it"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const charter = await client.object("charter", args.charter, { signal: context.signal });
    requireInForce(charter);
    await agentBelow(context, args.wallet, textOf(charter.object["agent"]));
    const body = { charter: charter.id };
    return await signOne(context, args.wallet, { kind: "charter_revoke", body });
  },
});
