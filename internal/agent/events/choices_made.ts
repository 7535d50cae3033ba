/** What a chat chose for the session: its model, what it asks of the agent, the tools it leaves. */
import * as z from "zod";
import type { Choices } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** All that is chosen from here on, and who chose. */
export interface ChoicesMade {
  readonly choices: Choices;
  readonly who: string;
}

/** Holds from the next request to the model on. */
export const choicesMade = defineEvent<ChoicesMade>({
  kind: "choices-made",
  v: 1,
  body: () =>
    z.object({
      choices: z.object({
        model: z.string().exactOptional(),
        system: z.string().exactOptional(),
        tools: z.array(z.string()).exactOptional(),
      }),
      who: z.string(),
    }),
  apply(state, { body }) {
    state.choices = body.choices;
  },
  trace({ body: { who, choices } }) {
    const { model, system, tools } = choices;
    const chosen = [
      ...(model === undefined ? [] : [`model ${model}`]),
      ...(tools === undefined ? [] : [`tools ${tools.join(" ")}`]),
      ...(system === undefined ? [] : [`what it asks of the agent: ${system}`]),
    ];
    return [`${who} chose ${chosen.length === 0 ? "nothing" : chosen.join("; ")}`];
  },
});
