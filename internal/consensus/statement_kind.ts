/**
 * A statement kind: what validators may say in a block. One file each declares its encoding, when
 * it is valid in a block, how it counts, and when an honest validator says it; everything else loops
 * over the registry.
 */
import type { DagNode } from "./dag.ts";
import type { StatementPlace } from "./history.ts";
import type { LocalView } from "./local_view.ts";
import type { Order } from "./order.ts";
import type { StatementCoding } from "./statement.ts";

/** What a statement kind declares. */
export interface StatementKind<Body, Name extends string = string>
  extends StatementCoding<Body, Name> {
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
