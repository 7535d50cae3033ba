/** The events of a Responses stream as parts of an answer. */
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { isEmptyAnswer } from "../_empty.ts";
import type { ModelPart, ModelRequest } from "../_model.ts";
import { ModelError } from "../_model.ts";
import { modelErrorOf } from "../_errors.ts";
import type { WireTools } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import type { KeptItem } from "./responses_kept.ts";
import { keep } from "./responses_kept.ts";

/**
 * Reads a stream to its end. One that ends without its last event gives no `end`.
 * @throws {ModelError} `declined`, `empty`, and what the provider says went wrong
 */
export async function* readResponse(
  asked: Asked,
  events: AsyncIterable<ResponseStreamEvent>,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const items: KeptItem[] = [];
  const heard = new Map<number, number>();
  for await (const event of events) {
    request.heard();
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        heard.set(event.output_index, (heard.get(event.output_index) ?? 0) + event.delta.length);
        yield { type: "text", text: event.delta };
        break;
      case "response.output_item.done":
        yield* itemDone(event.item, heard.get(event.output_index) ?? 0, items, tools);
        break;
      case "response.failed":
        throw modelErrorOf(asked.name, { error: event.response.error }, []);
      case "response.completed":
      case "response.incomplete":
        yield* finish(asked, event.response, items, request);
        return;
      default:
        break;
    }
  }
}

function* itemDone(
  item: ResponseOutputItem,
  heard: number,
  items: KeptItem[],
  tools: WireTools,
): Generator<ModelPart> {
  switch (item.type) {
    case "message": {
      const text = item.content.map((part) =>
        part.type === "output_text" ? part.text : part.refusal
      ).join("");
      // A server that sends no pieces sends the whole.
      if (heard === 0 && text !== "") yield { type: "text", text };
      const { phase } = item;
      items.push({
        type: "text",
        length: heard === 0 ? text.length : heard,
        ...(phase === undefined || phase === null ? {} : { phase }),
      });
      break;
    }
    case "function_call":
      items.push({ type: "call" });
      yield {
        type: "call",
        tool: tools.nameOf(item.name),
        input: item.arguments,
        providerId: item.call_id,
      };
      break;
    case "reasoning": {
      const { id, summary, encrypted_content: sealed } = item;
      if (typeof sealed === "string") {
        items.push({ type: "reasoning", id, summary, encrypted_content: sealed });
      }
      break;
    }
    default:
      break;
  }
}

function* finish(
  { name, model }: Asked,
  response: Response,
  items: readonly KeptItem[],
  request: ModelRequest,
): Generator<ModelPart> {
  const { usage } = response;
  if (usage !== undefined && usage !== null) {
    // Other servers leave details out, whatever the type says.
    const details: Partial<typeof usage.input_tokens_details> = usage.input_tokens_details ?? {};
    const { cached_tokens: cached = 0, cache_write_tokens: cacheWritten = 0 } = details;
    const { input_tokens: input, output_tokens: output } = usage;
    yield { type: "usage", input, output, cached, cacheWritten };
  }
  const cut = response.status === "incomplete";
  if (response.incomplete_details?.reason === "content_filter") {
    throw new ModelError("declined", `${name} declined to answer`);
  }
  const says = items.some((item) =>
    item.type === "call" || (item.type === "text" && item.length > 0)
  );
  if (!says && !cut && isEmptyAnswer(request)) {
    throw new ModelError("empty", `${name} gave an empty answer`, { again: { tries: 2 } });
  }
  const opaque = keep(model, items);
  if (opaque !== undefined) yield { type: "opaque", value: opaque };
  yield { type: "end", stop: cut ? "length" : "end" };
}
