/** What a transaction sees and may do while it executes. */
import { encode, idBytes, toHex, u16 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { invalid, short } from "./failure.ts";
import type { Account, BodyOf, ObjectKind, Statement, StateObject } from "./objects.ts";
import { accountKey, assetId, claimId } from "./objects.ts";
import type { Objects } from "./state.ts";
import type { Policy } from "./policy.ts";

/** The asset that fees, faucet and allotments are in. */
export const USD: string = assetId("USD");

/** Money on its way to an account: it arrives when the Pulse ends. */
export interface Credit {
  /** The transaction that made it. */
  readonly transaction: string;
  /** The account that acted. */
  readonly from: string;
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** A unit as far as evidence is about it. */
export interface BareUnit {
  readonly validUntil: bigint;
  readonly members: readonly { readonly account: string; readonly sequence: bigint }[];
}

/** The place and time of an execution. */
export interface Setting {
  readonly pulse: bigint;
  readonly timeMs: bigint;
  /** The acting account. */
  readonly account: string;
  /** The policy that acts. */
  readonly policy: Policy;
  /** The transaction's digest. */
  readonly digest: string;
  /** A unit from the bytes that its digest is of, or null when they are none. */
  readonly readUnit: (bytes: Uint8Array) => BareUnit | null;
}

/** What a kind's `apply` is given. */
export interface Context extends Setting {
  /** The object of a kind, or null when there is none under the id. */
  find<K extends ObjectKind>(kind: K, id: string): BodyOf<K> | null;
  /** The object of a kind. @throws {Failure} when there is none under the id. */
  get<K extends ObjectKind>(kind: K, id: string): BodyOf<K>;
  put<K extends ObjectKind>(kind: K, id: string, body: BodyOf<K>): void;
  /** Stores an object under the next id that this transaction makes. */
  make<K extends ObjectKind>(kind: K, body: (id: string) => BodyOf<K>): string;
  /** Stores an object that this transaction makes at an id that follows from what it is. */
  makeAt<K extends ObjectKind>(kind: K, id: string, body: BodyOf<K>): void;
  /** Whether there is an object under an id. */
  has(id: string): boolean;
  /** Stores a new claim, to be appended to the knowledge log. */
  claim(says: Statement, rests: { readonly depth: number; readonly atoms: number }): string;
  /** Takes money from the acting account. @throws {Failure} when there is not enough. */
  take(asset: string, amount: bigint): void;
  credit(account: string, asset: string, amount: bigint): void;
  /** The session is to end. */
  endSession(): void;
}

/** What a transaction did beside changing objects. */
export interface Effects {
  readonly credits: Credit[];
  readonly claims: string[];
  readonly made: string[];
  endsSession: boolean;
}

/** The context of one transaction over its draft of the state. */
export function contextOf(
  setting: Setting,
  objects: Objects,
): { readonly context: Context; readonly effects: Effects } {
  const effects: Effects = { credits: [], claims: [], made: [], endsSession: false };
  let objectsMade = 0;
  const context: Context = {
    ...setting,
    find(kind, id) {
      const found = objects.read(id);
      return found?.kind === kind ? found.body as BodyOf<typeof kind> : null;
    },
    get: (kind, id) => context.find(kind, id) ?? invalid(`there is no ${kind} ${short(id)}`),
    put: (kind, id, body) => objects.write(id, { kind, body } as StateObject),
    make(kind, body) {
      const fields = [idBytes(setting.digest), encode(u16, objectsMade++)];
      const id = toHex(taggedHash("sion/object/v1", ...fields));
      context.makeAt(kind, id, body(id));
      return id;
    },
    makeAt(kind, id, body) {
      context.put(kind, id, body);
      effects.made.push(id);
    },
    has: (id) => objects.read(id) !== null,
    claim(says, rests) {
      const id = claimId(says);
      const untouched = { revoked: null, disputed: null, refuted: null };
      context.makeAt("claim", id, { ...says, ...rests, ...untouched });
      effects.claims.push(id);
      return id;
    },
    take(asset, amount) {
      const account = readAccount(objects, setting.account);
      const after = withBalance(account, asset, -amount);
      if (after === null) return invalid("the balance is too low");
      return writeAccount(objects, setting.account, after);
    },
    credit(account, asset, amount) {
      const { digest: transaction, account: from } = setting;
      effects.credits.push({ transaction, from, account, asset, amount });
    },
    endSession: () => void (effects.endsSession = true),
  };
  return { context, effects };
}

/** An account; one that was never used has no money and begins at slot 0. */
export function readAccount(objects: Objects, id: string): Account {
  const found = objects.read(accountKey(id));
  return found?.kind === "account" ? found.body : { sequence: 0n, balances: new Map() };
}

/** Stores an account. */
export function writeAccount(objects: Objects, id: string, account: Account): void {
  objects.write(accountKey(id), { kind: "account", body: account });
}

/** The account with more or less of an asset, or null if it has not that much. */
export function withBalance(account: Account, asset: string, change: bigint): Account | null {
  const after = (account.balances.get(asset) ?? 0n) + change;
  if (after < 0n) return null;
  const balances = new Map(account.balances);
  balances.delete(asset);
  if (after > 0n) balances.set(asset, after);
  return { ...account, balances };
}
