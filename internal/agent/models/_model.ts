/** What a model is to the loop: something that answers a conversation in a stream of parts. */
import type { JsonValue } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { SentFile } from "../conversation.ts";

/** What a person, the model and the tools said, as the model is shown it. */
export type ModelMessage =
  | { readonly role: "person"; readonly text: string; readonly files: readonly SentFile[] }
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
export interface ModelRequest {
  /** What it is told before all else. */
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  /** Which turn of the session this is, from 1. */
  readonly turn: number;
  /** Aborted when nobody wants the answer any more: the connection is closed then. */
  readonly signal: AbortSignal;
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
  | {
    readonly type: "usage";
    readonly input: number;
    readonly output: number;
    /** True when it was counted here and not by the provider. @default false */
    readonly estimated?: boolean;
  }
  | { readonly type: "opaque"; readonly value: JsonValue }
  /** `length`: the answer reached the provider's limit, so what it held may be incomplete. */
  | { readonly type: "end"; readonly stop: "end" | "length" };

/** A model. It holds no state of a session: everything is in the request. */
export interface Model {
  /** As `--model` names it. */
  readonly name: string;
  /** @throws {ModelError} also in the middle of the stream. */
  respond(request: ModelRequest): AsyncIterable<ModelPart>;
}

/**
 * `ended`: a script has no turn left. `overloaded`: try later or elsewhere. `refused`: the provider
 * does not take the request. `unreachable`: no answer.
 */
export type ModelErrorCode = "ended" | "overloaded" | "refused" | "unreachable";

/** A model did not answer. */
export class ModelError extends SionError<ModelErrorCode> {}

/** What a provider needs to open a model. */
export interface ModelContext {
  /** Reads a text file. */
  readonly readText: (path: string) => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A way to name models: `<scheme>:<rest>`. */
export interface ModelProvider {
  readonly scheme: string;
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
