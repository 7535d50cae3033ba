/** What a model is to the loop: something that answers a conversation in a stream of parts. */
import type { JsonValue } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { KeptPicture, SentFile } from "../conversation.ts";

/** What a person, the model and the tools said, as the model is shown it. */
export type ModelMessage =
  | {
    readonly role: "person";
    readonly text: string;
    readonly files: readonly SentFile[];
    /** What is shown with the words. @default none */
    readonly pictures?: readonly KeptPicture[];
  }
  | {
    readonly role: "model";
    readonly text: string;
    readonly calls: readonly {
      /** Unique in the session. */
      readonly id: string;
      /** The provider's own name of the call, if it gave one. */
      readonly providerId?: string;
      readonly tool: string;
      readonly input: JsonValue;
    }[];
    /** What the same provider gave to be handed back with this turn. */
    readonly opaque?: JsonValue;
  }
  | {
    /** One result for every call of the turn before, in the calls' order. */
    readonly role: "results";
    readonly results: readonly {
      readonly call: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly text: string;
      /** What is shown with the text. @default none */
      readonly pictures?: readonly KeptPicture[];
    }[];
  };

/** A tool as a model is offered it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: JsonValue;
}

/** One question to a model. */
export interface ModelQuestion {
  /** The session's id: providers keep what they have read of it under it. */
  readonly session: string;
  /** What it is told before all else. */
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  /** Which turn of the session this is, from 1. */
  readonly turn: number;
  /** What its provider counts of the question at most, tokens. @default as many as its bytes */
  readonly mostInput?: number;
  /** How long the answer may be, tokens, where that is less than the model's bound. @default that */
  readonly mostOutput?: number;
}

/** A question as it is asked. */
export interface ModelRequest extends ModelQuestion {
  /** Aborted when nobody wants the answer any more: the connection is closed then. */
  readonly signal: AbortSignal;
  /** The bytes of a picture of the messages, by its digest. @default none are kept */
  readonly picture?: (digest: string) => Uint8Array | undefined;
  /** To be called at each sign of life that is no part: a model that thinks is not silent. */
  readonly heard: () => void;
}

/** What a turn took. */
export interface ModelUsage {
  /** Tokens it was given, those from a cache among them. */
  readonly input: number;
  /** Tokens it wrote, its reasoning among them. */
  readonly output: number;
  /** Of `input`: read from the provider's cache. @default 0 */
  readonly cached?: number;
  /** Of `input`: written to the provider's cache. @default 0 */
  readonly cacheWritten?: number;
  /** True when it was counted here and not by the provider. @default false */
  readonly estimated?: boolean;
  /** What it cost, micro-USD, where the provider says so itself. @default as the model's `cost` */
  readonly costMicro?: bigint;
}

/** A piece of a model's answer. The last is `end`; an answer without it was cut. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  /** A whole call; `input` is its JSON as the model wrote it, valid or not. */
  | {
    readonly type: "call";
    readonly tool: string;
    readonly input: string;
    readonly providerId?: string;
  }
  | ({ readonly type: "usage" } & ModelUsage)
  /** Something a person should know about how the model was asked. */
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "opaque"; readonly value: JsonValue }
  /** `length`: the answer reached the provider's limit, so what it held may be incomplete. */
  | { readonly type: "end"; readonly stop: "end" | "length" };

/** A model. It holds no state of a session: everything is in the request. */
export interface Model {
  /** As `--model` names it. */
  readonly name: string;
  /** Tokens that its context holds, question and answer together. @default DEFAULT_CONTEXT */
  readonly contextTokens?: number;
  /** False when it plays what was written before, and so can shorten nothing. @default true */
  readonly summarizes?: boolean;
  /** What a turn costs, micro-USD; undefined when the price is not known. @default not known */
  readonly cost?: (usage: ModelUsage) => bigint | undefined;
  /** The most that a request can cost, micro-USD; undefined when it is not known. @default not known */
  readonly mostCost?: (question: ModelQuestion) => bigint | undefined;
  /**
   * How long an answer to a question may be to cost so much at most, tokens; undefined when shorter ones
   * do not help. @default they do not
   */
  readonly answerFor?: (question: ModelQuestion, mostMicro: bigint) => number | undefined;
  /** How long it may go without a sign of life, ms. @default the asker's limit */
  readonly silenceLimitMs?: number;
  /** @throws {ModelError} also in the middle of the stream. */
  respond(request: ModelRequest): AsyncIterable<ModelPart>;
}

/**
 * - `ended`: a script has no turn left.
 * - `overloaded`: the provider is too busy, or takes no more requests for now.
 * - `unreachable`: no answer, or one that broke off.
 * - `refused`: the provider does not take the request.
 * - `credential`: it does not take the key.
 * - `context`: the conversation is longer than the model can read.
 * - `declined`: the model, or a filter of its provider's, will not answer this.
 * - `empty`: an answer with nothing in it.
 * - `too-large`: an answer that is longer than is taken.
 */
export type ModelErrorCode =
  | "ended"
  | "overloaded"
  | "unreachable"
  | "refused"
  | "credential"
  | "context"
  | "declined"
  | "empty"
  | "too-large";

/** When the same request may be made again. */
export interface Again {
  /** Not before so many ms, as the provider wishes. @default the asker's own pace */
  readonly afterMs?: number;
  /** Requests in all that are worth making. @default the asker's own number */
  readonly tries?: number;
}

/** A model did not answer. */
export class ModelError extends SionError<ModelErrorCode> {
  /** Set when the same request may succeed later. */
  readonly again?: Again;

  constructor(
    code: ModelErrorCode,
    message: string,
    { again, ...options }: { readonly cause?: unknown; readonly again?: Again } = {},
  ) {
    super(code, message, options);
    if (again !== undefined) this.again = again;
  }
}

/** What a provider needs to open a model. */
export interface ModelContext {
  /** Reads a text file. */
  readonly readText: (path: string) => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keys by name. @default those of `env` */
  readonly secrets?: { find(name: string): Promise<string | undefined> };
}

/** A way to name models: `<scheme>:<rest>`. */
export interface ModelProvider {
  readonly scheme: string;
  /** Names of its keys, which no output shows. @default none */
  readonly keys?: readonly string[];
  /** What stands after the colon, for messages: `<file>`. */
  readonly usage: string;
  /**
   * The full name to keep with a session, so that it means the same in another folder.
   * @default the name as given
   */
  canonical?(rest: string, cwd: string): string;
  /** Opens it, checking what can be checked before a session starts. @throws {AgentError} */
  open(rest: string, context: ModelContext): Promise<Model>;
}
