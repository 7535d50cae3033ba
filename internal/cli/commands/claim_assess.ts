import { DEFAULT_KAPPA, formatFactor } from "#internal/core/mod.ts";
import { argument, defineCommand, list, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, usd } from "../readers.ts";
import { assessmentLines, factor, isJudgedByIssuer } from "./_claims.ts";

export const command = defineCommand({
  path: "claim assess",
  brief:
    "Whether to rely on a claim: what it would cost to make it false, against what you would " +
    "lose by that.",
  args: { claim: argument(objectId, "the claim's id") },
  flags: {
    value: neededValue(
      usd,
      "what you stand to lose if the claim is false",
      "say what you stand to lose, in USD",
    ),
    kappa: value(factor, "how many times that its cost of corruption has to be", {
      default: formatFactor(DEFAULT_KAPPA),
    }),
    distrust: list(
      objectId,
      "an atom that you do not trust, as listed",
    ),
  },
  examples: [
    ["sion claim assess e825c122 --value 1000", "may 1,000 USD rest on it?"],
    [
      "sion claim assess e825c122 --value 1000 --kappa 3 --distrust e3dbbfda",
      "more careful, and without one of its atoms",
    ],
  ],
  json: "as sion_assess_claim returns it",
  node: true,
  exits: [EXIT.no],
  async run({ client, output, json, signal }, { args, flags }) {
    const opened = await client();
    const assessed = await opened.assessClaim({
      claim: args.claim,
      value: flags.value,
      distrust: flags.distrust,
      ...(flags.kappa === undefined ? {} : { kappa: flags.kappa }),
    }, { signal });
    if (json) output.json(assessed);
    else {
      for (const line of assessmentLines(assessed, output.id)) output.line(line);
      const { object } = await opened.object("claim", args.claim, { signal });
      if (isJudgedByIssuer(object)) output.line("its judge is its issuer");
    }
    return assessed.decision.accept ? EXIT.done : EXIT.no;
  },
});
