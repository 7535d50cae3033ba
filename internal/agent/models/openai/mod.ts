/**
 * OpenAI's models and those of servers that speak its interfaces: `openai:<model>`, with
 * `OPENAI_API_KEY`, and `OPENAI_BASE_URL` for another server (Ollama, vLLM, LM Studio). OpenAI itself is
 * asked by its Responses API, other servers by Chat Completions, which is what they all have;
 * `openai:<model>?api=chat` or `OPENAI_API=responses` says otherwise. The vendor's client is loaded when
 * a session has such a model.
 */
import type OpenAI from "openai";
import { AgentError } from "../../errors.ts";
import { knownOpenai } from "../_known_models.ts";
import type { Model, ModelContext, ModelPart, ModelProvider, ModelRequest } from "../_model.ts";
import { modelFacts, readName } from "../_options.ts";
import { streamOf, vendorModel } from "../_vendor.ts";
import type { WireTools } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import { clientAt, findPlace, loadClient } from "./_place.ts";
import { readChat } from "./chat_answer.ts";
import { chatQuestion } from "./chat_question.ts";
import { readResponse } from "./responses_answer.ts";
import { responsesQuestion } from "./responses_question.ts";

const APIS = ["chat", "responses"] as const;
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
    const place = await findPlace(name, context);
    const { own, apiKey } = place;
    const known = knownOpenai(named.model);
    const facts = modelFacts(named, known);
    const asked: Asked = { ...named, name, known, own };
    const ask = apiOf(named.api, context, own) === "chat" ? askChat : askResponses;
    const loading = loadClient();
    const client = async ({ heard }: ModelRequest) => clientAt(await loading, place, heard);
    return {
      name,
      ...facts,
      silenceLimitMs: SILENCE_LIMIT_MS,
      respond: vendorModel(name, [apiKey], (request, tools) => ask(asked, client, request, tools)),
    };
  },
};

/** @throws {AgentError} `model` */
function apiOf(named: string | undefined, { env }: ModelContext, own: boolean): string {
  if (named !== undefined) return named;
  const given = (env["OPENAI_API"] ?? "").trim();
  if (given === "") return own ? "responses" : "chat";
  if (APIS.some((api) => api === given)) return given;
  throw new AgentError("model", `OPENAI_API is ${given}: give ${APIS.join(" or ")}`);
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
