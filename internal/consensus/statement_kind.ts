/** A statement kind: what validators may say in a block, its encoding and its rules. */
import type { Codec } from "#internal/core/mod.ts";

/** One statement of a block. */
export interface Statement<Body = unknown> {
  readonly kind: string;
  readonly body: Body;
}

// deno-lint-ignore no-explicit-any -- a registry holds kinds of all bodies
export type AnyStatementKind = StatementKind<any>;

/** What a statement kind declares. */
export interface StatementKind<Body, Name extends string = string> {
  readonly name: Name;
  /** Wire tag, 1 to 127, never reused. */
  readonly tag: number;
  readonly codec: Codec<Body>;
}
