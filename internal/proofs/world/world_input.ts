/**
 * What a World Proof is checked from: the order of a Pulse and the part of the state that it reads
 * or writes. Shared by both stacks; each builds its own tree of it.
 *
 * Source: docs/protocol/world-proof.md.
 */
import type { Codec, Reader } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  decode,
  id,
  list,
  mapped,
  MAX_SIGNED_UNIT_BYTES,
  SionError,
  struct,
  u16,
  u64,
  union,
} from "#internal/core/mod.ts";

/** Bytes of any object that is carried by itself; the largest account there can be has 41,943,052. */
export const MAX_OBJECT_BYTES = 1 << 26;
/** Bytes of an encoded input. */
const MAX_WORLD_INPUT_BYTES = 1 << 28;
/** Bytes of an encoded witness: there is room for as much of an order. */
export const MAX_WITNESS_BYTES: number = 1 << 27;
/** Units and void slots of a Pulse. */
export const MAX_ORDERED = 1 << 20;
/** Peaks of a knowledge log: its size is a 64-bit number. */
const MAX_PEAKS = 64;
/** Branches above a leaf: a key has 256 bits. */
const MAX_DEPTH = 256;

/**
 * A shard's tree as far as the Pulse needs it. `opened` leaves show an object; `closed` ones only its
 * hash, as a neighbour or to show that another key is absent; a `stub` stands for any subtree.
 */
export type PartialTree =
  | { readonly type: "empty" }
  | { readonly type: "branch"; readonly left: PartialTree; readonly right: PartialTree }
  | { readonly type: "opened"; readonly key: Uint8Array; readonly object: Uint8Array }
  | { readonly type: "closed"; readonly key: Uint8Array; readonly valueHash: Uint8Array }
  | { readonly type: "stub"; readonly hash: Uint8Array };

/** One entry of the certified order. */
export type WorldOrdered =
  | {
    readonly type: "unit";
    /** The canonical signed unit. */
    readonly bytes: Uint8Array;
    /** Settled without votes: its fee is what there is. */
    readonly forced: boolean;
  }
  | { readonly type: "void"; readonly account: string; readonly sequence: bigint };

/** What the header before fixes of the state that a Pulse begins from. */
export interface WorldBefore {
  readonly stateRoot: Uint8Array;
  readonly knowledgeRoot: Uint8Array;
  readonly knowledgeSize: bigint;
}

/** The part of the state before that a Pulse's execution reads or writes. */
export interface WorldWitness {
  /** One a shard, in order. */
  readonly trees: readonly PartialTree[];
  /** Roots of the knowledge log's perfect subtrees, the largest first. */
  readonly peaks: readonly Uint8Array[];
}

/** Everything that the execution of one Pulse is a function of. */
export interface WorldInput extends WorldWitness {
  /** The chain identity, 64 hex digits. */
  readonly chain: string;
  readonly pulse: bigint;
  /** Ledger time of the Pulse. */
  readonly timeMs: bigint;
  /** The Pulse's beacon, 64 hex digits; every eighth Pulse keeps its in the state. */
  readonly beacon: string;
  /** Shards of the chain, at least 1. */
  readonly shards: number;
  /** The Pulse is its session's last. */
  readonly closesSession: boolean;
  readonly before: WorldBefore;
  /** In certified order. */
  readonly ordered: readonly WorldOrdered[];
}

/**
 * Why a Pulse cannot be executed from what was given.
 * - `witness`: what is read or written is not in the witness, or the witness is not the state before.
 * - `unit`: bytes that are no unit, or one of another chain.
 * - `authorization`: an account's owner did not sign for what is done in its name.
 * - `order`: a slot that is not its account's next.
 */
export type WorldErrorCode = "witness" | "unit" | "authorization" | "order";

const object = byteString(MAX_OBJECT_BYTES);

function refuse(what: string): never {
  throw new SionError("codec", `Cannot decode: ${what}`);
}

/**
 * Preorder: 0 empty; 1 branch and its two subtrees; 2 opened leaf; 3 closed leaf; 4 stub. Decoding
 * refuses shapes that no state has: a leaf off its key's path, a branch over less than two leaves.
 */
export const partialTreeCodec: Codec<PartialTree> = {
  write(to, tree) {
    switch (tree.type) {
      case "empty":
        return to.u8(0);
      case "branch":
        to.u8(1);
        partialTreeCodec.write(to, tree.left);
        return partialTreeCodec.write(to, tree.right);
      case "opened":
        to.u8(2);
        bytes32.write(to, tree.key);
        return object.write(to, tree.object);
      case "closed":
        to.u8(3);
        bytes32.write(to, tree.key);
        return bytes32.write(to, tree.valueHash);
      case "stub":
        to.u8(4);
        return bytes32.write(to, tree.hash);
    }
  },
  read: (from) => readTree(from, []),
};

/** @param path the bits that lead here; changed while reading, and left as it was. */
function readTree(from: Reader, path: number[]): PartialTree {
  const tag = from.u8();
  if (tag === 0) return { type: "empty" };
  if (tag === 1) {
    if (path.length === MAX_DEPTH) refuse("a tree is deeper than its keys");
    const left = readSide(from, path, 0);
    const right = readSide(from, path, 1);
    if (isSmall(left) && isSmall(right) && (left.type === "empty" || right.type === "empty")) {
      refuse("a branch holds less than two leaves");
    }
    return { type: "branch", left, right };
  }
  if (tag === 2 || tag === 3) {
    const key = from.raw(32);
    if (path.some((bit, depth) => bit !== bitOf(key, depth))) refuse("a leaf is off its path");
    if (tag === 2) return { type: "opened", key, object: object.read(from) };
    return { type: "closed", key, valueHash: from.raw(32) };
  }
  if (tag !== 4) refuse(`${tag} is no node of a tree`);
  const hash = from.raw(32);
  if (hash.every((byte) => byte === 0)) refuse("a stub stands for nothing");
  return { type: "stub", hash };
}

function readSide(from: Reader, path: number[], bit: 0 | 1): PartialTree {
  path.push(bit);
  const side = readTree(from, path);
  path.pop();
  return side;
}

/** True of what is at most one leaf. A stub may be more: it is taken for a whole subtree. */
function isSmall(tree: PartialTree): boolean {
  return tree.type !== "branch" && tree.type !== "stub";
}

function bitOf(key: Uint8Array, depth: number): number {
  return ((key[depth >> 3] as number) >> (7 - (depth & 7))) & 1;
}

const orderedCodec: Codec<WorldOrdered> = mapped(
  union({
    unit: [0, struct({ bytes: byteString(MAX_SIGNED_UNIT_BYTES), forced: bool })],
    void: [1, struct({ account: id, sequence: u64 })],
  }),
  (entry) =>
    entry.type === "unit"
      ? { kind: "unit" as const, body: { bytes: entry.bytes, forced: entry.forced } }
      : { kind: "void" as const, body: { account: entry.account, sequence: entry.sequence } },
  (entry): WorldOrdered =>
    entry.kind === "unit" ? { type: "unit", ...entry.body } : { type: "void", ...entry.body },
);

const witnessFields = {
  trees: list(partialTreeCodec, 0xffff),
  peaks: list(bytes32, MAX_PEAKS),
} as const;

/** The one encoding of a witness, in which nodes serve it. Bound the bytes before decoding. */
export const worldWitnessCodec: Codec<WorldWitness> = struct(witnessFields);

/** The one encoding of an input. What comes from outside is for {@link decodeWorldInput}. */
export const worldInputCodec: Codec<WorldInput> = struct({
  chain: id,
  pulse: u64,
  timeMs: u64,
  beacon: id,
  shards: u16,
  closesSession: bool,
  before: struct({ stateRoot: bytes32, knowledgeRoot: bytes32, knowledgeSize: u64 }),
  ordered: list(orderedCodec, MAX_ORDERED),
  ...witnessFields,
});

/**
 * An input from outside.
 * @throws {SionError} `codec` unless the bytes are one encoding, of at most 256 MiB.
 */
export function decodeWorldInput(bytes: Uint8Array): WorldInput {
  if (bytes.length > MAX_WORLD_INPUT_BYTES) refuse("a world's input is over 256 MiB");
  return decode(worldInputCodec, bytes);
}

/** A member of a committee, as execution comes to it. */
export interface WorldMember {
  readonly operator: string;
  /** Dual public key. */
  readonly key: Uint8Array;
  readonly stake: bigint;
}

/**
 * What a stack computes: every field of the header that execution fixes, and the counts of what
 * happened. Hashes are 32 bytes.
 */
export interface WorldOutput {
  readonly stateRoot: Uint8Array;
  readonly knowledgeRoot: Uint8Array;
  readonly knowledgeSize: bigint;
  readonly receiptsRoot: Uint8Array;
  readonly leavesRoot: Uint8Array;
  /** Receipts: one a transaction, one a void slot. */
  readonly receipts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly voided: number;
  /** Micro-USD taken in fees. */
  readonly fees: bigint;
  /** A transaction changed a validator. */
  readonly endsSession: boolean;
  /** Of a session's last Pulse the next one's committee, in its order. */
  readonly committee: readonly WorldMember[] | null;
}
