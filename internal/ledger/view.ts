/**
 * What a transaction kind's `apply` sees of the ledger. It reads and writes objects by id only, and
 * only ids that it declared, made, or found named in an object it read; so what it touches is known.
 * Credits are deferred: money received is spendable from the next Pulse.
 */
import type { AccountId, Digest, ObjectId } from "#internal/core/mod.ts";
import type { Extent, Statement } from "./objects/claim.ts";
import type { EventValue } from "./event_value.ts";
import type { Moment, ObjectKind } from "./object_kind.ts";
import type { Unit } from "./unit.ts";

/** How a failure's reason begins. */
export type FailureCategory = "charter caveat violated" | "invalid transaction" | "unauthorized";

/** Ends a transaction without effect; caught by the executor, never seen by callers. */
export class TxFailure extends Error {
  /** `<category>: <what>`, as the receipt holds it. */
  readonly reason: string;

  constructor(category: FailureCategory, what: string) {
    super(`${category}: ${what}`);
    this.name = "TxFailure";
    this.reason = this.message;
  }
}

/** The state as one executing transaction may see and change it: all of its effects happen or none. */
export interface View extends Moment {
  /** Public randomness of this Pulse, 32 bytes. */
  readonly beacon: Uint8Array;
  /** The account that acts and pays. */
  readonly actor: AccountId;
  /** The transaction's digest. */
  readonly digest: Digest;

  /**
   * The object, or undefined when there is none of that kind. Accounts are not among them: other
   * methods reach what a kind may know of them.
   * @throws {TypeError} when the kind did not declare the id (a bug of the kind).
   */
  get<V>(kind: ObjectKind<V>, id: string): V | undefined;
  /** As `get`, but the transaction fails with
   * `invalid transaction: there is no <kind> <8 digits>`. */
  need<V>(kind: ObjectKind<V>, id: string): V;
  /**
   * Replaces an object that was read or made by this transaction, or makes one under a declared id;
   * of a claim only what became of it.
   */
  put<V>(kind: ObjectKind<V>, id: string, value: V): void;
  /** Makes an object under a declared id that was never used. */
  found<V>(kind: ObjectKind<V>, id: string, value: V): void;
  /** Makes an object; the value may depend on the id it gets. */
  create<V>(kind: ObjectKind<V>, value: V | ((id: ObjectId) => V)): ObjectId;

  /**
   * The beacon that was kept of an earlier Pulse, of 100,000 at most; undefined where none is: of
   * this Pulse and later ones, and of those whose beacons are not kept.
   */
  keptBeacon(pulse: bigint): Uint8Array | undefined;

  /** What the acting account can still spend of an asset, its fee set aside. */
  spendable(asset: string): bigint;
  /** Takes money from the acting account; the transaction fails when there is not enough. */
  debit(asset: string, amount: bigint): void;
  /** Gives money to an account, which is made if need be, at the end of the Pulse. */
  credit(account: AccountId, asset: string, amount: bigint): void;
  /** As `credit`, with new money; the transaction fails when the asset allows no faucet. */
  mint(asset: string, account: AccountId, amount: bigint): void;

  /** Takes money out of objects for the chain's treasury. The asset is to be declared. */
  forfeit(asset: string, amount: bigint): void;

  /** Makes a claim, which enters the knowledge log at the end of the Pulse, and returns its id. */
  issue(statement: Statement, extent: Extent): ObjectId;
  /** The account that the acting policy controls under a salt: a keyless agent's. */
  accountUnderPolicy(salt: Uint8Array): AccountId;

  /** The unit of an encoding without its authorization, or undefined when it is none. */
  unitOf(bytes: Uint8Array): Unit | undefined;
  /** Makes the session end so soon as it can: its validators change. */
  endSession(): void;
  /** Records an event, for the receipt. */
  emit(name: string, fields: { readonly [field: string]: EventValue }): void;
  /** Fails the transaction unless the condition holds. */
  require(condition: boolean, category: FailureCategory, what: string): asserts condition;
  /** Fails the transaction. */
  fail(category: FailureCategory, what: string): never;
}
