/** A conversation as a request to the Messages API. */
import type {
  Base64ImageSource,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { plainJson } from "#internal/core/mod.ts";
import type { KeptPicture } from "../../conversation.ts";
import { estimateTokens } from "../_estimate.ts";
import type { KnownModel } from "../_known_models.ts";
import type { ModelMessage, ModelQuestion, ModelRequest } from "../_model.ts";
import type { NamedModel } from "../_options.ts";
import type { WireTools } from "../_wire.ts";
import { personTexts, wireIds, wirePictures } from "../_wire.ts";
import { readKept } from "./kept.ts";

/** The model that is asked. */
export interface Asked extends NamedModel {
  /** As `--model` has it. */
  readonly name: string;
  readonly known: KnownModel | undefined;
  readonly contextTokens: number;
}

/** Tokens an answer may have where nothing says more; the API wants a number. */
const DEFAULT_OUTPUT = 32_000;
const MOST_OUTPUT = 64_000;
const LEAST_OUTPUT = 1_024;
/** Left free for what the estimate misses. */
const MARGIN_TOKENS = 2_000;

/** Tokens for thinking, of models that are told a number. */
const BUDGETS: { readonly [effort: string]: number } = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_768,
  max: 48_000,
};

/** Where the provider is to keep what it has read, so that the next turn is cheaper. */
const KEEP = { cache_control: { type: "ephemeral" } } as const;

type Question = MessageCreateParamsNonStreaming;

/** The request, without `stream`. */
export function questionOf(asked: Asked, request: ModelRequest, tools: WireTools): Question {
  const { instructions } = request;
  const maxTokens = outputTokens(asked, request);
  return {
    model: asked.model,
    max_tokens: maxTokens,
    system: [{ type: "text", text: instructions, ...KEEP }],
    messages: messagesOf(asked, request, tools),
    ...(tools.tools.length === 0 ? {} : { tools: toolsOf(tools) }),
    ...thinkingOf(asked, maxTokens, request.messages),
  };
}

/** What an answer is bounded to: with its question it must fit in the context. */
export function outputTokens(asked: Asked, request: ModelQuestion): number {
  const { known, maxOutput, contextTokens } = asked;
  const own = maxOutput ?? Math.min(known?.output ?? DEFAULT_OUTPUT, MOST_OUTPUT);
  const wished = Math.min(own, request.mostOutput ?? own);
  const room = contextTokens - estimateTokens(request) - MARGIN_TOKENS;
  return Math.max(LEAST_OUTPUT, Math.min(wished, room));
}

function toolsOf({ tools }: WireTools): Tool[] {
  return tools.map(({ wire, tool, schema }) => ({
    name: wire,
    description: tool.description,
    input_schema: plainJson(schema) as Tool.InputSchema,
  }));
}

/** Without a wish, the model's own default holds. */
function thinkingOf(
  { effort, known, model }: Asked,
  maxTokens: number,
  messages: readonly ModelMessage[],
): Pick<Question, "thinking" | "output_config"> {
  if (effort === undefined) return {};
  if (effort === "none") return { thinking: { type: "disabled" } };
  if (known?.thinking === "budget") {
    const budget = Math.min(BUDGETS[effort] ?? LEAST_OUTPUT, maxTokens - LEAST_OUTPUT);
    // In the middle of calls the API wants the thinking before them, which another model did not give.
    const thought = sinceThePerson(messages).every((message) =>
      message.role !== "model" || readKept(model, message.opaque) !== undefined
    );
    return budget < 1_024 || !thought
      ? {}
      : { thinking: { type: "enabled", budget_tokens: budget } };
  }
  const level = effort === "minimal" ? "low" : effort;
  return { thinking: { type: "adaptive" }, output_config: { effort: level } };
}

function sinceThePerson(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "person");
  return messages.slice(last + 1);
}

function messagesOf(
  { model }: Asked,
  { messages, picture }: ModelRequest,
  tools: WireTools,
): MessageParam[] {
  const ids = wireIds(messages);
  const out: { role: "user" | "assistant"; content: ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const role = message.role === "model" ? "assistant" : "user";
    const content = message.role === "model"
      ? turnOf(model, message, ids, tools)
      : contentOf(message, ids, picture);
    if (content.length === 0) continue;
    const before = out.at(-1);
    // Two of one role in a row are one to the API.
    if (before?.role === role) before.content.push(...content);
    else out.push({ role, content });
  }
  markKept(out);
  return out;
}

function contentOf(
  message: Exclude<ModelMessage, { role: "model" }>,
  ids: ReadonlyMap<string, string>,
  picture: ModelRequest["picture"],
): ContentBlockParam[] {
  if (message.role === "person") {
    const texts = personTexts(message).map((text) => ({ type: "text" as const, text }));
    return [...imagesOf(message, picture), ...texts];
  }
  return message.results.map((result): ToolResultBlockParam => {
    const { call, ok, text } = result;
    const images = imagesOf(result, picture);
    const words = text.trim() === "" ? [] : [{ type: "text" as const, text }];
    return {
      type: "tool_result",
      tool_use_id: ids.get(call) ?? call,
      ...(images.length > 0
        ? { content: [...words, ...images] }
        : text === ""
        ? {}
        : { content: text }),
      ...(ok ? {} : { is_error: true }),
    };
  });
}

function imagesOf(
  of: { readonly pictures?: readonly KeptPicture[] },
  picture: ModelRequest["picture"],
): ImageBlockParam[] {
  return wirePictures(of, picture).map(({ mediaType, base64 }) => ({
    type: "image",
    source: {
      type: "base64",
      media_type: mediaType as Base64ImageSource["media_type"],
      data: base64,
    },
  }));
}

function turnOf(
  model: string,
  message: Extract<ModelMessage, { role: "model" }>,
  ids: ReadonlyMap<string, string>,
  tools: WireTools,
): ContentBlockParam[] {
  const calls = message.calls.map(({ id, tool, input }): ContentBlockParam => ({
    type: "tool_use",
    id: ids.get(id) ?? id,
    name: tools.wireOf(tool),
    input: plainJson(input),
  }));
  const text = (words: string): ContentBlockParam[] =>
    words.trim() === "" ? [] : [{ type: "text", text: words }];
  const kept = readKept(model, message.opaque);
  if (kept === undefined) return [...text(message.text), ...calls];
  // As it was written: its thinking, signed, between its words and its calls.
  let read = 0;
  const content = kept.flatMap((block): ContentBlockParam[] => {
    switch (block.type) {
      case "text":
        return text(message.text.slice(read, read += block.length));
      case "call":
        return calls.splice(0, 1);
      default:
        return [block];
    }
  });
  return [...content, ...text(message.text.slice(read)), ...calls];
}

/**
 * Marks the ends of the last two messages of the person's side: what was read up to the one before is
 * found again, what is read up to the last is kept.
 */
function markKept(messages: readonly { role: string; content: ContentBlockParam[] }[]): void {
  for (const { content } of messages.filter(({ role }) => role === "user").slice(-2)) {
    const last = content.length - 1;
    const block = content[last];
    if (block !== undefined) content[last] = { ...block, ...KEEP } as ContentBlockParam;
  }
}
