/** The chunks of a Chat Completions stream as parts of an answer. */
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { isEmptyAnswer } from "../_empty.ts";
import { estimateTokens, textTokens } from "../_estimate.ts";
import type { ModelPart, ModelRequest, ModelUsage } from "../_model.ts";
import { ModelError } from "../_model.ts";
import type { WireTools } from "../_wire.ts";
import type { Asked } from "./_asked.ts";
import type { KeptChat } from "./chat_kept.ts";
import { keep } from "./chat_kept.ts";

/** A call as it comes. */
interface Call {
  readonly id: string | undefined;
  name: string;
  readonly json: string[];
  extra?: unknown;
}

/** What servers add to a delta. */
interface Delta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning_details?: readonly unknown[] | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

interface CallDelta {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly extra_content?: unknown;
}

/** An answer as far as it has come. */
class Answer {
  readonly calls: Call[] = [];
  /** The calls by the place that the server gives them. */
  readonly #places = new Map<number, Call>();
  readonly details: unknown[] = [];
  reasoning = "";
  words = "";
  finish: string | undefined;
  usage: ModelUsage | undefined;

  take(delta: Delta): void {
    this.reasoning += delta.reasoning_content ?? "";
    this.details.push(...delta.reasoning_details ?? []);
    for (const call of delta.tool_calls ?? []) this.#takeCall(call);
  }

  /** Servers exist that give all calls one place, or none: a new id is a new call. */
  #takeCall({ index, id, function: made, extra_content: extra }: CallDelta): void {
    const place = index ?? Math.max(0, this.calls.length - 1);
    let call = this.#places.get(place);
    const other = typeof id === "string" && id !== "" && call !== undefined && call.id !== id;
    if (call === undefined || other) {
      call = { id: id ?? undefined, name: "", json: [] };
      this.calls.push(call);
      this.#places.set(place, call);
    }
    call.name += made?.name ?? "";
    const { arguments: part } = made ?? {};
    if (typeof part === "string") call.json.push(part);
    else if (part !== undefined && part !== null) call.json.push(JSON.stringify(part));
    if (extra !== undefined) call.extra = extra;
  }

  get kept(): KeptChat {
    const extras = this.calls.flatMap(({ extra }, place) =>
      extra === undefined ? [] : [[String(place), extra]]
    );
    return {
      ...(this.reasoning === "" ? {} : { reasoning_content: this.reasoning }),
      ...(this.details.length === 0 ? {} : { reasoning_details: this.details }),
      ...(extras.length === 0 ? {} : { extra_content: Object.fromEntries(extras) }),
    };
  }
}

/**
 * Reads a stream to its end. One in which nothing says why it ended gives no `end`.
 * @throws {ModelError} `declined`, `empty`
 */
export async function* readChat(
  asked: Asked,
  chunks: AsyncIterable<ChatCompletionChunk>,
  request: ModelRequest,
  tools: WireTools,
): AsyncGenerator<ModelPart> {
  const answer = new Answer();
  for await (const chunk of chunks) {
    request.heard();
    const { usage } = chunk;
    if (usage !== undefined && usage !== null && usage.prompt_tokens !== undefined) {
      const details = usage.prompt_tokens_details;
      answer.usage = {
        input: usage.prompt_tokens,
        output: usage.completion_tokens ?? 0,
        cached: details?.cached_tokens ?? 0,
        cacheWritten: details?.cache_write_tokens ?? 0,
      };
      yield { type: "usage", ...answer.usage };
    }
    // A chunk may have none, whatever its type says.
    const [choice] = (chunk.choices as typeof chunk.choices | undefined) ?? [];
    if (choice === undefined) continue;
    const delta = (choice.delta ?? {}) as Delta;
    for (const text of [delta.content, delta.refusal]) {
      if (typeof text !== "string" || text === "") continue;
      answer.words += text;
      yield { type: "text", text };
    }
    answer.take(delta);
    answer.finish = choice.finish_reason ?? answer.finish;
  }
  if (answer.finish !== undefined) yield* finish(asked, answer, request, tools);
}

function* finish(
  { name, model }: Asked,
  answer: Answer,
  request: ModelRequest,
  tools: WireTools,
): Generator<ModelPart> {
  const { finish: reason, words, calls } = answer;
  if (answer.usage === undefined) {
    const written = calls.map(({ json }) => json.join("")).join("");
    const output = textTokens(words + answer.reasoning + written);
    yield { type: "usage", input: estimateTokens(request), output, estimated: true };
  }
  if (reason === "content_filter") {
    throw new ModelError("declined", `${name} declined to answer`);
  }
  for (const { id, name: wire, json } of calls) {
    yield {
      type: "call",
      tool: tools.nameOf(wire),
      input: json.join(""),
      ...(id === undefined ? {} : { providerId: id }),
    };
  }
  if (words === "" && calls.length === 0 && reason !== "length" && isEmptyAnswer(request)) {
    throw new ModelError("empty", `${name} gave an empty answer`, { again: { tries: 2 } });
  }
  const opaque = keep(model, answer.kept);
  if (opaque !== undefined) yield { type: "opaque", value: opaque };
  yield { type: "end", stop: reason === "length" ? "length" : "end" };
}
