import { argument, defineCommand } from "../command.ts";
import { credentialName, noCredential, openCredentialsHere } from "./_credentials.ts";

export const command = defineCommand({
  path: "agent credential remove",
  brief: "Remove a key or setting that is kept here for agents.",
  args: { name: argument(credentialName, "its name") },
  flags: {},
  examples: [["sion agent credential remove OPENAI_API_KEY", "nothing has it any more"]],
  json: "{name}",
  node: false,
  async run(context, { args: { name } }) {
    const { output, json } = context;
    const credentials = await openCredentialsHere(context);
    if (!await credentials.remove(name)) {
      throw noCredential(name, (await credentials.all()).map((kept) => kept.name));
    }
    if (json) return output.json({ name });
    output.line(`removed ${name}`);
  },
});
