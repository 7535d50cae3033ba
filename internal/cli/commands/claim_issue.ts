import {
  DEFAULT_CLAIM_PULSES,
  DEFAULT_CLAIM_SCHEMA,
  FULL_DETECTION,
  MAX_SUBJECT_BYTES,
  shortId,
} from "#internal/core/mod.ts";
import { argument, defineCommand, list, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { integer, objectId, span, spanNote, text, walletName } from "../readers.ts";
import { judge, label } from "./_claims.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "claim issue",
  brief:
    "State something on the ledger. It rests on your signature, and on what you name besides: " +
    "whoever would make it false has to corrupt any one of these.",
  args: {
    wallet: argument(walletName, "who states it"),
    subject: argument(text("TEXT"), `what is stated, at most ${MAX_SUBJECT_BYTES} bytes`),
  },
  flags: {
    schema: value(text("NAME"), "what kind of statement it is", { default: DEFAULT_CLAIM_SCHEMA }),
    bond: value(label, "your bond that it rests on"),
    on: list(objectId, "a claim that it rests on"),
    judge: value(judge, "who may find it false, with the bond that it judges by"),
    detection: value(
      integer(1, FULL_DETECTION),
      `of ${FULL_DETECTION} times that it were false, how often that would be noticed`,
      { default: `${FULL_DETECTION}` },
    ),
    validFor: value(span, "how long it is valid: Pulses, or a time like 30d", {
      default: `${DEFAULT_CLAIM_PULSES} Pulses`,
    }),
  },
  examples: [
    ['sion claim issue dana "Invoice 88 was paid in full"', "rests on dana's signature alone"],
    [
      'sion claim issue dana "Build 12 is clean" --bond tests --judge carol:judge',
      "and on her bond, which carol can have slashed",
    ],
  ],
  json: "{claim, digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const { schema, bond, on, judge: adjudicator, detection, validFor } = flags;
    if (validFor !== undefined) spanNote("--valid-for", validFor).forEach(output.note);
    const client = await context.client();
    const outcome = await client.issueClaim({
      issuer: args.wallet,
      subject: args.subject,
      restsOn: on,
      ...(schema === undefined ? {} : { schema }),
      ...(bond === undefined ? {} : { bondLabel: bond }),
      ...(adjudicator === undefined ? {} : { adjudicator }),
      ...(detection === undefined ? {} : { detection }),
      ...(validFor === undefined ? {} : { holdsForPulses: validFor.pulses }),
      ...telling(context),
    });
    const { claim } = outcome;
    if (json) output.json(outcomeValue(outcome, { claim }));
    else if (claim !== undefined) {
      output.line(`claim ${claim}`);
      output.hint([
        `sion claim assess ${shortId(claim)} --value 100 says whether 100 USD can rest on it`,
      ]);
    }
    return exitOf(outcome);
  },
});
