import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, list, neededList, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import {
  account,
  agentId,
  budgetedName,
  span,
  spanNote,
  usd,
  usdOrNone,
  walletName,
} from "../readers.ts";
import { exitOf, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "agent spawn",
  brief: "Make several agents below one at once: all of it happens or nothing. They have no keys " +
    "of their own, the wallet signs for them; their budgets come out of the agent's allotment, " +
    "and one transfer moves fee money to all of them.",
  args: {
    wallet: argument(walletName, "the wallet that acts for the agent above, and pays"),
    parent: argument(agentId, "the agent above: its id or name"),
  },
  flags: {
    agent: neededList(
      budgetedName,
      "a new agent: its name, and behind = its budget in USD",
      "say which agents to make, like --agent fetch=4",
    ),
    payee: list(account, "who they may pay; without it whom the agent above may"),
    maxPayment: value(usd, "the most of one payment"),
    expires: value(span, "how long they may pay: Pulses, or a time like 30d, longer if idle", {
      default: "as long as the agent above",
    }),
    fees: value(usdOrNone, "fee money for each one's account", { default: "0.01" }),
  },
  examples: [
    [
      "sion agent spawn coder d85ed254 --agent fetch=4 --agent clean=4 --payee bob",
      "two agents with 4 USD each, to bob only",
    ],
    ["sion agent spawn coder d85ed254 --agent notes", "an identity without a budget"],
  ],
  json:
    "{agents: [{account, agent, allotment, charter, name}], receipt, status}; the last two of " +
    "what failed",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const hasBudget = flags.agent.some(({ budget }) => budget !== undefined);
    const limits = flags.payee.length > 0 || flags.maxPayment !== undefined ||
      flags.expires !== undefined;
    if (limits && !hasBudget) {
      throw usageError("an agent without a budget pays nothing: give one, like --agent fetch=4");
    }
    if (flags.expires !== undefined) spanNote("--expires", flags.expires).forEach(output.note);
    const client = await context.client();
    const { agents, outcomes } = await client.spawnAgents({
      wallet: args.wallet,
      parent: args.parent,
      agents: flags.agent.map(({ name, budget }) => ({
        name,
        payees: flags.payee,
        ...(budget === undefined ? {} : { budget }),
        ...(flags.maxPayment === undefined ? {} : { maxPayment: flags.maxPayment }),
        ...(flags.expires === undefined ? {} : { expiresInPulses: flags.expires.pulses }),
      })),
      ...(flags.fees === undefined ? {} : { fees: flags.fees }),
      ...telling(context),
    });
    const failed = outcomes.find(({ status }) => status !== "Success");
    if (json) {
      const { receipt, status } = failed ?? {};
      output.json({ agents, receipt, status });
    } else {
      for (const { agent, name } of agents) output.line(`agent ${agent} ${name}`);
      const [first] = agents;
      if (first !== undefined) {
        output.hint([
          `sion agent run ${args.wallet} ${shortId(first.agent)} --task '…' ` +
          "--model script:turns.json",
        ]);
      }
    }
    return exitOf(...outcomes);
  },
});
