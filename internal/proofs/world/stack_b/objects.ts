/** The objects of the state: fields and encodings. docs/protocol/ledger.md, claims.md, staking.md, Objects. */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import {
  bool,
  byteString,
  encode,
  id,
  idBytes,
  list,
  mapped,
  option,
  SionError,
  sortedMap,
  struct,
  text,
  toHex,
  u128,
  u16,
  u32,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { bondNameCodec, formulaCodec } from "./formula.ts";

function refuse(what: string): never {
  throw new SionError("codec", `Cannot decode: ${what}`);
}

/** A value that must satisfy more than its encoding does, on reading. */
export function checked<T>(codec: Codec<T>, holds: (value: T) => boolean, what: string): Codec<T> {
  const same = (value: T) => value;
  return mapped(codec, same, (value) => holds(value) ? value : refuse(what));
}

const accountCodec = struct({
  sequence: u64,
  balances: checked(
    sortedMap(id, u64, 1 << 20),
    (map) => ![...map.values()].includes(0n),
    "a balance is 0",
  ),
});

const assetCodec = struct({
  symbol: text(12),
  faucetAllowed: bool,
  genesis: u64,
  faucet: u64,
  fees: u64,
  treasury: u64,
});

const identityCodec = struct({
  name: text(64),
  principal: id,
  parent: option(id),
  account: id,
  keyless: bool,
  depth: u8,
  registered: u64,
  suspensions: checked(
    list(struct({ level: u8, by: id, since: u64 }), 8),
    (all) => all.every((one, i) => i === 0 || one.level > (all[i - 1] as typeof one).level),
    "suspensions are not in order of level",
  ),
  revoked: option(struct({ by: id, since: u64 })),
});

const bucketCodec = checked(
  struct({ capacity: u64, refill: u64, periodMs: u64 }),
  (bucket) => bucket.capacity > 0n && bucket.periodMs > 0n,
  "a bucket has no capacity or no period",
);

/** What limits the payments under a charter; null limits nothing. */
export const caveatsCodec = struct({
  payees: option(
    checked(
      list(id, 64),
      (all) => all.every((one, i) => i === 0 || one > (all[i - 1] as string)),
      "payees are not strictly ascending",
    ),
  ),
  maxPayment: option(u64),
  bucket: option(bucketCodec),
  expires: option(u64),
  receipts: bool,
});

const levelCodec = struct({ level: u64, carry: u64, atMs: u64 });

const charterCodec = struct({
  agent: id,
  giver: id,
  parent: option(id),
  caveats: caveatsCodec,
  bucket: option(levelCodec),
  made: u64,
  narrowed: option(u64),
  revoked: option(struct({ by: id, since: u64 })),
});

const allotmentCodec = struct({
  charter: id,
  giver: id,
  source: option(id),
  asset: id,
  balance: u64,
  spent: u64,
  made: u64,
});

const reservationCodec = struct({
  claim: id,
  account: id,
  amount: u64,
  until: u64,
  disputed: bool,
});

const bondCodec = struct({
  account: id,
  label: text(32),
  amount: u64,
  release: option(struct({ amount: u64, due: u64 })),
  reservations: list(reservationCodec, 64),
  slashed: u64,
  made: u64,
});

/** What a claim says, of which its id is a hash. */
const statement = {
  issuer: id,
  schema: text(64),
  subject: union({
    payment: [
      0,
      struct({
        transaction: id,
        charter: id,
        payee: id,
        asset: id,
        amount: u64,
        purpose: text(1024),
        session: option(text(128)),
        call: option(text(128)),
      }),
    ],
    text: [1, struct({ transaction: id, text: text(1024) })],
  }),
  basis: union({
    execution: [0, struct({})],
    trust: [
      1,
      struct({ formula: formulaCodec, adjudicator: option(bondNameCodec), detection: u16 }),
    ],
  }),
  issued: u64,
  validUntil: option(u64),
};

const statementCodec = struct(statement);

const claimCodec = struct({
  ...statement,
  depth: u8,
  atoms: u16,
  revoked: option(u64),
  disputed: option(struct({ by: id, since: u64 })),
  refuted: option(struct({ by: id, since: u64 })),
});

const keyCodec = byteString(1344);

const poolCodec = struct({
  stake: u64,
  shares: u64,
  pending: u64,
  earning: u64,
  perShare: u128,
  rewards: u64,
});

const validatorCodec = struct({
  operator: id,
  key: keyCodec,
  next: option(struct({ key: keyCodec, since: u64 })),
  stake: u64,
  /** 0 active, 1 left, 2 joining, 3 slashed. */
  status: checked(u8, (status) => status <= 3, "a validator has no known status"),
  registered: u64,
  due: option(u64),
  commission: u16,
  nextCommission: option(u16),
  earned: u64,
  pool: poolCodec,
  slashed: list(u32, 64),
});

const delegationCodec = struct({
  owner: id,
  validator: id,
  shares: u64,
  made: u64,
  epoch: u64,
  paid: option(u128),
  unbonding: option(struct({ since: u64, due: u64 })),
});

const stakingCodec = struct({
  epochPulses: option(u64),
  epoch: u64,
  epochEnd: option(u64),
  active: u16,
  validators: u16,
  bonded: u64,
});

const rewardMarkCodec = struct({ validator: id, epoch: u64, perShare: u128, pulse: u64 });

const committeeCodec = list(struct({ validator: id, operator: id, key: keyCodec, stake: u64 }), 16);

const memoryLogCodec = struct({
  owner: id,
  agent: option(id),
  size: u64,
  root: id,
  head: u64,
  opened: u64,
  committed: u64,
  sealed: option(u64),
});

/** The charter and the allotment that money of a task comes from. */
export const budgetCodec = struct({ charter: id, allotment: id });

/** What work of a task is paid. */
export const taskRuleCodec = struct({
  requires: list(id, 8),
  verifiers: list(id, 16),
  adjudicator: option(bondNameCodec),
  /** Millionths. */
  kappa: u64,
  /** Thousandths. */
  detection: u16,
  /** Pulses. */
  reliance: u64,
});

const taskCodec = struct({
  poster: id,
  budget: option(budgetCodec),
  worker: option(id),
  amount: u64,
  spec: option(id),
  rule: taskRuleCodec,
  posted: u64,
  deadline: u64,
  outcome: union({
    open: [0, struct({})],
    paid: [1, struct({ worker: id, result: id, at: u64, until: u64 })],
    refunded: [2, struct({ at: u64 })],
  }),
});

const storageDealCodec = struct({
  client: id,
  provider: option(id),
  size: u64,
  root: id,
  locator: option(text(1024)),
  price: u64,
  rounds: u64,
  length: u64,
  challenges: u8,
  collateral: u64,
  acceptBy: u64,
  posted: u64,
  phase: union({
    open: [0, struct({})],
    active: [1, struct({ start: u64, proven: u64, last: u64 })],
    closed: [
      2,
      struct({
        at: u64,
        proven: u64,
        missed: u64,
        paid: u64,
        refund: u64,
        returned: u64,
        forfeited: u64,
      }),
    ],
  }),
});

/** Any object: the tag of its kind, then its fields. */
export const objectCodec = union({
  account: [1, accountCodec],
  asset: [2, assetCodec],
  identity: [16, identityCodec],
  charter: [24, charterCodec],
  allotment: [32, allotmentCodec],
  bond: [40, bondCodec],
  claim: [48, claimCodec],
  task: [64, taskCodec],
  storage_deal: [72, storageDealCodec],
  beacon: [73, struct({ pulse: u64, beacon: id })],
  validator: [96, validatorCodec],
  validator_key: [97, struct({ validator: id })],
  validator_set: [
    98,
    struct({ registered: list(id, 64), committee: committeeCodec, before: committeeCodec }),
  ],
  delegation: [100, delegationCodec],
  staking: [101, stakingCodec],
  reward_mark: [102, rewardMarkCodec],
  memory_log: [80, memoryLogCodec],
});

export type StateObject = ValueOf<typeof objectCodec>;
export type ObjectKind = StateObject["kind"];
export type BodyOf<K extends ObjectKind> = Extract<StateObject, { kind: K }>["body"];
export type Account = BodyOf<"account">;
export type Identity = BodyOf<"identity">;
export type Charter = BodyOf<"charter">;
export type Allotment = BodyOf<"allotment">;
export type Caveats = ValueOf<typeof caveatsCodec>;
export type Bucket = ValueOf<typeof bucketCodec>;
export type Level = ValueOf<typeof levelCodec>;
export type Bond = BodyOf<"bond">;
export type Reservation = ValueOf<typeof reservationCodec>;
export type Claim = BodyOf<"claim">;
export type Task = BodyOf<"task">;
export type StorageDeal = BodyOf<"storage_deal">;
export type Validator = BodyOf<"validator">;
export type Pool = ValueOf<typeof poolCodec>;
export type Delegation = BodyOf<"delegation">;
export type Staking = BodyOf<"staking">;
export type Statement = ValueOf<typeof statementCodec>;

/** The id of a claim: a hash of what it says, not of what became of it. */
export function claimId(says: Statement): string {
  return toHex(taggedHash("sion/claim/v1", encode(statementCodec, says)));
}

/** The id of a validator's key, and of the validator whose first it is. */
export function keyId(key: Uint8Array): string {
  return toHex(taggedHash("sion/validator/v1", encode(keyCodec, key)));
}

/** The id of an asset. */
export function assetId(symbol: string): string {
  return toHex(taggedHash("sion/asset/v1", new TextEncoder().encode(symbol)));
}

/** Where the state keeps an account: its shard's two bytes, then 30 bytes of a hash of its id. */
export function accountKey(account: string): string {
  const hash = toHex(taggedHash("sion/account-key/v1", idBytes(account)));
  return account.slice(0, 4) + hash.slice(4);
}

/** The shard of an id or key. */
export function shardOf(idOrKey: string, shards: number): number {
  return Number.parseInt(idOrKey.slice(0, 4), 16) % shards;
}
