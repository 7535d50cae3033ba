import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, objectId, walletName } from "../readers.ts";
import { caveatFlags, caveatsOf } from "./_caveats.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, requireNotRevoked } from "./_standing.ts";

export const command = defineCommand({
  path: "charter create",
  brief: "Give an agent a charter: what it may pay, whom, and how fast.",
  args: {
    wallet: argument(walletName, "who gives it: stands above the agent"),
    agent: argument(agentId, "the agent's id or name"),
  },
  flags: {
    ...caveatFlags,
    parent: value(objectId, "your own charter that it is under, when you are an agent"),
  },
  examples: [
    ["sion charter create alice 0d7240c5 --payee bob --max-payment 2", "pay bob, 2 USD at most"],
    ["sion charter create alice 0d7240c5 --bucket 10 --refill 10/day", "10 USD a day, to anyone"],
  ],
  json: "{charter, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { signal } = context;
    const client = await context.client();
    const below = await agentBelow(context, args.wallet, args.agent);
    requireNotRevoked(below);
    const parent = flags.parent === undefined
      ? null
      : (await client.object("charter", flags.parent, { signal })).id;
    const caveats = await caveatsOf(context, flags);
    return await signOne(
      context,
      args.wallet,
      { kind: "charter_create", body: { agent: below.agent.id, parent, caveats } },
      {
        makes: "charter",
        next: (
          id,
        ) => [`sion charter allot ${args.wallet} ${shortId(id)} 10 puts 10 USD under it`],
      },
    );
  },
});
