/**
 * A statement kind: what validators may say in a block. One file each declares its encoding, when
 * it is valid in a block, how it counts, and when an honest validator says it; everything else loops
 * over the registry.
 */
import type { Codec } from "#internal/core/mod.ts";
import type { DagNode, History } from "./dag.ts";
import type { Order } from "./order.ts";
import type { LocalView } from "./local_view.ts";

/** One statement of a block. */
export interface Statement<Body = unknown> {
  readonly kind: string;
  readonly body: Body;
}

/** The block a statement stands in, as far as its rules need it. */
export interface StatementPlace {
  readonly round: number;
  readonly author: number;
  /** All blocks that the block descends from, and the block itself. */
  readonly history: History;
  /** Digests of the units that the block itself carries. */
  readonly carries: ReadonlySet<string>;
  /** Digests of the units that the block itself votes for; grows by `enters`. */
  readonly votes: Set<string>;
}

/** What a statement kind declares. */
export interface StatementKind<Body, Name extends string = string> {
  readonly name: Name;
  /** Wire tag, 1 to 127, never reused. An own block's statements are made in order of tags. */
  readonly tag: number;
  readonly codec: Codec<Body>;
  /** A block that says only such things counts as empty: it wakes no idle validator. */
  readonly idle?: boolean;
  /** Called for each statement of a block, in order, before any `fault` or `accepted`. */
  enters?(body: Body, place: StatementPlace): void;
  /** Why a block that holds it is invalid, else undefined. Decided by the block's history only. */
  fault?(body: Body, place: StatementPlace, view: LocalView): string | undefined;
  /** A valid block that holds it was accepted, ordered or not. */
  accepted?(body: Body, node: DagNode, view: LocalView): void;
  /** The block that holds it is walked in the order. A function of what was ordered only. */
  ordered?(body: Body, node: DagNode, order: Order): void;
  /**
   * What the next own block says. Called once a block; what it takes note of in the view is durable
   * with the block. `place.history` is the next block's.
   */
  propose?(place: StatementPlace, view: LocalView): readonly Body[];
}

// deno-lint-ignore no-explicit-any -- a registry holds kinds of all bodies
export type AnyStatementKind = StatementKind<any>;

/** Declares a statement kind, keeping its name as a literal type. */
export function defineStatement<const Name extends string, Body>(
  kind: StatementKind<Body, Name>,
): StatementKind<Body, Name> {
  return kind;
}
