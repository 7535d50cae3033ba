/** The events of a Messages stream as parts of an answer. */
import type { MessageDeltaUsage, Usage } from "@anthropic-ai/sdk/resources/messages";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { isEmptyAnswer } from "../_empty.ts";
import type { ModelPart, ModelRequest, ModelUsage } from "../_model.ts";
import { ModelError } from "../_model.ts";
import type { WireTools } from "../_wire.ts";
import type { KeptBlock } from "./kept.ts";
import { keep } from "./kept.ts";
import type { Asked } from "./question.ts";

/** A block as it comes. */
type Block =
  | { readonly type: "text"; length: number }
  | { readonly type: "thinking"; thinking: string; signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly json: string[] };

/**
 * Reads a stream to its end. One that ends without its last event gives no `end`.
 * @throws {ModelError} `declined`, `empty`
 */
export async function* readAnswer(
  asked: Asked,
  events: AsyncIterable<RawMessageStreamEvent>,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const blocks = new Map<number, Block>();
  let usage: ModelUsage = { input: 0, output: 0 };
  let stop: string | null = null;
  for await (const event of events) {
    request.heard();
    switch (event.type) {
      case "message_start":
        usage = addUsage(usage, event.message.usage);
        yield { type: "usage", ...usage };
        break;
      case "content_block_start": {
        const block = begin(event.content_block);
        if (block !== undefined) blocks.set(event.index, block);
        const text = event.content_block.type === "text" ? event.content_block.text : "";
        if (text !== "") yield* words(block, text);
        break;
      }
      case "content_block_delta": {
        const block = blocks.get(event.index);
        if (event.delta.type === "text_delta") yield* words(block, event.delta.text);
        else if (block !== undefined) grow(block, event.delta);
        break;
      }
      case "message_delta":
        stop = event.delta.stop_reason ?? stop;
        usage = addUsage(usage, event.usage);
        yield { type: "usage", ...usage };
        break;
      case "content_block_stop":
        break;
      case "message_stop":
        yield* finish(asked, [...blocks.values()], stop, request, tools);
    }
  }
}

function* words(block: Block | undefined, text: string): Generator<ModelPart> {
  if (block?.type === "text") block.length += text.length;
  yield { type: "text", text };
}

type Started = Extract<RawMessageStreamEvent, { type: "content_block_start" }>["content_block"];
type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"];

function begin(block: Started): Block | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", length: 0 };
    case "thinking":
      return { type: "thinking", thinking: block.thinking, signature: block.signature ?? "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data };
    case "tool_use": {
      // Some servers give the whole input here and no pieces of it.
      const whole = JSON.stringify(block.input ?? {});
      return { type: "call", id: block.id, name: block.name, json: whole === "{}" ? [] : [whole] };
    }
    default:
      return undefined;
  }
}

function grow(block: Block, delta: Delta): void {
  if (block.type === "call" && delta.type === "input_json_delta") {
    block.json.push(delta.partial_json);
  }
  if (block.type !== "thinking") return;
  if (delta.type === "thinking_delta") block.thinking += delta.thinking;
  if (delta.type === "signature_delta") block.signature += delta.signature;
}

function* finish(
  { name, model }: Asked,
  blocks: readonly Block[],
  stop: string | null,
  request: ModelRequest,
  tools: WireTools,
): Generator<ModelPart> {
  if (stop === "refusal") throw new ModelError("declined", `${name} declined to answer`);
  const order: KeptBlock[] = [];
  for (const block of blocks) {
    if (block.type !== "call") {
      order.push(block);
      continue;
    }
    order.push({ type: "call" });
    const { id, name: wire, json } = block;
    yield { type: "call", tool: tools.nameOf(wire), input: json.join(""), providerId: id };
  }
  const saysNothing = order.every((block) =>
    block.type !== "call" && !(block.type === "text" && block.length > 0)
  );
  const cut = stop === "max_tokens" || stop === "model_context_window_exceeded" ||
    stop === "pause_turn";
  if (saysNothing && !cut && isEmptyAnswer(request)) {
    throw new ModelError("empty", `${name} gave an empty answer`, { again: { tries: 2 } });
  }
  const opaque = keep(model, order);
  if (opaque !== undefined) yield { type: "opaque", value: opaque };
  yield { type: "end", stop: cut ? "length" : "end" };
}

/** Counts come more than once; the latest of each holds. */
function addUsage(before: ModelUsage, now: Usage | MessageDeltaUsage): ModelUsage {
  const cached = now.cache_read_input_tokens ?? before.cached ?? 0;
  const cacheWritten = now.cache_creation_input_tokens ?? before.cacheWritten ?? 0;
  const fresh = now.input_tokens ??
    before.input - (before.cached ?? 0) - (before.cacheWritten ?? 0);
  return {
    input: fresh + cached + cacheWritten,
    output: now.output_tokens ?? before.output,
    cached,
    cacheWritten,
  };
}
