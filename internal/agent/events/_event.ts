/** What one kind of event in a session's log is. One file a kind; `mod.ts` lists them. */
import * as z from "zod";
import type { JsonValue } from "#internal/core/mod.ts";
import type { EventDraft, ListedFacts, SessionEvent } from "#internal/store/mod.ts";
import type { ConversationEvent } from "../conversation.ts";
import type { SessionState } from "../state.ts";

/** An event whose body was checked. */
export interface Logged<Body> extends Omit<SessionEvent, "body"> {
  readonly body: Body;
}

/** A kind of event. Its functions are pure, so that every fold gives the same from the same log. */
export interface EventKind<Body = unknown> {
  /** Unique, kebab-case, never used again for something else. */
  readonly kind: string;
  /** Version of the body, from 1. A reader passes over versions that it does not know. */
  readonly v: number;
  readonly body: z.ZodType<Body>;
  /** Brings the state from before the event to after it. Missing when it changes nothing. */
  apply?(state: SessionState, event: Logged<Body>): void;
  /** What a search finds the session by. Missing: nothing. */
  words?(body: Body): string;
  /** What lists show of the session from here on. Missing: as before. */
  listed?(body: Body): ListedFacts;
  /** What a front end hears of it, told with the state after it. Missing: nothing. */
  stream?(event: Logged<Body>, state: SessionState): readonly ConversationEvent[];
  /** Its lines in `sion agent trace`, with the state after all. Missing: none. */
  trace?(event: Logged<Body>, state: SessionState): readonly string[];
}

/** Declares a kind; the body's type comes from its schema, which is made when it is first needed. */
export function defineEvent<Body>(
  { body: schemaOf, ...kind }: Omit<EventKind<Body>, "body"> & { body(): z.ZodType<Body> },
): EventKind<Body> & { draft(body: Body): EventDraft } {
  let schema: z.ZodType<Body> | undefined;
  return {
    ...kind,
    get body() {
      return schema ??= schemaOf();
    },
    draft(body) {
      const words = kind.words?.(body);
      const listed = kind.listed?.(body);
      return {
        kind: kind.kind,
        v: kind.v,
        body: body as JsonValue,
        ...(words === undefined ? {} : { words }),
        ...(listed === undefined ? {} : { listed }),
      };
    },
  };
}

/** Any JSON value: what models and tools write, kept as it is. */
export const anyJson: z.ZodType<JsonValue> = z.unknown() as unknown as z.ZodType<JsonValue>;
/** A count or a time in ms. */
export const count: z.ZodType<number> = z.number().int().min(0);
