/** A conversation as a request to Chat Completions. */
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import { plainJson, stringifyJson } from "#internal/core/mod.ts";
import type { ModelMessage, ModelRequest } from "../_model.ts";
import type { WirePicture, WireTools } from "../_wire.ts";
import { dataUrl, personTexts, wireIds, wirePictures } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import { answerBound, resultText } from "./_asked.ts";
import { readKept } from "./chat_kept.ts";

/** The request, without `stream`. */
export function chatQuestion(
  asked: Asked,
  request: ModelRequest,
  tools: WireTools,
): ChatCompletionCreateParamsNonStreaming & { stream_options: { include_usage: true } } {
  const { model, own, effort } = asked;
  const maxOutput = answerBound(asked, request);
  const { session, instructions } = request;
  return {
    model,
    messages: [{ role: "system", content: instructions }, ...messagesOf(model, request, tools)],
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
  { messages, picture }: ModelRequest,
  tools: WireTools,
): ChatCompletionMessageParam[] {
  const ids = wireIds(messages);
  const lastWords = messages.findLastIndex(({ role }) => role === "person");
  const out: ChatCompletionMessageParam[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "person":
        addWords(out, personTexts(message).join("\n\n"), wirePictures(message, picture));
        break;
      case "results":
        for (const result of message.results) {
          const id = ids.get(result.call) ?? result.call;
          out.push({ role: "tool", tool_call_id: id, content: resultText(result) });
        }
        // A result can hold no picture here: they come right after, from the other side.
        for (const result of message.results) {
          const pictures = wirePictures(result, picture);
          if (pictures.length > 0) addWords(out, `(from ${result.tool}:)`, pictures);
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
function addWords(
  out: ChatCompletionMessageParam[],
  words: string,
  pictures: readonly WirePicture[],
): void {
  const before = out.at(-1);
  if (pictures.length > 0) {
    const images = pictures.map((one): ChatCompletionContentPart => ({
      type: "image_url",
      image_url: { url: dataUrl(one) },
    }));
    const text: ChatCompletionContentPart[] = words === "" ? [] : [{ type: "text", text: words }];
    out.push({ role: "user", content: [...text, ...images] });
  } else if (words === "") {
    return;
  } else if (before?.role === "user" && typeof before.content === "string") {
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
