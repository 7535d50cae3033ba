/** A conversation as a request to Chat Completions. */
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { plainJson, stringifyJson } from "#internal/core/mod.ts";
import type { ModelMessage, ModelRequest } from "../_model.ts";
import type { WireTools } from "../_wire.ts";
import { personTexts, wireIds } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import { resultText } from "./_asked.ts";
import { readKept } from "./chat_kept.ts";

/** The request, without `stream`. */
export function chatQuestion(
  { model, own, effort, maxOutput }: Asked,
  { session, instructions, messages }: ModelRequest,
  tools: WireTools,
): ChatCompletionCreateParamsNonStreaming & { stream_options: { include_usage: true } } {
  return {
    model,
    messages: [{ role: "system", content: instructions }, ...messagesOf(model, messages, tools)],
    stream_options: { include_usage: true },
    ...(own ? { prompt_cache_key: session } : {}),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    // Other servers know the older name.
    ...(maxOutput === undefined
      ? {}
      : own
      ? { max_completion_tokens: maxOutput }
      : { max_tokens: maxOutput }),
    ...(tools.tools.length === 0 ? {} : {
      tools: tools.tools.map(({ wire, tool, schema }) => ({
        type: "function" as const,
        function: {
          name: wire,
          description: tool.description,
          parameters: plainJson(schema) as Record<string, unknown>,
        },
      })),
    }),
  };
}

function messagesOf(
  model: string,
  messages: readonly ModelMessage[],
  tools: WireTools,
): ChatCompletionMessageParam[] {
  const ids = wireIds(messages);
  const lastWords = messages.findLastIndex(({ role }) => role === "person");
  const out: ChatCompletionMessageParam[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "person":
        addWords(out, personTexts(message).join("\n\n"));
        break;
      case "results":
        for (const result of message.results) {
          const id = ids.get(result.call) ?? result.call;
          out.push({ role: "tool", tool_call_id: id, content: resultText(result) });
        }
        break;
      default:
        // What a model thought is wanted back while its calls go on, and not after.
        out.push(...turnOf(model, message, ids, tools, index > lastWords));
    }
  }
  return out;
}

/** Templates of local models want the roles to take turns. */
function addWords(out: ChatCompletionMessageParam[], words: string): void {
  if (words === "") return;
  const before = out.at(-1);
  if (before?.role === "user" && typeof before.content === "string") {
    before.content += `\n\n${words}`;
  } else {
    out.push({ role: "user", content: words });
  }
}

function turnOf(
  model: string,
  { text, calls, opaque }: Extract<ModelMessage, { role: "model" }>,
  ids: ReadonlyMap<string, string>,
  tools: WireTools,
  current: boolean,
): ChatCompletionMessageParam[] {
  if (text === "" && calls.length === 0) return [];
  const { extra_content: extras = {}, ...reasoning } = readKept(model, opaque) ?? {};
  const made = calls.map(({ id, tool, input }, place): ChatCompletionMessageFunctionToolCall => {
    const extra = extras[place];
    return {
      id: ids.get(id) ?? id,
      type: "function",
      function: { name: tools.wireOf(tool), arguments: stringifyJson(input) },
      ...(extra === undefined ? {} : { extra_content: extra }),
    };
  });
  return [{
    role: "assistant",
    content: text === "" ? null : text,
    ...(made.length === 0 ? {} : { tool_calls: made }),
    ...(current ? reasoning : {}),
  }];
}
