/**
 * The state of the ledger after a Pulse: all objects, the trees over them, and the peaks of the
 * knowledge log. An immutable handle; the next one shares what did not change.
 */
import type { AccountId } from "#internal/core/mod.ts";
import { idBytes, isHex64, SionError } from "#internal/core/mod.ts";
import { taggedHash, taggedHashMany } from "#internal/crypto/mod.ts";
import type { LogPeaks } from "#internal/merkle/mod.ts";
import { EMPTY_LOG, logRoot, SparseTree } from "#internal/merkle/mod.ts";
import { IdMap } from "./_id_map.ts";
import { accountKey } from "./account_key.ts";
import { LedgerError } from "./errors.ts";
import type { LedgerObject } from "./object_kind.ts";
import type { Account } from "./objects/account.ts";
import { accountKind } from "./objects/account.ts";
import type { Asset } from "./objects/asset.ts";
import { assetKind, MAX_SUPPLY, USD } from "./objects/asset.ts";
import type { Staking } from "./objects/staking.ts";
import { epochEndAfter, STAKING, stakingKind, tallied } from "./objects/staking.ts";
import { newValidator, validatorId, validatorKind } from "./objects/validator.ts";
import type { SessionMember, ValidatorSet } from "./objects/validator_set.ts";
import { VALIDATOR_SET, validatorSetKind } from "./objects/validator_set.ts";

const STATE_TAG = "sion/state/v1";

/** Most shards that a state can have. */
export const MAX_SHARDS = 256;

/** An object as it is kept: its canonical bytes, decoded when first read. */
interface Stored {
  readonly bytes: Uint8Array;
  object: LedgerObject | undefined;
}

/** The shard of an id or key: the number in its first two bytes, big endian, modulo the number of shards. */
export function shardOf(id: string, shards: number): number {
  return Number.parseInt(id.slice(0, 4), 16) % shards;
}

/** What the sparse trees hold for an object: a hash of its canonical bytes. */
export function objectHash(bytes: Uint8Array): Uint8Array {
  return taggedHash(STATE_TAG, bytes);
}

/** An object made or changed, ready to be stored. */
export interface ChangedObject {
  readonly object: LedgerObject;
  readonly bytes: Uint8Array;
}

/** How objects are written and read: a ledger. */
export interface ObjectCoding {
  encodeObject(object: LedgerObject): Uint8Array;
  decodeObject(bytes: Uint8Array): LedgerObject;
}

/** All objects after a Pulse. */
export class LedgerState {
  readonly #coding: ObjectCoding;
  readonly #objects: IdMap<Stored>;
  /** One tree a shard: key to `objectHash`. */
  readonly shards: readonly SparseTree[];
  /** The knowledge log: its leaves are the ids of claims. */
  readonly knowledge: LogPeaks;
  /** The trees hold more than the objects that are here. */
  readonly #partial: boolean;
  #root: Uint8Array | undefined;

  private constructor(
    coding: ObjectCoding,
    objects: IdMap<Stored>,
    shards: readonly SparseTree[],
    knowledge: LogPeaks,
    partial: boolean = false,
  ) {
    this.#coding = coding;
    this.#objects = objects;
    this.shards = shards;
    this.knowledge = knowledge;
    this.#partial = partial;
  }

  /**
   * The state without objects.
   * @throws {RangeError} unless `shards` is 1 to 256.
   */
  static empty(coding: ObjectCoding, shards: number, knowledge: LogPeaks = EMPTY_LOG): LedgerState {
    checkShards(shards);
    const trees = Array.from({ length: shards }, () => SparseTree.empty);
    return new LedgerState(coding, IdMap.empty(), trees, knowledge);
  }

  /** Number of objects. */
  size(): number {
    return this.#objects.size;
  }

  /**
   * What is held under a key: an object's id, or an account's {@link accountKey}.
   * @throws {SionError} `witness` in a state known in part, when neither an object nor its absence
   * is known.
   */
  at(key: string): LedgerObject | undefined {
    const stored = this.#stored(key);
    if (stored === undefined) return undefined;
    return stored.object ??= this.#coding.decodeObject(stored.bytes);
  }

  #stored(key: string): Stored | undefined {
    const stored = this.#objects.get(key);
    if (stored !== undefined || !this.#partial) return stored;
    const tree = this.shards[shardOf(key, this.shards.length)] as SparseTree;
    if (tree.get(idBytes(key)) === undefined) return undefined;
    throw new SionError("witness", `Cannot read ${key}: only its hash is in the witness`);
  }

  /** The object of an id or, where there is none, the account of that id. */
  get(id: string): LedgerObject | undefined {
    return this.at(id) ?? this.at(accountKey(id));
  }

  /** An account; undefined when nothing ever happened to it. */
  account(id: AccountId): Account | undefined {
    return this.at(accountKey(id))?.value as Account | undefined;
  }

  /** Canonical bytes of what `get` gives. Not to be changed by the caller. */
  bytes(id: string): Uint8Array | undefined {
    return (this.#stored(id) ?? this.#stored(accountKey(id)))?.bytes;
  }

  /** All that is held, by ascending key. */
  *entries(): IterableIterator<readonly [key: string, LedgerObject]> {
    for (const [key] of this.#objects.entries()) yield [key, this.at(key) as LedgerObject];
  }

  /** RFC 6962 root over the roots of the shards' trees, in order. */
  root(): Uint8Array {
    return (this.#root ??= logRoot(this.shards.map((tree) => tree.root()))).slice();
  }

  /** The state with objects made or changed, by key, and the knowledge log grown. */
  with(changed: ReadonlyMap<string, ChangedObject>, knowledge: LogPeaks): LedgerState {
    const stored = [...changed].map(([key, { object, bytes }]): [string, Stored] => {
      return [key, { bytes, object }];
    });
    return this.#grown(stored, knowledge);
  }

  /** The state that holds these objects, decoded when first read. */
  static restored(
    coding: ObjectCoding,
    shards: number,
    objects: Iterable<readonly [string, Uint8Array]>,
    knowledge: LogPeaks,
  ): LedgerState {
    const empty = LedgerState.empty(coding, shards, knowledge);
    const stored: [string, Stored][] = [];
    for (const [key, bytes] of objects) {
      if (!isHex64(key)) throw new LedgerError("state", `Cannot restore state: ${key} is no key`);
      stored.push([key, { bytes, object: undefined }]);
    }
    return empty.#grown(stored, knowledge);
  }

  #grown(stored: readonly (readonly [string, Stored])[], knowledge: LogPeaks): LedgerState {
    const byShard = this.shards.map((): [Uint8Array, Uint8Array][] => []);
    const hashes = taggedHashMany(STATE_TAG, stored.map(([, { bytes }]) => bytes));
    for (const [at, [key]] of stored.entries()) {
      const shard = byShard[shardOf(key, byShard.length)];
      shard?.push([idBytes(key), hashes[at] as Uint8Array]);
    }
    const trees = this.shards.map((tree, shard) => tree.setMany(byShard[shard] ?? []));
    const objects = this.#objects.withAll(stored);
    return new LedgerState(this.#coding, objects, trees, knowledge, this.#partial);
  }

  /** See {@link partialState}. */
  static partial(coding: ObjectCoding, { trees, objects, knowledge }: KnownPart): LedgerState {
    checkShards(trees.length);
    const stored = [...objects].map(([key, bytes]): [string, Stored] => {
      return [key, { bytes, object: undefined }];
    });
    return new LedgerState(
      coding,
      IdMap.empty<Stored>().withAll(stored),
      trees,
      knowledge,
      true,
    );
  }
}

function checkShards(shards: number): void {
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS) return;
  throw new RangeError(`Cannot make state: ${shards} shards where 1 to ${MAX_SHARDS} can be`);
}

/** What is known of a state. */
export interface KnownPart {
  /** One a shard, as far as it is known. */
  readonly trees: readonly SparseTree[];
  /** Canonical bytes by key: objects whose hashes the trees hold under these keys. */
  readonly objects: Iterable<readonly [key: string, Uint8Array]>;
  readonly knowledge: LogPeaks;
}

/**
 * A state of which only some objects are known: enough to execute what reads and writes no others.
 * To look at another one is an error, as it may be there. The caller compares its root with a
 * header it trusts, before it believes anything of it.
 * @throws {RangeError} unless there are 1 to 256 trees.
 */
export function partialState(coding: ObjectCoding, known: KnownPart): LedgerState {
  return LedgerState.partial(coding, known);
}

/** What a chain begins with. */
export interface GenesisOptions {
  /** 1 to 256. */
  readonly shards: number;
  /** Micro-USD of each account, once each. */
  readonly accounts: readonly (readonly [AccountId, bigint])[];
  /** Whether the faucet may make more USD: on a devnet only. @default false */
  readonly faucet?: boolean;
  /** The validators, in the order of the committee. @default a state without */
  readonly validators?: readonly GenesisMember[];
  /** Pulses of an epoch. @default the first never ends */
  readonly epochPulses?: bigint;
}

/** A validator that a chain begins with. */
export interface GenesisMember {
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** Micro-USD. */
  readonly stake: bigint;
  readonly operator: AccountId;
}

/**
 * The state of Pulse 0.
 * @throws {LedgerError} `state` when an account is named twice or the amounts do not fit.
 * @throws {RangeError} unless there are 1 to 256 shards.
 */
export function genesisState(coding: ObjectCoding, options: GenesisOptions): LedgerState {
  const objects = new Map<string, LedgerObject>();
  let genesis = 0n;
  for (const [account, amount] of options.accounts) {
    const key = isHex64(account) ? accountKey(account) : "";
    if (key === "" || objects.has(key) || amount < 0n) {
      throw new LedgerError(
        "state",
        `Cannot make genesis: ${account} is no account or named twice`,
      );
    }
    const balances = new Map(amount > 0n ? [[USD, amount]] : []);
    objects.set(key, { kind: accountKind.name, value: { sequence: 0n, balances } });
    genesis += amount;
  }
  for (const [id, object] of genesisValidators(options)) objects.set(id, object);
  for (const { stake } of options.validators ?? []) genesis += stake;
  if (genesis > MAX_SUPPLY) {
    throw new LedgerError("state", "Cannot make genesis: the amounts together do not fit 64 bits");
  }
  const usd: Asset = {
    symbol: "USD",
    faucetAllowed: options.faucet ?? false,
    genesis,
    faucet: 0n,
    fees: 0n,
    treasury: 0n,
  };
  objects.set(USD, { kind: assetKind.name, value: usd });
  const changed = new Map([...objects].map(([id, object]) => {
    return [id, { object, bytes: coding.encodeObject(object) }];
  }));
  return LedgerState.empty(coding, options.shards).with(changed, EMPTY_LOG);
}

/** The objects of the validators, by id; none without any. */
function genesisValidators(
  { validators: members = [], epochPulses = null }: {
    readonly validators?: readonly GenesisMember[];
    readonly epochPulses?: bigint | null;
  },
): [string, LedgerObject][] {
  if (members.length === 0) return [];
  const committee = members.map(({ publicKey, stake, operator }): SessionMember => {
    return { validator: validatorId(publicKey), operator, key: publicKey, stake };
  });
  const registered = committee.map(({ validator }) => validator);
  const set: ValidatorSet = { registered, committee, before: [] };
  let staking: Staking = {
    epochPulses,
    epoch: 0n,
    epochEnd: epochEndAfter(0n, epochPulses),
    active: 0,
    validators: 0,
    bonded: 0n,
  };
  const objects = committee.map(({ validator, operator, key, stake }): [string, LedgerObject] => {
    const given = {
      operator,
      key,
      stake,
      status: "active",
      registered: 0n,
      commission: 0,
    } as const;
    const value = newValidator(given);
    staking = tallied(staking, undefined, value);
    return [validator, { kind: validatorKind.name, value }];
  });
  return [
    ...objects,
    [VALIDATOR_SET, { kind: validatorSetKind.name, value: set }],
    [STAKING, { kind: stakingKind.name, value: staking }],
  ];
}

/** What a state is restored from. */
export interface StoredState {
  readonly shards: number;
  /** By key, as `PulseOutput.changed` and `LedgerState.entries` give them. */
  readonly objects: Iterable<readonly [key: string, Uint8Array]>;
  readonly knowledge: LogPeaks;
}

/**
 * The state of stored objects. The caller compares its root with a header it trusts.
 * @throws {LedgerError} `state` on an id that is none.
 */
export function restoreState(coding: ObjectCoding, stored: StoredState): LedgerState {
  return LedgerState.restored(coding, stored.shards, stored.objects, stored.knowledge);
}
