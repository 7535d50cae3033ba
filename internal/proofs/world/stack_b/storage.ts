/** Storage deals: their rounds, and the leaves that each asks for. docs/protocol/storage.md. */
import { encode, equalBytes, idBytes, u64, u8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { STEP } from "./beacons.ts";
import type { Context } from "./context.ts";
import { invalid, short } from "./failure.ts";
import { rootByPath } from "./log.ts";
import type { StorageDeal } from "./objects.ts";

/** Bytes of every leaf of a file but the last. */
const LEAF_BYTES = 1024n;
/** Rounds missed in a row with which a deal is abandoned. */
const MOST_IN_A_ROW = 3n;

/** What is known of a deal that was accepted and is not closed. */
export type Active = Extract<StorageDeal["phase"], { kind: "active" }>["body"];

/** Leaves that a file has. */
export function leavesOf(size: bigint): bigint {
  return (size + LEAF_BYTES - 1n) / LEAF_BYTES;
}

/** The deal of an id. @throws {Failure} when there is none. */
export function readDeal(context: Context, id: string): StorageDeal {
  return context.find("storage_deal", id) ?? invalid(`there is no storage deal ${short(id)}`);
}

/** Where the first round of a deal begins that is accepted in a Pulse. */
export function startAfter(accepted: bigint): bigint {
  return (accepted / STEP + 1n) * STEP;
}

/** The first Pulse of a round, numbered from 1; of the round after the last, the deal's end. */
export function beginOf(deal: StorageDeal, { start }: Active, round: bigint): bigint {
  return start + (round - 1n) * deal.length;
}

/** Whether a deal has a round that is under way in a Pulse. */
export function isUnderWay(
  deal: StorageDeal,
  active: Active,
  round: bigint,
  pulse: bigint,
): boolean {
  return round <= deal.rounds && pulse >= beginOf(deal, active, round) &&
    pulse < beginOf(deal, active, round + 1n);
}

/** Rounds that are finished in a Pulse, proven or missed. */
export function finishedOf(deal: StorageDeal, { start }: Active, pulse: bigint): bigint {
  if (pulse < start) return 0n;
  const gone = (pulse - start) / deal.length;
  return gone < deal.rounds ? gone : deal.rounds;
}

/** Whether the provider missed three rounds in a row up to a Pulse. */
export function isAbandoned(deal: StorageDeal, active: Active, pulse: bigint): boolean {
  return finishedOf(deal, active, pulse) - active.last >= MOST_IN_A_ROW;
}

/** Which round of which deal. */
export interface Round {
  readonly id: string;
  readonly deal: StorageDeal;
  /** From 1. */
  readonly round: bigint;
}

/** Indices of the leaves that a beacon draws for a round, ascending, each once. */
function challengedBy(beacon: string, { id, deal, round }: Round): readonly bigint[] {
  const leaves = leavesOf(deal.size);
  const drawn = new Set<bigint>();
  for (let i = 0; i < deal.challenges; i++) {
    const fields = [idBytes(beacon), idBytes(id), encode(u64, round), encode(u8, i)];
    const hash = taggedHash("sion/challenge/v1", ...fields);
    const number = hash.subarray(0, 16).reduce((high, byte) => high * 256n + BigInt(byte), 0n);
    drawn.add(number % leaves);
  }
  return [...drawn].sort((one, other) => one < other ? -1 : 1);
}

/** A leaf as a proof shows it. */
export interface Leaf {
  readonly data: Uint8Array;
  /** Hashes beside its way to the root, the lowest first. */
  readonly path: readonly string[];
}

/** Whether a leaf is the one that a deal's file has at an index. */
function isLeafAt(deal: StorageDeal, index: bigint, { data, path }: Leaf): boolean {
  const size = leavesOf(deal.size);
  const length = index + 1n < size ? LEAF_BYTES : deal.size - index * LEAF_BYTES;
  if (BigInt(data.length) !== length) return false;
  const root = rootByPath(data, { index, size, path: path.map(idBytes) });
  return root !== null && equalBytes(root, idBytes(deal.root));
}

/** Whether leaves are all those that a beacon draws for a round, in their order. */
export function showsChallenged(beacon: string, of: Round, leaves: readonly Leaf[]): boolean {
  const challenged = challengedBy(beacon, of);
  return leaves.length === challenged.length &&
    leaves.every((leaf, at) => isLeafAt(of.deal, challenged[at] as bigint, leaf));
}
