import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, objectId, text, usd, walletName } from "../readers.ts";
import { requirePayable } from "./_allotments.ts";
import { textOf } from "./_objects.ts";
import { exitOf, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "charter pay",
  brief: "Pay from an allotment, as an agent. The ledger holds it to the charter.",
  args: {
    agent: argument(walletName, "the agent's wallet, or the one that signs for it"),
    charter: argument(objectId, "the charter's id"),
    allotment: argument(objectId, "the allotment's id"),
    payee: argument(account, "a wallet name (devnet) or an account of 64 hex digits"),
    amount: argument(usd, "USD, at most six decimals"),
  },
  flags: { purpose: value(text("TEXT"), "what it is for; the receipt claim states it") },
  examples: [
    ['sion charter pay coder e2737343 755f14ba carol 0.2 --purpose "one forecast"', "pay carol"],
  ],
  json: "as sion_agent_pay returns it",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { signal, output, json } = context;
    const client = await context.client();
    const [charter, allotment] = await Promise.all([
      client.object("charter", args.charter, { signal }),
      client.object("allotment", args.allotment, { signal }),
    ]);
    const agent = await client.object("identity", textOf(charter.object["agent"]), { signal });
    const acting = await client.actingFor(args.agent, agent, { signal });
    await requirePayable(context, { agent, charter, allotment }, args);
    const outcome = await client.agentPay({
      ...acting,
      agent: args.agent,
      charter: charter.id,
      allotment: allotment.id,
      payee: args.payee,
      amount: args.amount,
      purpose: flags.purpose ?? "",
      ...telling(context),
    });
    const { digest, events, pulse, receipt, status } = outcome;
    if (json) output.json({ digest, events, pulse, receipt, status });
    return exitOf(outcome);
  },
});
