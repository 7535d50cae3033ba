import { shortId } from "#internal/core/mod.ts";
import { defineCommand } from "../command.ts";
import { openTokensHere, rightsOf } from "./_profiles.ts";

export const command = defineCommand({
  path: "agent profile token list",
  brief: "List the tokens that reach profiles: id, profile, agent, and what its holder may do.",
  args: {},
  flags: {},
  examples: [["sion agent profile token list", "in the order they were made"]],
  json: "a list of {agent, approve, id, profile}",
  node: false,
  async run(context) {
    const { output, json } = context;
    const tokens = await (await openTokensHere(context)).list();
    if (json) return output.json(tokens);
    for (const token of tokens) {
      output.line(`${token.id} ${token.profile} agent ${shortId(token.agent)} ${rightsOf(token)}`);
    }
    if (tokens.length === 0) {
      output.note("no tokens here yet: `sion agent profile token add <profile>` makes one");
    }
  },
});
