import { DISPUTE_PULSES, MAX_CLAIM_REASON_BYTES } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, text, walletName } from "../readers.ts";
import { reliedOnClaim } from "./_backing.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "claim dispute",
  brief: "Call a claim false that something is reserved for you on. Its adjudicator has " +
    `${DISPUTE_PULSES} Pulses to judge it; nobody is to rely on it meanwhile.`,
  args: {
    wallet: argument(walletName, "who relies on it"),
    claim: argument(objectId, "the claim's id"),
  },
  flags: { reason: value(text("TEXT"), `why, at most ${MAX_CLAIM_REASON_BYTES} bytes`) },
  examples: [[
    'sion claim dispute bob e825c122 --reason "it was never paid"',
    "ask for a judgement",
  ]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { id } = await reliedOnClaim(context, args.wallet, args.claim);
    const body = { claim: id, reason: flags.reason ?? "" };
    return await signOne(context, args.wallet, { kind: "claim_dispute", body });
  },
});
