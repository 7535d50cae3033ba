/**
 * A transaction kind, declared in one file: its encoding, shape, cost, rules, effect and sentences.
 * Nothing outside its file knows its name.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import type { EventFields } from "./event_fields.ts";
import type { Holding } from "./object_kind.ts";
import type { Receipt } from "./receipt.ts";
import type { Say } from "./sentences.ts";
import type { Unit } from "./unit.ts";
import type { View } from "./view.ts";

/** Ids that a transaction names; what these objects name in turn may be read too. */
export interface Touches {
  /** Ids that only the acting account's lane can touch. */
  readonly owned?: readonly string[];
  /** Ids that other lanes can touch too. */
  readonly shared?: readonly string[];
}

/** The slot that a transaction takes on a chain. */
export interface ConsentPlace {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly account: string;
  readonly sequence: bigint;
}

/** A dual signature that a body holds, of a key that is not the policy's. */
export interface Consent {
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** What it signs, 32 bytes. It has to name the place, or it could be used again. */
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * What a certificate fixes. `outcome`: what it does is known, since that hangs on its account's own
 * lane alone; such a transaction touches nothing shared. `execution`: only that it will execute, in
 * its place.
 */
export type Fixed = "outcome" | "execution";

/** Sentences of events, by name: `agent 0d7240c5 suspended by alice`. */
export interface Tells {
  readonly [event: string]: (fields: EventFields, say: Say) => string;
}

/** What a transaction kind declares. */
export interface TxKind<Body = unknown, Name extends string = string> {
  readonly name: Name;
  /** Wire tag, 1 to 127, never reused. */
  readonly tag: number;
  /** The version of the protocol that brought it. */
  readonly since: string;
  /** See {@link Fixed}; a function where it depends on the body. */
  readonly certificateFixes: Fixed | ((body: Body) => Fixed);
  readonly body: Codec<Body>;
  /** The fault of a body that no state could accept, else undefined. Such a unit is refused. */
  check?(body: Body): string | undefined;
  /**
   * Signatures in the body. They are verified with those of the policy: where one does not hold, the
   * unit is not authorized. @default none
   */
  consents?(body: Body, place: ConsentPlace): readonly Consent[];
  /** The most that `apply` debits from the acting account. @default nothing */
  spendBound?(body: Body): Holding | undefined;
  /** @default nothing but the acting account */
  touches?(body: Body, actor: AccountId): Touches;
  /** Micro-USD beyond the floor, taken only on success. @default 0 */
  beyondFloor?(body: Body, unit: Unit): bigint;
  /** What it asks for: `Pay 1 USD to bob`. Shown before it is signed, so it leaves out nothing. */
  intent(body: Body, say: Say): string;
  /** Its own checks, then all its effects. */
  apply(view: View, body: Body): void;
  /**
   * Each event that `apply` emits, as a sentence for who sees it without the transaction.
   * @default none: its events are shown as data
   */
  readonly tells?: Tells;
  /**
   * What a successful one did: `paid 1 USD to bob`.
   * @throws {TypeError} when the receipt, which may come from outside, has not the events it needs.
   */
  done(receipt: Receipt, body: Body, say: Say): string;
}

// deno-lint-ignore no-explicit-any -- a registry holds kinds of all bodies
export type AnyTxKind = TxKind<any>;

/** What the certificate of a transaction fixes. */
export function fixedBy({ certificateFixes }: AnyTxKind, body: unknown): Fixed {
  return typeof certificateFixes === "function" ? certificateFixes(body) : certificateFixes;
}

/** The body type of a transaction kind. */
export type BodyOf<K> = K extends TxKind<infer Body> ? Body : never;

/** Declares a transaction kind, keeping its name as a literal type. */
export function defineTxKind<const Name extends string, Body>(
  kind: TxKind<Body, Name>,
): TxKind<Body, Name> {
  return kind;
}
