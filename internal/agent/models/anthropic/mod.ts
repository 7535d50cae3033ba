/**
 * Anthropic's models, by the Messages API: `anthropic:<model>`, with `ANTHROPIC_API_KEY`, and
 * `ANTHROPIC_BASE_URL` for another server that speaks it. Asked without the vendor's client, most of
 * which is other interfaces (docs/decisions/0035-models.md); what it says of types is used.
 */
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { VERSION } from "#internal/core/mod.ts";
import { createEventClient } from "#internal/runtime/mod.ts";
import { eventsOf } from "../_events.ts";
import { knownAnthropic } from "../_known_models.ts";
import type { Model, ModelProvider } from "../_model.ts";
import { baseUrlOf, findKey, modelFacts, readName } from "../_options.ts";
import { streamOf, vendorModel } from "../_vendor.ts";
import { readAnswer } from "./answer.ts";
import { anthropicHeaders } from "./headers.ts";
import type { Asked } from "./question.ts";
import { outputTokens, questionOf } from "./question.ts";

const VENDOR = "https://api.anthropic.com";

/** `anthropic:<model>`. */
export const anthropic: ModelProvider = {
  scheme: "anthropic",
  keys: ["ANTHROPIC_API_KEY"],
  usage: "<model>",
  async open(rest, context): Promise<Model> {
    const named = readName("anthropic", rest);
    const name = `anthropic:${rest}`;
    const baseURL = baseUrlOf(context, "ANTHROPIC_BASE_URL");
    const apiKey = await findKey(context, name, "ANTHROPIC_API_KEY", baseURL !== undefined);
    const known = knownAnthropic(named.model);
    const facts = modelFacts(named, known, (question) => outputTokens(asked, question));
    const asked: Asked = { ...named, name, known, contextTokens: facts.contextTokens };
    const client = createEventClient(context.env);
    const question = {
      url: `${baseURL ?? VENDOR}/v1/messages`,
      headers: {
        accept: "text/event-stream",
        ...anthropicHeaders(apiKey),
        "user-agent": `sion/${VERSION}`,
      },
    };
    return {
      name,
      ...facts,
      respond: vendorModel(name, [apiKey], (request, tools) => {
        const body = { ...questionOf(asked, request, tools), stream: true };
        const events = eventsOf<RawMessageStreamEvent>(client, { ...question, body }, request);
        return readAnswer(asked, streamOf(events), request, tools);
      }),
    };
  },
};
