import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, list, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, refill, span, spanNote, text, usd, usdOrNone, walletName } from "../readers.ts";
import { limitNotes } from "./_caveats.ts";
import { exitOf, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "agent create",
  brief: "Make an agent: its identity, and with --budget a charter and an allotment. Also moves " +
    "fee money to its account, since an allotment pays no fees.",
  args: {
    principal: argument(walletName, "the wallet that stands above it and pays"),
    wallet: argument(account, "the agent's own wallet"),
  },
  flags: {
    name: value(text("NAME"), "what to call it", { default: "the wallet's name" }),
    budget: value(usd, "what it may spend in all"),
    payee: list(account, "who it may pay; without it anyone"),
    maxPayment: value(usd, "the most of one payment"),
    refill: value(refill, "what it may spend again over time, like 10/day", {
      default: "nothing: the bucket is the budget",
    }),
    expires: value(span, "how long it may pay: Pulses, or a time like 30d, longer if idle", {
      default: "for ever",
    }),
    fees: value(usdOrNone, "fee money for its account", { default: "0.1" }),
  },
  examples: [
    [
      "sion agent create alice coder --budget 20 --payee bob --payee carol",
      "20 USD, to bob and carol",
    ],
    ["sion agent create alice helper", "an identity without a budget"],
  ],
  json: "{agent, charter, allotment}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    if (flags.expires !== undefined) spanNote("--expires", flags.expires).forEach(output.note);
    limitNotes(flags.maxPayment, flags.budget).forEach(output.note);
    const client = await context.client();
    const made = await client.createAgent({
      principal: args.principal,
      wallet: args.wallet,
      payees: flags.payee,
      ...(flags.name === undefined ? {} : { name: flags.name }),
      ...(flags.budget === undefined ? {} : { budget: flags.budget }),
      ...(flags.maxPayment === undefined ? {} : { maxPayment: flags.maxPayment }),
      ...(flags.refill === undefined ? {} : { refill: flags.refill }),
      ...(flags.expires === undefined ? {} : { expiresInPulses: flags.expires.pulses }),
      ...(flags.fees === undefined ? {} : { fees: flags.fees }),
      ...telling(context),
    });
    const { agent, charter, allotment, outcomes } = made;
    const failed = outcomes.find(({ status }) => status !== "Success");
    if (json) {
      const { receipt, status } = failed ?? {};
      output.json({ agent, charter, allotment, receipt, status });
    } else if (failed === undefined) {
      output.line(`agent ${agent}`);
      if (charter !== undefined) output.line(`charter ${charter}`);
      if (allotment !== undefined) output.line(`allotment ${allotment}`);
      output.hint([
        `sion agent run ${args.wallet} ${shortId(agent)} --task '…' --model script:turns.json`,
      ]);
    }
    return exitOf(...outcomes);
  },
});
