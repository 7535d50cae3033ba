import { quoteOddWord, SionError } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { profileName, text } from "../readers.ts";
import { openTokensHere } from "./_profiles.ts";

/** `token-unknown`: the profile has no token of that id. Data: none. */
export type TokenCommandErrorCode = "token-unknown";

export const command = defineCommand({
  path: "agent profile token remove",
  brief: "Take a token back: whoever holds it reaches nothing any more.",
  args: {
    profile: argument(profileName, "the profile that it reaches"),
    id: argument(text("ID"), "its eight digits, as list shows them"),
  },
  flags: {},
  examples: [["sion agent profile token remove lead 5957d62c", "at once"]],
  json: "{id, profile}",
  node: false,
  async run(context, { args: { profile, id } }) {
    const { output, json } = context;
    const tokens = await openTokensHere(context);
    const gone = await tokens.remove((token) => token.profile === profile && token.id === id);
    if (gone.length === 0) {
      throw new SionError<TokenCommandErrorCode>(
        "token-unknown",
        `profile ${profile} has no token ${quoteOddWord(id)}: ` +
          "`sion agent profile token list` shows them",
      );
    }
    if (json) return output.json({ id, profile });
    output.line(`took token ${id} of profile ${profile} back`);
  },
});
