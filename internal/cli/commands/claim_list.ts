import { defineCommand, value } from "../command.ts";
import { account } from "../readers.ts";
import { claimValue } from "./_claims.ts";
import { subjectOf } from "#internal/rpc/mod.ts";
import { textOf } from "./_objects.ts";

export const command = defineCommand({
  path: "claim list",
  brief: "List claims, one a line: id, who states it, how it stands, what is stated.",
  args: {},
  flags: { issuer: value(account, "only those of this wallet or account") },
  examples: [["sion claim list --issuer dana", "what dana states"]],
  json: "a list of claims with their members",
  node: true,
  async run({ client, output, json, signal }, { flags }) {
    const opened = await client();
    const issuer = flags.issuer === undefined
      ? undefined
      : (await opened.resolve(flags.issuer, { signal })).account;
    const claims = await opened.objects(
      "claim",
      issuer === undefined ? undefined : { member: "issuer", equals: issuer },
      { signal },
    );
    if (json) return output.json(claims.map(claimValue));
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const claim of claims) {
      const { issuer, status } = claim.object;
      output.line(
        `${output.id(claim.id)} ${name(textOf(issuer))} ${textOf(status)}: ${
          subjectOf(claim, name)
        }`,
      );
    }
    if (claims.length === 0) output.note("no claims: `sion claim issue` makes one");
  },
});
