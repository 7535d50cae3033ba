import { DEFAULT_KAPPA, formatFactor } from "#internal/core/mod.ts";
import { argument, defineCommand, list, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, usd } from "../readers.ts";
import { assessmentLines, factor, isJudgedByIssuer } from "./_claims.ts";

export const command = defineCommand({
  path: "skill assess",
  brief: "Whether to rely on a release of a skill: what it would cost to make its claim false, " +
    "against what you would lose by that.",
  args: { claim: argument(objectId, "the claim that states the release") },
  flags: {
    value: neededValue(
      usd,
      "what you stand to lose if the release is not what its publisher stands for",
      "say what you stand to lose, in USD",
    ),
    kappa: value(factor, "how many times that its cost of corruption has to be", {
      default: formatFactor(DEFAULT_KAPPA),
    }),
    distrust: list(objectId, "an atom that you do not trust, as listed"),
  },
  examples: [["sion skill assess e825c122 --value 100", "may 100 USD rest on it?"]],
  json: "{release: {name, digest}, …} and what sion_assess_claim returns",
  node: true,
  exits: [EXIT.no],
  async run({ client, output, json, signal }, { args, flags }) {
    const { statedRelease } = await import("#internal/agent/mod.ts");
    const opened = await client();
    const { id, object } = await opened.object("claim", args.claim, { signal });
    const release = statedRelease({ id, schema: object["schema"], subject: object["subject"] });
    const assessed = await opened.assessClaim({
      claim: id,
      value: flags.value,
      distrust: flags.distrust,
      ...(flags.kappa === undefined ? {} : { kappa: flags.kappa }),
    }, { signal });
    if (json) output.json({ ...assessed, release });
    else {
      for (const line of assessmentLines(assessed, output.id)) output.line(line);
      if (isJudgedByIssuer(object)) output.line("its judge is its issuer");
    }
    return assessed.decision.accept ? EXIT.done : EXIT.no;
  },
});
