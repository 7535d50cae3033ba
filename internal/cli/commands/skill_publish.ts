import { FULL_DETECTION, shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { integer, path, span, spanNote, walletName } from "../readers.ts";
import { judge, label } from "./_claims.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { givenBundle } from "./_skills.ts";

/** A year of Pulses: a release is used for longer than a statement of the day. */
const DEFAULT_PULSES = 31_536_000;

export const command = defineCommand({
  path: "skill publish",
  brief:
    "State the digest of a skill's bundle on the ledger. The bundle itself stays where it is: " +
    "put it where others get it.",
  args: {
    wallet: argument(walletName, "who states it"),
    bundle: argument(path, "the bundle that sion skill pack made"),
  },
  flags: {
    bond: value(label, "your bond that the claim rests on"),
    judge: value(judge, "who may find it false, with the bond that it judges by"),
    detection: value(
      integer(1, FULL_DETECTION),
      `of ${FULL_DETECTION} times that it were false, how often that would be noticed`,
      { default: `${FULL_DETECTION}` },
    ),
    validFor: value(span, "how long it is valid: Pulses, or a time like 30d", {
      default: `${DEFAULT_PULSES} Pulses`,
    }),
  },
  examples: [
    ["sion skill publish dana word-count.skill.tar", "rests on dana's signature alone"],
    [
      "sion skill publish dana word-count.skill.tar --bond skills --judge carol:judge",
      "and on her bond, which carol can have slashed",
    ],
  ],
  json:
    "{claim, bundle, events, fee, pulse, receipt, status, digest}: bundle is the bundle's digest",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const { bond, judge: adjudicator, detection, validFor } = flags;
    const { RELEASE_SCHEMA, releaseSubject } = await import("#internal/agent/mod.ts");
    const { digest, declaration: { name } } = await givenBundle(context, args.bundle);
    if (validFor !== undefined) spanNote("--valid-for", validFor).forEach(output.note);
    const client = await context.client();
    const outcome = await client.issueClaim({
      issuer: args.wallet,
      schema: RELEASE_SCHEMA,
      subject: releaseSubject({ name, digest }),
      holdsForPulses: validFor?.pulses ?? DEFAULT_PULSES,
      ...(bond === undefined ? {} : { bondLabel: bond }),
      ...(adjudicator === undefined ? {} : { adjudicator }),
      ...(detection === undefined ? {} : { detection }),
      ...telling(context),
    });
    const { claim } = outcome;
    if (json) output.json(outcomeValue(outcome, { bundle: digest, claim }));
    else if (claim !== undefined) {
      output.line(`claim ${claim}`);
      output.hint([
        `sion skill install <bundle> --claim ${shortId(claim)} installs what it states`,
      ]);
    }
    return exitOf(outcome);
  },
});
