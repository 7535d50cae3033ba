/** Messages between validators, and their wire format. */
import type { Codec } from "#internal/core/mod.ts";
import {
  byteString,
  decode,
  encode,
  id,
  list,
  MAX_SIGNED_UNIT_BYTES,
  SionError,
  struct,
  u32,
  union,
} from "#internal/core/mod.ts";
import { DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import type { PulseCertificate } from "#internal/proofs/mod.ts";
import { pulseCertificateCodec } from "#internal/proofs/mod.ts";
import type { Block, BlockCodec } from "./block.ts";
import { MAX_BLOCK_BYTES } from "./block.ts";
import type { SnapshotAsk, SnapshotPart } from "./snapshot/wire.ts";
import { snapshotAskCodec, snapshotPartCodec } from "./snapshot/wire.ts";

/** Blocks one message asks for by id, and units likewise. */
export const MAX_WANTED = 64;
/** Units of one message. */
const MAX_SHARED_UNITS = 64;
/** Rounds one message asks for. */
export const MAX_WANTED_ROUNDS = 64;
/** Bytes of blocks or units one answer holds, unless a single block is larger. */
const MAX_ANSWER_BYTES = 2 << 20;
/** Bytes of any message; a frame that says more is not read. */
export const MAX_MESSAGE_BYTES = MAX_ANSWER_BYTES + MAX_BLOCK_BYTES;
const MAX_ANSWER_BLOCKS = 1024;

/** What validators send each other. */
export type Message =
  | { readonly type: "block"; readonly block: SentBlock }
  /** Answer to `want`. */
  | { readonly type: "blocks"; readonly blocks: readonly SentBlock[] }
  | {
    /** Asks for blocks by id, for all of a span of rounds, and for units by form. */
    readonly type: "want";
    /** The session that the asker is in. */
    readonly session: number;
    /** At most {@link MAX_WANTED}. */
    readonly ids: readonly string[];
    /** First round of the span, 0 for none. */
    readonly fromRound: number;
    /** Rounds of the span, at most {@link MAX_WANTED_ROUNDS}. */
    readonly rounds: number;
    /** At most {@link MAX_WANTED}. */
    readonly units: readonly string[];
  }
  | {
    /**
     * Signed units, canonical bytes: a client's that others may verify and carry too, or answers to
     * `want`.
     */
    readonly type: "units";
    /** At most {@link MAX_SHARED_UNITS}. */
    readonly units: readonly Uint8Array[];
  }
  /** Answer to a `want` for rounds below the first of which the sender holds the blocks. */
  | { readonly type: "held"; readonly fromRound: number }
  | ({ readonly type: "ask" } & SnapshotAsk)
  /** Answer to `ask`. */
  | ({ readonly type: "part" } & SnapshotPart)
  /** The certificate of a session's last Pulse: the sender is in a later session. */
  | { readonly type: "end"; readonly certificate: PulseCertificate };

/** What of a block is sent; decoding makes the whole {@link Block} of it. */
export type SentBlock = Pick<Block, "bytes" | "signature">;

/** A unit that a peer sends, with its canonical bytes. */
export interface SharedUnit {
  readonly signed: SignedUnit;
  readonly bytes: Uint8Array;
}

/** A message as it arrived, its blocks and units decoded. */
export type Received =
  | { readonly type: "blocks"; readonly blocks: readonly Block[] }
  | { readonly type: "units"; readonly units: readonly SharedUnit[] }
  | Exclude<Message, { type: "block" | "blocks" | "units" }>;

const sentBlockCodec: Codec<SentBlock> = struct({
  bytes: byteString(MAX_BLOCK_BYTES),
  signature: byteString(DUAL_SIGNATURE_BYTES),
});

/** First bytes of all messages between nodes, each its own: those of `node` among them. */
export const MESSAGE_TAGS = {
  block: 1,
  blocks: 2,
  want: 3,
  units: 4,
  held: 5,
  ask: 6,
  part: 7,
  end: 8,
  /** A client's unit handed in at another node, and the answer: `internal/node/relay_wire.ts`. */
  submit: 64,
  answer: 65,
} as const;

const wireCodec = union({
  block: [MESSAGE_TAGS.block, sentBlockCodec],
  blocks: [MESSAGE_TAGS.blocks, list(sentBlockCodec, MAX_ANSWER_BLOCKS)],
  want: [
    MESSAGE_TAGS.want,
    struct({
      session: u32,
      ids: list(id, MAX_WANTED),
      fromRound: u32,
      rounds: u32,
      units: list(id, MAX_WANTED),
    }),
  ],
  units: [MESSAGE_TAGS.units, list(byteString(MAX_SIGNED_UNIT_BYTES), MAX_SHARED_UNITS)],
  held: [MESSAGE_TAGS.held, struct({ fromRound: u32 })],
  ask: [MESSAGE_TAGS.ask, snapshotAskCodec],
  part: [MESSAGE_TAGS.part, snapshotPartCodec],
  end: [MESSAGE_TAGS.end, struct({ certificate: pulseCertificateCodec })],
});

/** The type of a message as far as a frame's first byte says; undefined where it says none. */
export function messageTypeOf(frame: Uint8Array): keyof typeof MESSAGE_TAGS | undefined {
  const types = Object.keys(MESSAGE_TAGS) as (keyof typeof MESSAGE_TAGS)[];
  return types.find((type) => MESSAGE_TAGS[type] === frame[0]);
}

/**
 * Whether a message of this type overtakes those that wait for verification: nothing in it is
 * verified by the queue, and whoever asks for snapshots has fallen behind too far to wait.
 */
export function needsNoVerification(
  type: keyof typeof MESSAGE_TAGS | undefined,
): type is "held" | "ask" | "part" {
  return type === "held" || type === "ask" || type === "part";
}

/** The bytes of a message. */
export function encodeMessage(message: Message): Uint8Array {
  switch (message.type) {
    case "block":
      return encode(wireCodec, { kind: "block", body: message.block });
    case "blocks":
      return encode(wireCodec, { kind: "blocks", body: message.blocks });
    case "want":
      return encode(wireCodec, { kind: "want", body: message });
    case "units":
      return encode(wireCodec, { kind: "units", body: message.units });
    case "held":
      return encode(wireCodec, { kind: "held", body: message });
    case "ask":
      return encode(wireCodec, { kind: "ask", body: message });
    case "part":
      return encode(wireCodec, { kind: "part", body: message });
    case "end":
      return encode(wireCodec, { kind: "end", body: message });
  }
}

/**
 * The message of bytes from a peer.
 * @throws {SionError} `codec` on anything that is not exactly one message of bounded size.
 */
export function decodeMessage(bytes: Uint8Array, blocks: BlockCodec): Received {
  const wire = decode(wireCodec, bytes);
  switch (wire.kind) {
    case "block":
      return { type: "blocks", blocks: [blocks.decode(wire.body.bytes, wire.body.signature)] };
    case "blocks":
      return {
        type: "blocks",
        blocks: wire.body.map((sent) => blocks.decode(sent.bytes, sent.signature)),
      };
    case "want":
      if (wire.body.rounds > MAX_WANTED_ROUNDS) {
        throw new SionError("codec", `Cannot decode: over ${MAX_WANTED_ROUNDS} rounds are wanted`);
      }
      return { type: "want", ...wire.body };
    case "units":
      return {
        type: "units",
        units: wire.body.map((bytes) => ({ signed: blocks.decodeUnit(bytes), bytes })),
      };
    case "held":
      return { type: "held", ...wire.body };
    case "ask":
      return { type: "ask", ...wire.body };
    case "part":
      return { type: "part", ...wire.body };
    case "end":
      return { type: "end", ...wire.body };
  }
}

/** Blocks in messages of at most {@link MAX_ANSWER_BYTES} each. */
export function packBlocks(blocks: Iterable<SentBlock>): Message[] {
  const sizeOf = ({ bytes, signature }: SentBlock): number => bytes.length + signature.length;
  return [...batches(blocks, sizeOf, MAX_ANSWER_BLOCKS)].map((batch) => ({
    type: "blocks",
    blocks: batch.map(({ bytes, signature }) => ({ bytes, signature })),
  }));
}

/** Units in messages of at most {@link MAX_ANSWER_BYTES} each. */
export function packUnits(units: Iterable<Uint8Array>): Message[] {
  const packed = batches(units, ({ length }) => length, MAX_SHARED_UNITS);
  return [...packed].map((batch) => ({ type: "units", units: batch }));
}

function* batches<T>(all: Iterable<T>, sizeOf: (one: T) => number, most: number): Iterable<T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const one of all) {
    const bytes = sizeOf(one);
    if (batch.length > 0 && (size + bytes > MAX_ANSWER_BYTES || batch.length === most)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(one);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
