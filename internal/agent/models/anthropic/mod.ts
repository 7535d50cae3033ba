/**
 * Anthropic's models, by the Messages API: `anthropic:<model>`, with `ANTHROPIC_API_KEY`, and
 * `ANTHROPIC_BASE_URL` for another server that speaks it. The vendor's client is loaded when a session
 * has such a model.
 */
import type Anthropic from "@anthropic-ai/sdk";
import { boundedFetch } from "#internal/runtime/mod.ts";
import { modelErrorOf, refusedTool } from "../_errors.ts";
import { ANSWER_BOUNDS } from "../_bounds.ts";
import { knownAnthropic } from "../_known_models.ts";
import type { Model, ModelContext, ModelPart, ModelProvider, ModelRequest } from "../_model.ts";
import { baseUrlOf, modelFacts, readName, requireKey } from "../_options.ts";
import type { WireTools } from "../_wire.ts";
import { leftOutNotices, wireTools } from "../_wire.ts";
import { readAnswer } from "./answer.ts";
import type { Asked } from "./question.ts";
import { questionOf } from "./question.ts";

/** `anthropic:<model>`. */
export const anthropic: ModelProvider = {
  scheme: "anthropic",
  usage: "<model>",
  async open(rest, context): Promise<Model> {
    const named = readName("anthropic", rest);
    const name = `anthropic:${rest}`;
    const known = knownAnthropic(named.model);
    const baseURL = baseUrlOf(context, "ANTHROPIC_BASE_URL");
    const apiKey = await keyFor(context, name, baseURL);
    const facts = modelFacts(named, known);
    // Loading takes tens of milliseconds: it begins now, and whoever opens a session goes on.
    const loading = import("@anthropic-ai/sdk");
    loading.catch(() => {});
    const refused = new Set<string>();
    const told = new Set<string>();
    const asked: Asked = { ...named, known, contextTokens: facts.contextTokens };
    return {
      name,
      ...facts,
      respond: (request) =>
        respond({ name, asked, baseURL, apiKey, loading, refused, told }, request),
    };
  },
};

/** Other servers than Anthropic's may need no key. */
async function keyFor(
  context: ModelContext,
  name: string,
  baseURL: string | undefined,
): Promise<string> {
  try {
    return await requireKey(context, name, "ANTHROPIC_API_KEY");
  } catch (error) {
    if (baseURL === undefined) throw error;
    return "none";
  }
}

interface Opened {
  readonly name: string;
  readonly asked: Asked;
  readonly baseURL: string | undefined;
  readonly apiKey: string;
  readonly loading: Promise<{ readonly default: typeof Anthropic }>;
  /** Tools that it has refused, by name. */
  readonly refused: Set<string>;
  /** Tools that were said to be left out. */
  readonly told: Set<string>;
}

async function* respond(opened: Opened, request: ModelRequest): AsyncGenerator<ModelPart> {
  for (;;) {
    const tools = wireTools(request.tools, opened.refused);
    yield* leftOutNotices(tools, opened.told);
    let begun = false;
    try {
      for await (const part of ask(opened, request, tools)) {
        begun = true;
        yield part;
      }
      return;
    } catch (thrown) {
      request.signal.throwIfAborted();
      const place = begun ? undefined : refusedTool(thrown);
      const tool = place === undefined ? undefined : tools.tools[place]?.tool.name;
      if (tool === undefined) throw modelErrorOf(opened.name, thrown, [opened.apiKey]);
      opened.refused.add(tool);
    }
  }
}

async function* ask(
  { name, asked, baseURL, apiKey, loading }: Opened,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const { default: Client } = await loading;
  const client = new Client({
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
    fetch: boundedFetch({ ...ANSWER_BOUNDS, onBytes: request.heard }),
  });
  const stream = await client.messages.create(
    { ...questionOf(asked, request, tools), stream: true },
    { signal: request.signal },
  );
  yield* readAnswer(name, asked, stream, request, tools);
}
