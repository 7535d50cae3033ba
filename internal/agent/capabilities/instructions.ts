/** What the operator asks of the agent, whatever the conversation is about. */
import * as z from "zod";
import { messageOf } from "#internal/core/mod.ts";
import { resolve } from "node:path";
import { AgentError } from "../errors.ts";
import { defineCapability, givenValue } from "./_capability.ts";

/** Characters; a page or two. Every request to the model carries them. */
const MAX_LENGTH = 16_000;

/** `--instructions TEXT` or `--instructions @FILE`; a file is read once, when the session begins. */
export const instructions = defineCapability({
  name: "instructions",
  options: [{
    name: "instructions",
    kind: "value",
    placeholder: "TEXT",
    about: "what you ask of the agent in every conversation; @FILE takes a file's text",
    default: "nothing besides the runtime's own",
    fileAfterAt: true,
  }],
  settings: z.strictObject({ text: z.string().max(MAX_LENGTH) }),
  async read(given, machine) {
    const value = givenValue(given, "instructions");
    if (value === undefined || value === "") return undefined;
    const text = value.startsWith("@") ? await textOf(value.slice(1), machine) : value;
    if (text.length <= MAX_LENGTH) return { text };
    throw new AgentError(
      "option",
      `the instructions have ${text.length} characters, at most ${MAX_LENGTH} are taken: ` +
        "put the rest in a file of the workspace",
    );
  },
  instructions: ({ text }) => `Your operator asks of you:\n${text.trim()}`,
});

async function textOf(
  path: string,
  { cwd, readText }: { readonly cwd: string; readonly readText: (path: string) => Promise<string> },
): Promise<string> {
  try {
    return await readText(resolve(cwd, path));
  } catch (cause) {
    throw new AgentError(
      "option",
      `the instructions in ${path} cannot be read (${messageOf(cause)}): give a text file`,
      { cause },
    );
  }
}
