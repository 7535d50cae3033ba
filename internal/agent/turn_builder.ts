/** Puts the parts of a model's answer together to the turn that is kept of it. */
import { messageOf, OUTSIDE_DEPTH, parseJson, stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ModelSaid, ProposedCall } from "./events/model_said.ts";
import type { Model, ModelPart, ModelQuestion, ModelUsage } from "./models/mod.ts";
import { estimateTokens, ModelError, textTokens } from "./models/mod.ts";
import type { KeptUsage } from "./state.ts";

/** Characters of words and inputs that one turn may have. */
const MAX_LENGTH = 8 << 20;
const MAX_CALLS = 256;

/** One turn as it comes. */
export class TurnBuilder {
  readonly #model: Model;
  readonly #calls: ProposedCall[] = [];
  readonly #words: string[] = [];
  #length = 0;
  #usage: ModelUsage = { input: 0, output: 0 };
  #stop: "end" | "length" = "end";
  #opaque: JsonValue | undefined;
  readonly #question: ModelQuestion | undefined;
  #begun = false;
  /** True when its last part has come. */
  ended = false;

  /** @param question what it answers: what it took is counted by that when the answer breaks off */
  constructor(model: Model, question?: ModelQuestion) {
    this.#model = model;
    this.#question = question;
  }

  /** Says that whoever asked did not wait for its end. */
  abandon(): void {
    this.#begun = true;
  }

  /** Takes the next part. @throws {ModelError} `too-large` */
  add(part: ModelPart): void {
    this.#begun ||= part.type !== "notice";
    switch (part.type) {
      case "text":
        this.#grow(part.text.length);
        this.#words.push(part.text);
        break;
      case "call":
        this.#grow(part.input.length);
        if (this.#calls.length === MAX_CALLS) throw this.#tooLarge(`${MAX_CALLS} calls`);
        this.#calls.push({
          tool: part.tool.toWellFormed(),
          ...readInput(part.input),
          ...(part.providerId === undefined ? {} : { providerId: part.providerId.toWellFormed() }),
        });
        break;
      case "usage": {
        const { type: _type, ...usage } = part;
        this.#usage = usage;
        break;
      }
      case "opaque":
        this.#opaque = part.value;
        break;
      case "notice":
        break;
      case "end":
        this.#stop = part.stop;
        this.ended = true;
    }
  }

  /** Its words so far; what is half of a character shows as U+FFFD. */
  get text(): string {
    return this.#words.join("").toWellFormed();
  }

  /** What is kept of what it took, its cost with it where that is known. */
  get usage(): KeptUsage {
    const { input, output, cached = 0, cacheWritten = 0, estimated = false } = this.#usage;
    const cost = this.#usage.costMicro ?? this.#model.cost?.(this.#usage);
    return {
      input,
      output,
      estimated,
      ...(cached === 0 ? {} : { cached }),
      ...(cacheWritten === 0 ? {} : { cacheWritten }),
      ...(cost === undefined ? {} : { costMicro: cost }),
    };
  }

  /**
   * What it cost, micro-USD. One that broke off is counted by its question and the words that came, where
   * its provider did not say; what a provider refused has cost nothing.
   */
  get costMicro(): bigint {
    const { costMicro = 0n } = this.usage;
    if (this.ended || !this.#begun || this.#question === undefined) return costMicro;
    const written = textTokens(this.text) +
      this.#calls.reduce((sum, { input }) => sum + textTokens(stringifyJson(input ?? "")), 0);
    const least = this.#model.cost?.({
      ...this.#usage,
      input: Math.max(this.#usage.input, estimateTokens(this.#question)),
      output: Math.max(this.#usage.output, written),
    }) ?? 0n;
    return costMicro > least ? costMicro : least;
  }

  /** The whole turn. */
  whole(): ModelSaid {
    return {
      model: this.#model.name,
      text: this.text,
      calls: this.#calls,
      stop: this.#stop,
      usage: this.usage,
      ...(this.#opaque === undefined ? {} : { opaque: this.#opaque }),
    };
  }

  /** What there is of a turn that was broken off: its words, none of its calls. */
  cut(): ModelSaid {
    return { model: this.#model.name, text: this.text, calls: [], stop: "cut", usage: this.usage };
  }

  #grow(length: number): void {
    this.#length += length;
    if (this.#length > MAX_LENGTH) throw this.#tooLarge(`${MAX_LENGTH} characters`);
  }

  #tooLarge(limit: string): ModelError {
    return new ModelError("too-large", `${this.#model.name} answered with more than ${limit}`);
  }
}

/** A call's input, or what is wrong with its text. Never mended: it may be half of what was meant. */
function readInput(text: string): { input: JsonValue } | { unreadable: string } {
  let value: JsonValue;
  try {
    value = parseJson(text === "" ? "{}" : text, { maxDepth: OUTSIDE_DEPTH });
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? { input: value } : { unreadable: "it is another kind of value" };
}
