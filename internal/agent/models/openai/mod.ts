/**
 * OpenAI's models and those of servers that speak its interfaces: `openai:<model>`, with
 * `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server (Ollama, vLLM, LM Studio). OpenAI itself is
 * asked by its Responses API, other servers by Chat Completions, which is what they all have;
 * `openai:<model>?api=chat` or `OPENAI_API=responses` says otherwise. The vendor's client is loaded when
 * a session has such a model.
 */
import type OpenAI from "openai";
import { boundedFetch } from "#internal/runtime/mod.ts";
import { AgentError } from "../../errors.ts";
import { knownOpenai } from "../_known_models.ts";
import type { Model, ModelContext, ModelPart, ModelProvider, ModelRequest } from "../_model.ts";
import { baseUrlOf, findKey, modelFacts, readName } from "../_options.ts";
import { ANSWER_BOUNDS, streamOf, vendorModel } from "../_vendor.ts";
import type { WireTools } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import { readChat } from "./chat_answer.ts";
import { chatQuestion } from "./chat_question.ts";
import { readResponse } from "./responses_answer.ts";
import { responsesQuestion } from "./responses_question.ts";

const APIS = ["chat", "responses"] as const;
const OWN_URL = "https://api.openai.com/v1";
/** A model that reasons may say nothing for minutes, and this API has no pings. */
const SILENCE_LIMIT_MS = 300_000;

/** `openai:<model>`. */
export const openai: ModelProvider = {
  scheme: "openai",
  keys: ["OPENAI_API_KEY"],
  usage: "<model>",
  async open(rest, context): Promise<Model> {
    const named = readName("openai", rest, APIS);
    const name = `openai:${rest}`;
    const given = baseUrlOf(context, "OPENAI_BASE_URL");
    const baseURL = given ?? OWN_URL;
    const own = isOwn(baseURL);
    const apiKey = await findKey(context, name, "OPENAI_API_KEY", !own);
    const known = knownOpenai(named.model);
    const facts = modelFacts(named, known);
    const asked: Asked = { ...named, name, known, own };
    const ask = apiOf(named.api, context, own) === "chat" ? askChat : askResponses;
    // Loading takes tens of milliseconds: it begins now, and whoever opens a session goes on.
    const loading = import("openai");
    loading.catch(() => {});
    const client = async (request: ModelRequest) =>
      clientFor((await loading).default, { baseURL, apiKey, env: context.env }, request);
    return {
      name,
      ...facts,
      silenceLimitMs: SILENCE_LIMIT_MS,
      respond: vendorModel(name, [apiKey], (request, tools) => ask(asked, client, request, tools)),
    };
  },
};

function isOwn(baseURL: string): boolean {
  const { hostname } = new URL(baseURL);
  return hostname === "api.openai.com" || hostname.endsWith(".api.openai.com");
}

/** @throws {AgentError} `model` */
function apiOf(named: string | undefined, { env }: ModelContext, own: boolean): string {
  if (named !== undefined) return named;
  const given = (env["OPENAI_API"] ?? "").trim();
  if (given === "") return own ? "responses" : "chat";
  if (APIS.some((api) => api === given)) return given;
  throw new AgentError("model", `OPENAI_API is ${given}: give ${APIS.join(" or ")}`);
}

function clientFor(
  Client: typeof OpenAI,
  { baseURL, apiKey, env }: {
    readonly baseURL: string;
    readonly apiKey: string;
    readonly env: ModelContext["env"];
  },
  request: ModelRequest,
): OpenAI {
  return new Client({
    apiKey,
    baseURL,
    // What the client would take from the environment by itself is not for it to take.
    organization: env["OPENAI_ORG_ID"] ?? null,
    project: env["OPENAI_PROJECT_ID"] ?? null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    fetch: boundedFetch({ ...ANSWER_BOUNDS, onBytes: request.heard }),
  });
}

type MakeClient = (request: ModelRequest) => Promise<OpenAI>;

async function* askResponses(
  asked: Asked,
  client: MakeClient,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const { responses } = await client(request);
  const stream = await responses.create(
    { ...responsesQuestion(asked, request, tools), stream: true },
    { signal: request.signal },
  );
  yield* readResponse(asked, streamOf(stream), request, tools);
}

async function* askChat(
  asked: Asked,
  client: MakeClient,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const { chat } = await client(request);
  const stream = await chat.completions.create(
    { ...chatQuestion(asked, request, tools), stream: true },
    { signal: request.signal },
  );
  yield* readChat(asked, streamOf(stream), request, tools);
}
