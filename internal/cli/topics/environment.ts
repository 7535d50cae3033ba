import type { Topic } from "./_topic.ts";
import { rows } from "./_topic.ts";

/** Variables that are looked at. An option wins over its variable. */
const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ["SION_NODE", "the node to use (--node; default http://127.0.0.1:8400)"],
  ["SION_HOME", "where wallets and sessions are kept (--home; default ~/.sion)"],
  ["SION_KEYRING", "off: the key of kept credentials is in a file, not in the system's keyring"],
  ["ANTHROPIC_API_KEY", "the key for anthropic:MODEL, before one that is kept"],
  ["ANTHROPIC_BASE_URL", "another server that speaks Anthropic's Messages API"],
  ["OPENAI_API_KEY", "the key for openai:MODEL, before one that is kept"],
  ["OPENAI_BASE_URL", "another server that speaks OpenAI's API, like http://127.0.0.1:11434/v1"],
  ["OPENAI_API", "responses or chat (default: responses for OpenAI itself, else chat)"],
  ["SION_MODEL_CONTEXT", "tokens a model reads, instead of what is known of it"],
  ["SION_SEARCH", "what searches the web for --web: brave, tavily or searxng:https://…"],
  ["BRAVE_SEARCH_API_KEY", "the key for Brave Search, before one that is kept"],
  ["TAVILY_API_KEY", "the key for Tavily, before one that is kept"],
  ["NO_COLOR", "not empty: no colour (--no-color)"],
  ["FORCE_COLOR", "not empty and not 0: colour without a terminal too"],
  ["ACCESSIBLE", "not empty: lines only, nothing redrawn (--plain)"],
  ["TERM", "dumb: no colour"],
  ["MALLOC_ARENA_MAX", "set for itself by sion devnet and sion node, to 1, where it is not set"],
  ["NODE_DISABLE_COMPILE_CACHE", "1: what Node compiled is not kept in compiled/ of the home"],
  ["SION_GATEWAY_…", "the options of sion-gateway, as in SION_GATEWAY_PAY_TO"],
];

/** `sion help environment`. */
export const environment: Topic = {
  name: "environment",
  text: () => ["Environment variables:", rows(VARIABLES)].join("\n"),
};
