/**
 * The snapshots that a node shows its peers: few, each of one Pulse and never changing, so that its
 * parts fit each other; states share what did not change. What peers can make it do is bounded, each
 * by itself and all together.
 */
import { encode, fromHex, toHex } from "#internal/core/mod.ts";
import type { LedgerState } from "#internal/ledger/mod.ts";
import { objectHash } from "#internal/ledger/mod.ts";
import type { PulseCertificate, SessionStep } from "#internal/proofs/mod.ts";
import { PULSE_ROUNDS, sessionStepCodec } from "#internal/proofs/mod.ts";
import { HORIZON_ROUNDS } from "../reach.ts";
import type { PartBody, SnapshotAsk, SnapshotPart, SnapshotWhat } from "./wire.ts";
import { MAX_WHOLE_OBJECT_BYTES, OBJECT_EXTRA_BYTES, PART_BYTES, PART_LEAVES } from "./wire.ts";

/** Snapshots that are shown at once. */
const MAX_SHOWN = 3;
/** Parts that one peer may take at once, and the time to each more, ms. */
const PEER_BURST = 8;
const PEER_REFILL_MS = 50;
/** The same of all peers together. */
const ALL_BURST = 16;
const ALL_REFILL_MS = 25;
/** Peers whose parts are counted; beyond it those that took none lately are forgotten. */
const MAX_COUNTED = 256;

/** A certified Pulse that can be shown. */
export interface ShownPulse {
  readonly certificate: PulseCertificate;
  /** The state after it. */
  readonly state: LedgerState;
  readonly tail: Uint8Array;
}

/** What a shelf takes its snapshots from. */
export interface ShelfOptions {
  /** The newest certified Pulse, if its state is at hand. */
  newest(): ShownPulse | undefined;
  /** From the end of a session on, in order. */
  steps(session: number): Iterable<SessionStep>;
  /** The knowledge log's leaves from a place on; only ever grows. */
  leaves(from: number): Iterable<Uint8Array>;
  /**
   * Rounds for which blocks are kept below the oldest that the order needs: while a snapshot is
   * shown, the blocks after it have to be there.
   */
  readonly keptRounds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** The snapshots shown by one node. */
export class SnapshotShelf {
  readonly #options: ShelfOptions;
  /** By Pulse, the newest last. */
  readonly #shown = new Map<number, ShownPulse>();
  /** Pulses after which a snapshot is not shown any more. */
  readonly #lifePulses: number;
  readonly #all: Bucket = { tokens: ALL_BURST, atMs: 0 };
  readonly #peers = new Map<number, Bucket>();

  constructor(options: ShelfOptions) {
    this.#options = options;
    // A third of the time that blocks last is left for going on.
    const lastRounds = HORIZON_ROUNDS + options.keptRounds;
    this.#lifePulses = Math.max(MAX_SHOWN, Math.floor((2 * lastRounds) / (3 * PULSE_ROUNDS)));
  }

  /** Snapshots of Pulses that are too old are let go of. @param pulse the newest Pulse. */
  executed(pulse: number): void {
    for (const shown of this.#shown.keys()) {
      if (pulse - shown > this.#lifePulses) this.#shown.delete(shown);
    }
  }

  /** How many peers' parts are counted. */
  get counted(): number {
    return this.#peers.size;
  }

  /** Answers an ask; undefined when the peer has had its share for now and has to ask again. */
  answer(peer: number, { pulse, what }: SnapshotAsk, nowMs: number): SnapshotPart | undefined {
    if (!this.#takesToken(peer, nowMs)) return undefined;
    if (what.kind === "offer") return this.#offer();
    const shown = this.#shown.get(Number(pulse));
    const part = shown === undefined ? undefined : this.#part(shown, what);
    return { pulse, part: part ?? { kind: "none", body: {} } };
  }

  #takesToken(peer: number, nowMs: number): boolean {
    if (this.#peers.size > MAX_COUNTED) {
      for (const [other, bucket] of this.#peers) {
        if (nowMs - bucket.atMs > PEER_BURST * PEER_REFILL_MS) this.#peers.delete(other);
      }
    }
    const own = this.#peers.get(peer) ?? { tokens: PEER_BURST, atMs: nowMs };
    this.#peers.set(peer, own);
    refill(own, nowMs, PEER_BURST, PEER_REFILL_MS);
    refill(this.#all, nowMs, ALL_BURST, ALL_REFILL_MS);
    if (own.tokens < 1 || this.#all.tokens < 1) return false;
    own.tokens--;
    this.#all.tokens--;
    return true;
  }

  /** The newest snapshot; a new one only when that is a third of its life old. */
  #offer(): SnapshotPart {
    const newest = this.#options.newest();
    const number = Number(newest?.certificate.header.number ?? 0n);
    const last = [...this.#shown.keys()].at(-1);
    const isDue = last === undefined || number - last >= this.#lifePulses / MAX_SHOWN;
    if (newest !== undefined && isDue) this.#shown.set(number, newest);
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= MAX_SHOWN) break;
      this.#shown.delete(oldest);
    }
    const [pulse, shown] = [...this.#shown].at(-1) ?? [];
    if (pulse === undefined || shown === undefined) {
      return { pulse: 0n, part: { kind: "none", body: {} } };
    }
    const { certificate, state, tail } = shown;
    const shards = state.shards.map((tree) => tree.root());
    const body = { certificate, shards, tail: tail.length };
    return { pulse: BigInt(pulse), part: { kind: "offer", body } };
  }

  #part(shown: ShownPulse, what: SnapshotWhat): SnapshotPart["part"] | undefined {
    switch (what.kind) {
      case "offer":
        return undefined;
      case "steps":
        return { kind: "steps", body: this.#steps(what.body.session, shown) };
      case "tail": {
        const { from } = what.body;
        return { kind: "tail", body: { from, bytes: shown.tail.slice(from, from + PART_BYTES) } };
      }
      case "leaves":
        return { kind: "leaves", body: this.#leaves(Number(what.body.from), shown) };
      case "objects":
        return objectsPart(shown.state, what.body);
      case "piece": {
        const { key, from } = what.body;
        const bytes = shown.state.bytes(key)?.slice(from, from + PART_BYTES);
        return bytes && { kind: "piece", body: { key, from, bytes } };
      }
    }
  }

  /** As many steps as fit, but for those after the Pulse. */
  #steps(session: number, { certificate: { header } }: ShownPulse): PartBody<"steps"> {
    const steps: SessionStep[] = [];
    let size = 0;
    for (const step of this.#options.steps(session)) {
      if (step.certificate.header.number > header.number) break;
      size += encode(sessionStepCodec, step).length;
      if (size > PART_BYTES && steps.length > 0) break;
      steps.push(step);
    }
    return { session, steps };
  }

  #leaves(from: number, { certificate: { header } }: ShownPulse): PartBody<"leaves"> {
    const count = Math.min(PART_LEAVES, Number(header.knowledgeSize) - from);
    const leaves: Uint8Array[] = [];
    if (count > 0) {
      for (const leaf of this.#options.leaves(from)) {
        leaves.push(leaf);
        if (leaves.length === count) break;
      }
    }
    return { from: BigInt(from), leaves };
  }
}

/** Objects of a shard above a key, as many as fit, with a proof that they are the state's. */
function objectsPart(
  state: LedgerState,
  { shard, after }: Pick<PartBody<"objects">, "shard" | "after">,
): SnapshotPart["part"] | undefined {
  const tree = state.shards[shard];
  if (tree === undefined) return undefined;
  const objects: PartBody<"objects">["objects"][number][] = [];
  let size = 0;
  let more = false;
  for (const [key] of tree.entries(after === null ? undefined : fromHex(after))) {
    const bytes = state.bytes(toHex(key)) as Uint8Array;
    const isLarge = bytes.length > MAX_WHOLE_OBJECT_BYTES;
    size += OBJECT_EXTRA_BYTES + (isLarge ? 0 : bytes.length);
    if (size > PART_BYTES) {
      more = true;
      break;
    }
    objects.push({
      key,
      value: isLarge
        ? { kind: "large", body: { hash: objectHash(bytes), size: bytes.length } }
        : { kind: "whole", body: bytes },
    });
  }
  const proof = tree.multiproof(objects.map(({ key }) => key));
  return { kind: "objects", body: { shard, after, objects, proof, more } };
}

function refill(bucket: Bucket, nowMs: number, burst: number, everyMs: number): void {
  const earned = Math.floor((nowMs - bucket.atMs) / everyMs);
  if (earned <= 0) return;
  bucket.tokens = Math.min(burst, bucket.tokens + earned);
  bucket.atMs = bucket.tokens === burst ? nowMs : bucket.atMs + earned * everyMs;
}
