/** The view of one executing transaction: its changes are kept apart until it succeeds. */
import type { AccountId, Digest, ObjectId } from "#internal/core/mod.ts";
import { idBytes, shortId, SionError } from "#internal/core/mod.ts";
import type { EventValue, LedgerEventBody } from "./event_value.ts";
import type { Touches } from "./kind.ts";
import type { AnyObjectKind, LedgerObject, Moment, ObjectKind } from "./object_kind.ts";
import type { Account } from "./objects/account.ts";
import { accountKind, balanceOf, withBalance } from "./objects/account.ts";
import { assetKind, MAX_SUPPLY, USD } from "./objects/asset.ts";
import type { Asset } from "./objects/asset.ts";
import type { KeptBeacon } from "./objects/beacon.ts";
import { beaconKind, beaconSlot, keepsBeacon } from "./objects/beacon.ts";
import type { Extent, Statement } from "./objects/claim.ts";
import { claimId, claimKind, newClaim } from "./objects/claim.ts";
import type { Policy } from "./policy.ts";
import { accountId } from "./policy.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";
import type { Credit } from "./shard_leaf.ts";
import type { Unit } from "./unit.ts";
import { objectId } from "./unit_codec.ts";
import type { FailureCategory, View } from "./view.ts";
import { TxFailure } from "./view.ts";

/** What a view is opened with. */
export interface ViewOptions {
  readonly moment: Moment & { readonly beacon: Uint8Array };
  readonly actor: AccountId;
  readonly digest: Digest;
  readonly policy: Policy;
  readonly touches: Touches;
  /** The acting account, its floor fee taken. */
  readonly account: Account;
  /** Micro-USD of the account that are not the transaction's to spend. */
  readonly setAside: bigint;
  readonly kinds: Registry<AnyObjectKind>;
  /** Reads an object as the transactions before left it, and notes that it was touched. */
  read(id: string): LedgerObject | undefined;
  /** @throws {SionError} `codec` on bytes that are no unit. */
  unitOf(bytes: Uint8Array): Unit;
}

/** Kinds of objects that only the executor writes. */
const GUARDED = new Set<string>([accountKind.name, assetKind.name, beaconKind.name]);

const NO_WRITES: ReadonlyMap<string, LedgerObject> = new Map();

/** See {@link View}; `account`, `writes` and the lists are what to apply when it succeeds. */
export class TxView implements View {
  readonly #options: ViewOptions;
  readonly #reachable: Set<string>;
  #account: Account;
  #writes: Map<string, LedgerObject> | undefined;
  readonly credits: Credit[] = [];
  readonly events: LedgerEventBody[] = [];
  readonly made: ObjectId[] = [];
  readonly claims: ObjectId[] = [];
  /** Whether the validators change. */
  endsSession = false;
  #created = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
    const { owned, shared } = options.touches;
    this.#reachable = new Set(owned);
    if (shared !== undefined) { for (const id of shared) this.#reachable.add(id); }
    this.#account = options.account;
  }

  /** Objects that it wrote. Most transactions write none. */
  get writes(): ReadonlyMap<string, LedgerObject> {
    return this.#writes ?? NO_WRITES;
  }
  get pulse(): bigint {
    return this.#options.moment.pulse;
  }
  get timeMs(): bigint {
    return this.#options.moment.timeMs;
  }
  get beacon(): Uint8Array {
    return this.#options.moment.beacon;
  }
  get actor(): AccountId {
    return this.#options.actor;
  }
  get digest(): Digest {
    return this.#options.digest;
  }
  /** The acting account after the debits so far. */
  get account(): Account {
    return this.#account;
  }

  get<V>(kind: ObjectKind<V>, id: string): V | undefined {
    if (!this.#reachable.has(id) || kind.name === accountKind.name) {
      throw new TypeError(`Cannot read ${kind.name} ${id}: the transaction did not declare it`);
    }
    const object = this.writes.get(id) ?? this.#options.read(id);
    if (object === undefined || object.kind !== kind.name) return undefined;
    const value = object.value as V;
    for (const ref of Object.values(kind.refs?.(value) ?? {})) {
      if (ref !== null) this.#reachable.add(ref);
    }
    return value;
  }

  need<V>(kind: ObjectKind<V>, id: string): V {
    return this.get(kind, id) ??
      this.fail("invalid transaction", `there is no ${kind.name} ${shortId(id)}`);
  }

  put<V>(kind: ObjectKind<V>, id: string, value: V): void {
    if (!this.#reachable.has(id) || GUARDED.has(kind.name)) {
      throw new TypeError(`Cannot write ${kind.name} ${id}: it is not the transaction's to write`);
    }
    if (kind.idOf !== undefined && kind.idOf(value) !== id) {
      throw new TypeError(`Cannot write ${kind.name} ${id}: what its id hashes never changes`);
    }
    this.#write(kind, id, value);
  }

  #write<V>(kind: ObjectKind<V>, id: string, value: V): void {
    this.#writes ??= new Map();
    this.#writes.set(id, { kind: kindNamed(this.#options.kinds, kind.name).name, value });
  }

  found<V>(kind: ObjectKind<V>, id: string, value: V): void {
    if (this.get(kind, id) !== undefined) throw new TypeError(`Cannot make ${id}: it exists`);
    this.put(kind, id, value);
    this.made.push(id);
  }

  create<V>(kind: ObjectKind<V>, value: V | ((id: ObjectId) => V)): ObjectId {
    if (GUARDED.has(kind.name) || kind.idOf !== undefined) {
      throw new TypeError(`Cannot create ${kind.name}`);
    }
    const id = objectId(this.digest, this.#created++);
    // A hash of this digest: nobody can have made it before; noted, for the proof that it is new.
    if (this.#options.read(id) !== undefined) throw new TypeError(`Cannot create ${id}: it exists`);
    this.#reachable.add(id);
    const make = value as V | ((id: ObjectId) => V);
    this.#write(kind, id, isMaker(make) ? make(id) : make);
    this.made.push(id);
    return id;
  }

  keptBeacon(pulse: bigint): Uint8Array | undefined {
    if (!keepsBeacon(pulse)) return undefined;
    const kept = this.#options.read(beaconSlot(pulse))?.value as KeptBeacon | undefined;
    return kept?.pulse === pulse ? idBytes(kept.beacon) : undefined;
  }

  spendable(asset: string): bigint {
    const balance = balanceOf(this.#account, asset);
    return asset === USD ? balance - this.#options.setAside : balance;
  }

  debit(asset: string, amount: bigint): void {
    if (amount > this.spendable(asset)) {
      this.fail("invalid transaction", "the balance is too low");
    }
    this.#account = withBalance(this.#account, asset, -amount);
  }

  credit(account: AccountId, asset: string, amount: bigint): void {
    if (amount > 0n) this.credits.push({ from: this.digest, account, asset, amount });
  }

  mint(asset: string, account: AccountId, amount: bigint): void {
    const value = this.need(assetKind, asset);
    this.require(value.faucetAllowed, "invalid transaction", "this chain has no faucet");
    this.require(
      amount <= MAX_SUPPLY - value.genesis - value.faucet,
      "invalid transaction",
      "more than the ledger can hold",
    );
    this.#write(assetKind, asset, { ...value, faucet: value.faucet + amount });
    this.credit(account, asset, amount);
  }

  forfeit(asset: string, amount: bigint): void {
    const value: Asset = this.need(assetKind, asset);
    this.#write(assetKind, asset, { ...value, treasury: value.treasury + amount });
  }

  issue(statement: Statement, extent: Extent): ObjectId {
    const id = claimId(statement);
    const exists = this.writes.has(id) || this.#options.read(id) !== undefined;
    this.require(!exists, "invalid transaction", "the claim exists already");
    this.#write(claimKind, id, newClaim(statement, extent));
    this.claims.push(id);
    this.made.push(id);
    return id;
  }

  accountUnderPolicy(salt: Uint8Array): AccountId {
    return accountId(this.#options.policy, salt);
  }

  unitOf(bytes: Uint8Array): Unit | undefined {
    try {
      return this.#options.unitOf(bytes);
    } catch (error) {
      if (error instanceof SionError && error.code === "codec") return undefined;
      throw error;
    }
  }

  endSession(): void {
    this.endsSession = true;
  }

  emit(name: string, fields: { readonly [field: string]: EventValue }): void {
    this.events.push({ [name]: fields });
  }

  require(condition: boolean, category: FailureCategory, what: string): asserts condition {
    if (!condition) this.fail(category, what);
  }

  fail(category: FailureCategory, what: string): never {
    throw new TxFailure(category, what);
  }
}

function isMaker<V>(value: V | ((id: ObjectId) => V)): value is (id: ObjectId) => V {
  return typeof value === "function";
}
