/** A statement as blocks hold it, and how its kind is written. */
import type { Codec } from "#internal/core/mod.ts";

/** One statement of a block. */
export interface Statement<Body = unknown> {
  readonly kind: string;
  readonly body: Body;
}

/** How statements of a kind are written. */
export interface StatementCoding<Body, Name extends string = string> {
  readonly name: Name;
  /** Wire tag, 1 to 127, never reused. An own block's statements are made in order of tags. */
  readonly tag: number;
  readonly codec: Codec<Body>;
}

// deno-lint-ignore no-explicit-any -- a registry holds kinds of all bodies
export type AnyStatementCoding = StatementCoding<any>;
