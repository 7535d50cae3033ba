import { MIN_REDACTED_LENGTH } from "#internal/core/mod.ts";
import { argument, defineCommand, toggle } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { givenText } from "../standard_input.ts";
import { credentialName, openCredentialsHere } from "./_credentials.ts";

/** What comes through standard input: a value, and the end of its line. */
const MAX_INPUT_BYTES = 20_000;

export const command = defineCommand({
  path: "agent credential add",
  brief: "Keep a key or setting for agents, encrypted. The value is asked for, or comes through " +
    "standard input, never from the command line; it replaces what had the name " +
    "(agent:credential-key).",
  args: {
    name: argument(credentialName, "the environment variable whose value it is"),
  },
  flags: {
    setting: toggle("not a secret: it may be shown, and is not cut out of what tools print"),
  },
  examples: [
    ["sion agent credential add ANTHROPIC_API_KEY", "asks for it, and shows nothing of it"],
    ["pass show openai | sion agent credential add OPENAI_API_KEY", "from a password manager"],
  ],
  json: "{name, secret, replaced, key}: where the key of the encryption is",
  node: false,
  asksSecret: true,
  async run(context, { args: { name }, flags: { setting } }) {
    const { output, json, env } = context;
    const { isCredentialName } = await import("#internal/store/mod.ts");
    const credentials = await openCredentialsHere(context);
    // A name that is refused is refused before anything is asked for.
    const value = isCredentialName(name) ? await valueFor(context, name) : "";
    const { replaced, key } = await credentials.keep({ name, value, secret: !setting });
    if (json) return output.json({ key: key.kind, name, replaced, secret: !setting });
    const where = key.kind === "file" ? `in ${key.title}` : `with ${key.title}`;
    output.line(`${replaced ? "replaced" : "kept"} ${name}, encrypted; its key is ${where}`);
    if (!setting && value.length < MIN_REDACTED_LENGTH) {
      output.note(
        `${name} has fewer than ${MIN_REDACTED_LENGTH} characters: it is not cut out of what ` +
          "tools print, any text may hold it",
      );
    }
    if ((env[name] ?? "") !== "") {
      output.note(`${name} is set in the environment too, which goes before what is kept`);
    }
  },
});

async function valueFor(
  { readHidden, readStdin }: CommandContext,
  name: string,
): Promise<string> {
  if (readHidden !== undefined) return await readHidden(`${name} (not shown): `);
  const bytes = await readStdin(MAX_INPUT_BYTES);
  return givenText(bytes, "standard input", "the value as text").replace(/\r?\n$/, "");
}
