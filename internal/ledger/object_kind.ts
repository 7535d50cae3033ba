/**
 * A kind of object in the ledger's state, declared in one place: its encoding, the money it holds,
 * what it refers to, how programs see it. Everything else loops over the registry.
 */
import type { Codec, JsonValue } from "#internal/core/mod.ts";

/** An amount of one asset, in micro-units. */
export interface Holding {
  readonly asset: string;
  readonly amount: bigint;
}

/** Takes note of micro-units of an asset. */
export type AddHolding = (asset: string, amount: bigint) => void;

/** The moment an object is looked at: amounts that refill and dates that pass depend on it. */
export interface Moment {
  readonly pulse: bigint;
  /** Ledger time, milliseconds since the Unix epoch. */
  readonly timeMs: bigint;
}

/** What a kind of object declares. Values are immutable. */
export interface ObjectKind<Value = unknown, Name extends string = string> {
  readonly name: Name;
  /** Wire tag, 1 to 127, never reused. */
  readonly tag: number;
  readonly codec: Codec<Value>;
  /** Money that exists in the object, for conservation. @default none */
  holds?(value: Value, add: AddHolding): void;
  /** Money that the object says was issued, for conservation. @default none */
  issued?(value: Value, add: AddHolding): void;
  /** Ids it names, by role; a transaction that may read the object may read these too. @default none */
  refs?(value: Value): Readonly<Record<string, string | null>>;
  /**
   * The id that a value has by what it says and that none of its changes changes.
   * @default such objects get their ids elsewhere, as from the transaction that makes them
   */
  idOf?(value: Value): string;
  /** The object as JSON for clients: ids as hex, micro-units as integers, keys in snake case. */
  view(value: Value, at: Moment): { readonly [key: string]: JsonValue };
}

// deno-lint-ignore no-explicit-any -- a registry holds kinds of all values
export type AnyObjectKind = ObjectKind<any>;

/** Declares an object kind, keeping its name as a literal type. */
export function defineObjectKind<const Name extends string, Value>(
  kind: ObjectKind<Value, Name>,
): ObjectKind<Value, Name> {
  return kind;
}

/** An object of the state with the name of its kind. */
export interface LedgerObject {
  readonly kind: string;
  readonly value: unknown;
}
