/** The answer is one JSON value of a given form. */
import { resolve } from "node:path";
import * as z from "zod";
import { messageOf } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { AnswerForm } from "../answer_form.ts";
import { answerForm, OUTPUT_SCHEMA } from "../answer_form.ts";
import { AgentError } from "../errors.ts";
import { defineCapability, givenValue } from "./_capability.ts";

/** Characters of a schema: it is shown to the model in every request. */
const MOST_CHARACTERS = 64_000;

/** `--output-schema FILE`. `loop.ts` has answers that do not fit made anew, a few times. */
export const outputSchema = defineCapability({
  name: OUTPUT_SCHEMA,
  options: [{
    name: "outputSchema",
    kind: "value",
    placeholder: "FILE",
    about: "a JSON Schema that the answer has to fit; --json has the value in done",
    default: "none",
    offers: "files",
  }],
  settings: z.strictObject({ schema: z.record(z.string(), z.json()) }) as unknown as z.ZodType<
    { readonly schema: { readonly [member: string]: JsonValue } }
  >,
  async read(given, { cwd, readText }) {
    const file = givenValue(given, "outputSchema");
    if (file === undefined) return undefined;
    const named = `--output-schema ${file}`;
    let schema: JsonValue;
    try {
      const text = await readText(resolve(cwd, file));
      if (text.length > MOST_CHARACTERS) {
        throw new Error(`it has ${text.length} characters, at most ${MOST_CHARACTERS} are taken`);
      }
      schema = JSON.parse(text) as JsonValue;
    } catch (cause) {
      throw new AgentError("option", `${named} cannot be read: ${messageOf(cause)}`, { cause });
    }
    await answerForm(schema, named);
    return { schema: schema as { readonly [member: string]: JsonValue } };
  },
  open: ({ schema }): Promise<AnswerForm> => answerForm(schema, "the session's output schema"),
  instructions: ({ schema }) =>
    "Your answer, the last one without calls, has to be one JSON value and nothing else, without a " +
    `word around it, that fits this JSON Schema: ${JSON.stringify(schema)}`,
});
