import { argument, defineCommand, flagName } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { caveatFlags, caveatsOf } from "./_caveats.ts";
import { textOf } from "./_objects.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, requireInForce } from "./_standing.ts";

export const command = defineCommand({
  path: "charter narrow",
  brief:
    "Narrow a charter and all below it, at once and for good: what is given is added to what " +
    "it asks already.",
  args: {
    wallet: argument(walletName, "who narrows it: stands above the agent"),
    charter: argument(objectId, "the charter's id"),
  },
  flags: caveatFlags,
  examples: [[
    "sion charter narrow alice e2737343 --max-payment 0.5",
    "0.5 USD a payment from now",
  ]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const given = Object.values(flags).some((value) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
    );
    if (!given) {
      const names = Object.keys(caveatFlags).map(flagName);
      throw usageError(
        `sion charter narrow needs at least one of ${names.join(", ")}: say what to narrow`,
      );
    }
    const client = await context.client();
    const charter = await client.object("charter", args.charter, { signal: context.signal });
    requireInForce(charter);
    await agentBelow(context, args.wallet, textOf(charter.object["agent"]));
    const caveats = await caveatsOf(context, flags);
    const body = { charter: charter.id, caveats };
    return await signOne(context, args.wallet, { kind: "charter_narrow", body });
  },
});
