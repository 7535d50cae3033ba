/** Asking a vendor's model: what a session keeps of it, and once more without a tool that it refuses. */
import { estimateTokens, textTokens } from "./_estimate.ts";
import { modelErrorOf, notUnderstood, refusedTool } from "./_errors.ts";
import type { ModelPart, ModelRequest, ModelUsage } from "./_model.ts";
import type { WireTools } from "./_wire.ts";
import { leftOutNotices, wireTools } from "./_wire.ts";

/** How one request is made and its answer read. The client's errors may pass. */
export type Ask = (request: ModelRequest, tools: WireTools) => AsyncIterable<ModelPart>;

/** Bytes of a stream, and of an error, that are taken. A turn has less: `turn_builder.ts`. */
export const ANSWER_BOUNDS = { maxBytes: 128 << 20, maxErrorBytes: 1 << 20 } as const;

/** The same of a stream of events, each of which holds a piece of a turn, or all of it. */
export const EVENT_BOUNDS = { ...ANSWER_BOUNDS, maxEventBytes: 32 << 20 } as const;

/** More tokens than this no turn takes. */
const MAX_TOKENS = 1e12;

/** What went wrong between a client and its server, as against in what the server said. */
class StreamFailure extends Error {
  constructor(cause: unknown) {
    super("Cannot read the stream", { cause });
  }
}

/** A client's stream for whoever reads it: an error of the stream is told from one of the reader. */
export async function* streamOf<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  const events = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await events.next().catch((thrown: unknown) => {
        throw new StreamFailure(thrown);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await events.return?.();
  }
}

/** Parts as they may be kept: texts that are texts, counts that are counts. */
class PartCheck {
  readonly #name: string;
  readonly #request: ModelRequest;
  #written = 0;

  constructor(name: string, request: ModelRequest) {
    this.#name = name;
    this.#request = request;
  }

  /** @throws {ModelError} when a server said something else than its interface has */
  checked(part: ModelPart): ModelPart {
    switch (part.type) {
      case "text":
        this.#write(part.text);
        return part;
      case "call": {
        this.#write(part.input);
        const { providerId, ...call } = part;
        if (typeof call.tool !== "string") throw notUnderstood(this.#name);
        return typeof providerId === "string" ? { ...call, providerId } : call;
      }
      case "usage":
        return { type: "usage", ...this.#counted(part) };
      default:
        return part;
    }
  }

  #write(text: unknown): void {
    if (typeof text !== "string") throw notUnderstood(this.#name);
    this.#written += textTokens(text);
  }

  /** What a server counts in no whole numbers is counted here. */
  #counted({ input, output, cached = 0, cacheWritten = 0, estimated }: ModelUsage): ModelUsage {
    if (![input, output, cached, cacheWritten].every(isCount)) {
      return { input: estimateTokens(this.#request), output: this.#written, estimated: true };
    }
    return { input, output, cached, cacheWritten, ...(estimated === true ? { estimated } : {}) };
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

/**
 * What answers for a model as long as a session is at work.
 * @param name the model, as `--model` has it
 * @param secrets cut out of the words of errors
 */
export function vendorModel(
  name: string,
  secrets: readonly string[],
  ask: Ask,
): (request: ModelRequest) => AsyncIterable<ModelPart> {
  const refused = new Set<string>();
  const told = new Set<string>();
  return async function* (request) {
    for (;;) {
      const tools = wireTools(request.tools, refused);
      yield* leftOutNotices(tools, told);
      const check = new PartCheck(name, request);
      let begun = false;
      try {
        for await (const part of ask(request, tools)) {
          begun = true;
          yield check.checked(part);
        }
        return;
      } catch (caught) {
        request.signal.throwIfAborted();
        // Neither the client nor its stream: what was read is not as it should be.
        if (caught instanceof TypeError) throw notUnderstood(name);
        const thrown = caught instanceof StreamFailure ? caught.cause : caught;
        const place = begun ? undefined : refusedTool(thrown);
        const tool = place === undefined ? undefined : tools.tools[place]?.tool.name;
        if (tool === undefined) throw modelErrorOf(name, thrown, secrets);
        refused.add(tool);
      }
    }
  };
}
