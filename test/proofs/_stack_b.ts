/** Worlds, units and witnesses made by hand, by stack B's own reading of the protocol. */
import { encode, equalBytes, fromHex, idBytes, toHex, u16 } from "#internal/core/mod.ts";
import { loadDualBackend, sha256, taggedHash } from "#internal/crypto/mod.ts";
import { assetId } from "../../internal/proofs/world/stack_b/objects.ts";
import type { StateObject } from "../../internal/proofs/world/stack_b/objects.ts";
import { accountKey, objectCodec, shardOf } from "../../internal/proofs/world/stack_b/objects.ts";
import { kindOfTag } from "../../internal/proofs/world/stack_b/kinds/mod.ts";
import { rootOf, rootOfList } from "../../internal/proofs/world/stack_b/log.ts";
import type { Policy } from "../../internal/proofs/world/stack_b/policy.ts";
import { accountOf } from "../../internal/proofs/world/stack_b/policy.ts";
import { treeRoot, writeTree } from "../../internal/proofs/world/stack_b/tree.ts";
import type { SignedUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import { decodeUnit, signedUnitCodec } from "../../internal/proofs/world/stack_b/unit.ts";
import type {
  PartialTree,
  WorldInput,
  WorldOrdered,
} from "../../internal/proofs/world/world_input.ts";

export const USD: string = assetId("USD");
export const CHAIN: string = toHex(taggedHash("test/world-chain"));
const EMPTY: PartialTree = { type: "empty" };

/** Who signs: one key, no salt. */
export interface Wallet {
  readonly policy: Policy;
  readonly account: string;
  sign(digest: string): Promise<Uint8Array>;
}

/** The wallet of a name, under forgeable signatures. */
export async function walletOf(name: string): Promise<Wallet> {
  const backend = await loadDualBackend("insecure");
  const keys = await backend.keysFromSeed(taggedHash(`test/${name}`));
  const policy = { threshold: 1, keys: [keys.publicKey] };
  return {
    policy,
    account: accountOf(policy, new Uint8Array()),
    sign: (digest) => backend.sign(keys, idBytes(digest), (n) => new Uint8Array(n)),
  };
}

/** A member to be: a kind's tag and its body. */
export interface Wanted {
  readonly tag: number;
  readonly body: unknown;
  readonly account?: string;
  readonly salt?: Uint8Array;
}

/** A signed unit's bytes; slots follow each other from `sequence`. */
export async function unitOf(
  wallet: Wallet,
  sequence: bigint,
  wanted: readonly Wanted[],
  change: { readonly chain?: string; readonly maxFee?: bigint } = {},
): Promise<Uint8Array> {
  const members = wanted.map((one, i) => {
    const kind = kindOfTag(one.tag);
    if (!kind) throw new TypeError(`no kind ${one.tag}`);
    const account = one.account ?? wallet.account;
    return { account, sequence: sequence + BigInt(i), kind, body: one.body };
  });
  const signed: Omit<SignedUnit, "digest"> = {
    unit: { chain: CHAIN, validUntil: 20n, maxFee: 1_000_000n, ...change, members },
    policy: wallet.policy,
    salts: wanted.map((one) => one.salt ?? new Uint8Array()),
    signatures: [{ key: 0, signature: new Uint8Array() }],
  };
  const { digest } = decodeUnit(encode(signedUnitCodec, signed));
  const signatures = [{ key: 0, signature: await wallet.sign(digest) }];
  return encode(signedUnitCodec, { ...signed, signatures });
}

/** An entry of the order. */
export function ordered(bytes: Uint8Array, forced = false): WorldOrdered {
  return { type: "unit", bytes, forced };
}

/** A payment in USD. */
export function paying(...outputs: readonly (readonly [string, bigint])[]): Wanted {
  const body = { asset: USD, outputs: outputs.map(([account, amount]) => ({ account, amount })) };
  return { tag: 1, body };
}

/** Objects by key: accounts with USD, and the asset that says how much there is of it. */
export function genesisOf(funds: readonly (readonly [Wallet, bigint])[]): Map<string, StateObject> {
  const objects = new Map<string, StateObject>();
  for (const [{ account }, amount] of funds) {
    const balances = new Map(amount > 0n ? [[USD, amount]] : []);
    objects.set(accountKey(account), { kind: "account", body: { sequence: 0n, balances } });
  }
  const genesis = funds.reduce((sum, [, amount]) => sum + amount, 0n);
  const facts = { symbol: "USD", faucetAllowed: true, genesis, faucet: 0n, fees: 0n, treasury: 0n };
  objects.set(USD, { kind: "asset", body: facts });
  return objects;
}

/** Trees that show everything. */
export function treesOf(
  objects: ReadonlyMap<string, StateObject>,
  shards: number,
): PartialTree[] {
  const trees = new Array<PartialTree>(shards).fill(EMPTY);
  for (const [key, object] of objects) {
    const shard = shardOf(key, shards);
    const bytes = encode(objectCodec, object);
    trees[shard] = writeTree(trees[shard] as PartialTree, fromHex(key), bytes);
  }
  return trees;
}

/** The input of a Pulse over trees that show enough of the state before. */
export function inputOf(
  trees: readonly PartialTree[],
  entries: readonly WorldOrdered[],
  change: Partial<WorldInput> = {},
): WorldInput {
  return {
    chain: CHAIN,
    pulse: 7n,
    timeMs: 1_700_000_000_000n,
    beacon: "00".repeat(32),
    shards: trees.length,
    closesSession: false,
    before: {
      stateRoot: rootOfList(trees.map(treeRoot)),
      knowledgeRoot: rootOf({ size: 0n, peaks: [] }),
      knowledgeSize: 0n,
    },
    ordered: entries,
    trees,
    peaks: [],
    ...change,
  };
}

/** The tree that shows only the keys wanted; what is beside their paths is a stub or a closed leaf. */
export function cut(tree: PartialTree, wanted: readonly string[]): PartialTree {
  return cutBelow(tree, wanted.map(fromHex), 0);
}

function cutBelow(tree: PartialTree, wanted: readonly Uint8Array[], depth: number): PartialTree {
  if (tree.type === "empty") return tree;
  if (wanted.length === 0) return { type: "stub", hash: treeRoot(tree) };
  if (tree.type === "branch") {
    const right = (key: Uint8Array) => ((key[depth >> 3] as number) >> (7 - depth % 8)) % 2 === 1;
    return {
      type: "branch",
      left: cutBelow(tree.left, wanted.filter((key) => !right(key)), depth + 1),
      right: cutBelow(tree.right, wanted.filter(right), depth + 1),
    };
  }
  if (tree.type !== "opened" || wanted.some((key) => equalBytes(key, tree.key))) return tree;
  return { type: "closed", key: tree.key, valueHash: taggedHash("sion/state/v1", tree.object) };
}

/** All objects that trees show, by key. */
export function shownBy(trees: readonly PartialTree[]): Map<string, Uint8Array> {
  const shown = new Map<string, Uint8Array>();
  const walk = (tree: PartialTree): void => {
    if (tree.type === "opened") shown.set(toHex(tree.key), tree.object);
    if (tree.type !== "branch") return;
    walk(tree.left);
    walk(tree.right);
  };
  trees.forEach(walk);
  return shown;
}

/** The id of an object that a unit's member makes. */
export function madeBy(unit: Uint8Array, index: number, n = 0): string {
  const { digest } = decodeUnit(unit);
  const member = taggedHash("sion/member/v1", idBytes(digest), encode(u16, index));
  return toHex(taggedHash("sion/object/v1", member, encode(u16, n)));
}

/** RFC 6962 root of one entry. */
export function rootOfOne(entry: Uint8Array): Uint8Array {
  return sha256(Uint8Array.of(0), entry);
}
