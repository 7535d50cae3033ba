/** Where OpenAI's interfaces are asked, and the vendor's client for it. */
import type OpenAI from "openai";
import { boundedFetch } from "#internal/runtime/mod.ts";
import { isOfWhole, WholeAnswer } from "../_errors.ts";
import { jsonOrText } from "../_events.ts";
import type { ModelContext } from "../_model.ts";
import { baseUrlOf, findKey } from "../_options.ts";
import { ANSWER_BOUNDS, EVENT_BOUNDS } from "../_vendor.ts";

const OWN_URL = "https://api.openai.com/v1";

/** A server, the key for it, and whether it is OpenAI's own. */
export interface OpenaiPlace {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly own: boolean;
  readonly env: ModelContext["env"];
}

/** What `OPENAI_BASE_URL` and `OPENAI_API_KEY` say. @throws {AgentError} `model`, `model-key` */
export async function findPlace(name: string, context: ModelContext): Promise<OpenaiPlace> {
  const baseURL = baseUrlOf(context, "OPENAI_BASE_URL") ?? OWN_URL;
  const { hostname } = new URL(baseURL);
  const own = hostname === "api.openai.com" || hostname.endsWith(".api.openai.com");
  const apiKey = await findKey(context, name, "OPENAI_API_KEY", !own);
  return { baseURL, apiKey, own, env: context.env };
}

/** Loads the vendor's client. It takes tens of milliseconds: it begins now, and the caller goes on. */
export function loadClient(): Promise<typeof OpenAI> {
  const loading = import("openai").then((module) => module.default);
  loading.catch(() => {});
  return loading;
}

/**
 * A client for one request.
 * @param heard called at each piece of an answer that is a stream of events; missing for another one
 */
export function clientAt(
  Client: typeof OpenAI,
  { baseURL, apiKey, env }: OpenaiPlace,
  heard?: () => void,
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
    fetch: heard === undefined
      ? boundedFetch(ANSWER_BOUNDS)
      : fetchEvents(boundedFetch({ ...EVENT_BOUNDS, onBytes: heard })),
  });
}

/** The client would read any answer as a stream, and find no end in it. */
function fetchEvents(ask: ReturnType<typeof boundedFetch>): typeof ask {
  return async (input, init) => {
    const answer = await ask(input, init);
    if (!answer.ok || !isOfWhole(answer.headers.get("content-type"))) return answer;
    throw new WholeAnswer(jsonOrText(await answer.text()));
  };
}
