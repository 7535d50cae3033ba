/**
 * Messages about snapshots. A snapshot is the state after a certified Pulse with what ordering goes
 * on from. It is asked for a part at a time; each part names its Pulse and its place, so that one can
 * be asked for again. docs/protocol/consensus.md, "Snapshots".
 */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  id,
  list,
  mapped,
  option,
  SionError,
  struct,
  u16,
  u32,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { MAX_SHARDS } from "#internal/ledger/mod.ts";
import type { SparseNodeKind } from "#internal/merkle/mod.ts";
import { pulseCertificateCodec, sessionStepCodec } from "#internal/proofs/mod.ts";

/** Bytes of content in one part, unless a single session step is larger. */
export const PART_BYTES = 2 << 20;
/** Leaves of the knowledge log in one part. */
export const PART_LEAVES: number = PART_BYTES / 32;
/** Objects with more bytes than this come in pieces of their own. */
export const MAX_WHOLE_OBJECT_BYTES = 1 << 20;
/** Counted for an object in a part besides its own bytes: key, kind and length. */
export const OBJECT_EXTRA_BYTES = 40;
/** Bytes of a tail. */
export const MAX_TAIL_BYTES = 1 << 28;
/** Objects in one part: one takes 37 bytes at least. */
const MAX_PART_OBJECTS = 1 << 16;
/** Session steps in one part. */
const MAX_PART_STEPS = 1 << 10;
/** Nodes of a proof: 65,536 objects with sixteen others beside the way to each. */
const MAX_PROOF_NODES = 1 << 20;

/** Kinds of a proof's nodes, by their numbers on the wire. */
const NODE_KINDS: readonly SparseNodeKind[] = ["empty", "branch", "proven", "other"];

const nodeKindCodec: Codec<SparseNodeKind> = mapped(
  u8,
  (kind) => NODE_KINDS.indexOf(kind),
  (number) => {
    const kind = NODE_KINDS[number];
    if (kind === undefined) {
      throw new SionError("codec", `Cannot decode: ${number} is no kind of node`);
    }
    return kind;
  },
);

const proofCodec = struct({
  shape: list(nodeKindCodec, MAX_PROOF_NODES),
  siblings: list(bytes32, MAX_PROOF_NODES),
  leaves: list(struct({ key: bytes32, valueHash: bytes32 }), MAX_PROOF_NODES),
});

const objectCodec = struct({
  key: bytes32,
  value: union({
    whole: [0, byteString(MAX_WHOLE_OBJECT_BYTES)],
    large: [1, struct({ hash: bytes32, size: u32 })],
  }),
});

const nothing = struct({});
const tailPlace = { from: u32 };
const leavesPlace = { from: u64 };
const objectsPlace = { shard: u16, after: option(id) };
const piecePlace = { key: id, from: u32 };

/** A part of a snapshot that is asked for. The offer is of the newest certified Pulse. */
export const snapshotAskCodec = struct({
  /** 0 in an ask for an offer. */
  pulse: u64,
  what: union({
    offer: [1, nothing],
    steps: [2, struct({ session: u32 })],
    tail: [3, struct(tailPlace)],
    leaves: [4, struct(leavesPlace)],
    objects: [5, struct(objectsPlace)],
    piece: [6, struct(piecePlace)],
  }),
});

/** The answer to an ask. */
export const snapshotPartCodec = struct({
  pulse: u64,
  part: union({
    /** There is no such snapshot here, or none any more. */
    none: [0, nothing],
    offer: [
      1,
      struct({ certificate: pulseCertificateCodec, shards: list(bytes32, MAX_SHARDS), tail: u32 }),
    ],
    steps: [2, struct({ session: u32, steps: list(sessionStepCodec, MAX_PART_STEPS) })],
    tail: [3, struct({ ...tailPlace, bytes: byteString(PART_BYTES) })],
    leaves: [4, struct({ ...leavesPlace, leaves: list(bytes32, PART_LEAVES) })],
    objects: [
      5,
      struct({
        ...objectsPlace,
        objects: list(objectCodec, MAX_PART_OBJECTS),
        proof: proofCodec,
        more: bool,
      }),
    ],
    piece: [6, struct({ ...piecePlace, bytes: byteString(PART_BYTES) })],
  }),
});

/** Asks for a part of a snapshot. */
export type SnapshotAsk = ValueOf<typeof snapshotAskCodec>;
/** What an ask is for. */
export type SnapshotWhat = SnapshotAsk["what"];
/** Answers it. */
export type SnapshotPart = ValueOf<typeof snapshotPartCodec>;
/** A part's content of one kind. */
export type PartBody<K extends SnapshotPart["part"]["kind"]> = Extract<
  SnapshotPart["part"],
  { readonly kind: K }
>["body"];
