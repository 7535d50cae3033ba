/** Asks a model without tools about content held in quarantine. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import { ANSWER_SHAPES, heldId } from "../quarantine.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_QUESTION = 500;
const MAX_OPTIONS = 20;
const MAX_OPTION = 100;

const about = z.string().transform((given, context) => {
  const id = heldId(given);
  if (id !== undefined) return id;
  context.addIssue({
    code: "custom",
    message: "it is no placeholder: give one like ⟦outside 2.1⟧",
  });
  return z.NEVER;
}).meta({ type: "string", description: "The placeholder, or its number: 2.1" });

/** The shape bounds what the content can say through the answer; words are held themselves. */
export const askReader = defineAgentTool({
  name: "ask_reader",
  title: "Ask about held content",
  description: "Ask a question about content that is held in quarantine. A reader without tools " +
    "answers: yes_no, number, date (YYYY-MM-DD), or choice among your options come back as they " +
    "are; text comes back held, as a placeholder to be passed on.",
  input: () =>
    z.strictObject({
      about,
      answer: z.enum(ANSWER_SHAPES).describe("The shape of the answer"),
      options: z.array(z.string().min(1).max(MAX_OPTION)).min(2).max(MAX_OPTIONS).exactOptional()
        .describe("What a choice is among"),
      question: z.string().trim().min(1).max(MAX_QUESTION).describe("One question"),
    }),
  highestEffect: "read",
  takesPlaceholders: true,
  outside: (result, { about, answer }) =>
    result.ok && answer === "text" ? `outside ${about}` : undefined,
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  needs: ["quarantine"],
  async run({ reader, signal }, { about, answer, options = [], question }) {
    if (answer === "choice" && options.length === 0) {
      return refused("argument", "a choice needs options: give at least two");
    }
    if (reader === undefined) throw new TypeError("Cannot ask a reader: the session has none");
    const found = await reader({ about, answer, options, question }, signal);
    return "problem" in found ? refused("reader", found.problem) : { ok: true, text: found.answer };
  },
});
