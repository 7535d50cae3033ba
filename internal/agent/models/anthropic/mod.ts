/**
 * Anthropic's models, by the Messages API: `anthropic:<model>`, with `ANTHROPIC_API_KEY`, and
 * `ANTHROPIC_BASE_URL` for another server that speaks it. The vendor's client is loaded when a session
 * has such a model.
 */
import type Anthropic from "@anthropic-ai/sdk";
import { boundedFetch } from "#internal/runtime/mod.ts";
import { knownAnthropic } from "../_known_models.ts";
import type { Model, ModelPart, ModelProvider, ModelRequest } from "../_model.ts";
import { baseUrlOf, findKey, modelFacts, readName } from "../_options.ts";
import { EVENT_BOUNDS, streamOf, vendorModel } from "../_vendor.ts";
import type { WireTools } from "../_wire.ts";
import { readAnswer } from "./answer.ts";
import type { Asked } from "./question.ts";
import { outputTokens, questionOf } from "./question.ts";

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
    // Loading takes tens of milliseconds: it begins now, and whoever opens a session goes on.
    const loading = import("@anthropic-ai/sdk");
    loading.catch(() => {});
    const client = async (request: ModelRequest) =>
      clientFor((await loading).default, baseURL, apiKey, request);
    return {
      name,
      ...facts,
      respond: vendorModel(name, [apiKey], (request, tools) => ask(asked, client, request, tools)),
    };
  },
};

function clientFor(
  Client: typeof Anthropic,
  baseURL: string | undefined,
  apiKey: string,
  request: ModelRequest,
): Anthropic {
  return new Client({
    apiKey,
    // What the client would take from the environment by itself is not for it to take.
    authToken: null,
    webhookKey: null,
    baseURL: baseURL ?? "https://api.anthropic.com",
    // Servers that speak an older form of the API look for the key there.
    ...(baseURL === undefined ? {} : { defaultHeaders: { "x-api-key": apiKey } }),
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    fetch: boundedFetch({ ...EVENT_BOUNDS, onBytes: request.heard }),
  });
}

async function* ask(
  asked: Asked,
  client: (request: ModelRequest) => Promise<Anthropic>,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const { messages } = await client(request);
  const stream = await messages.create(
    { ...questionOf(asked, request, tools), stream: true },
    { signal: request.signal },
  );
  yield* readAnswer(asked, streamOf(stream), request, tools);
}
