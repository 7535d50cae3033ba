/** Storage deals for tests: a file, what is done with it, and the proofs of its rounds. */
import { taggedHash } from "#internal/crypto/mod.ts";
import { encode, toHex, u32 } from "#internal/core/mod.ts";
import type { Action, DealTerms, ShownLeaf } from "#internal/ledger/mod.ts";
import { challengedLeaves, LEAF_BYTES } from "#internal/ledger/mod.ts";
import { logInclusionProof, logRoot } from "#internal/merkle/mod.ts";
import { beaconOf, usd } from "./_world.ts";
import type { World } from "./_world.ts";

/** A file of five leaves, the last of 204 bytes, none like another. */
export const FILE: Uint8Array = fileOf(4 * LEAF_BYTES + 204);

/** A file of that many bytes, always the same. */
export function fileOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 32) {
    const part = taggedHash("test/file", encode(u32, at));
    bytes.set(part.subarray(0, Math.min(32, size - at)), at);
  }
  return bytes;
}

/** The leaves of a file. */
export function leavesOf(file: Uint8Array): Uint8Array[] {
  const count = Math.ceil(file.length / LEAF_BYTES);
  return Array.from(
    { length: count },
    (_, at) => file.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES),
  );
}

/** Four rounds of 16 Pulses at 0.25 USD, with 1 USD of collateral, for whoever wants to. */
export function termsOf(file: Uint8Array = FILE): DealTerms {
  return {
    provider: null,
    size: BigInt(file.length),
    root: toHex(logRoot(leavesOf(file))),
    locator: "https://example.com/patrol-archive.bin",
    price: usd(0.25),
    rounds: 4n,
    length: 16n,
    challenges: 4,
    collateral: usd(1),
    acceptBy: 208n,
  };
}

export function postDeal(changed: Partial<DealTerms> = {}, file: Uint8Array = FILE): Action {
  return { kind: "storage_post", body: { ...termsOf(file), ...changed } };
}

export const accept = (deal: string, collateral: bigint = usd(1)): Action => ({
  kind: "storage_accept",
  body: { deal, collateral },
});

export const close = (deal: string): Action => ({ kind: "storage_close", body: { deal } });

/** Leaves of a file with their paths. */
export function shownOf(file: Uint8Array, places: readonly bigint[]): ShownLeaf[] {
  const leaves = leavesOf(file);
  return places.map((place) => ({
    data: leaves[Number(place)] as Uint8Array,
    path: logInclusionProof(leaves, Number(place)).map(toHex),
  }));
}

/** What the proof of a round is made of. */
export interface ProofOptions {
  /** First Pulse of round 1. @default 8 */
  readonly start?: bigint;
  /** @default those of {@link termsOf} */
  readonly terms?: Pick<DealTerms, "challenges" | "length">;
  /** @default FILE */
  readonly file?: Uint8Array;
}

/** The places that a round of a test world's deal asks for. */
export function placesOf(
  deal: string,
  round: bigint,
  options: ProofOptions = {},
): readonly bigint[] {
  const { start = 8n, terms = termsOf(), file = FILE } = options;
  const beacon = beaconOf(start + (round - 1n) * terms.length);
  return challengedLeaves(
    beacon,
    { deal, size: BigInt(file.length), challenges: terms.challenges },
    round,
  );
}

/** The proof of a round of a test world's deal. */
export function prove(deal: string, round: bigint, options: ProofOptions = {}): Action {
  const leaves = shownOf(options.file ?? FILE, placesOf(deal, round, options));
  return { kind: "storage_prove", body: { deal, round, leaves } };
}

/** A deal of alice's that bob accepted in the second Pulse; its first round begins at Pulse 8. */
export function dealOfBob(world: World, changed: Partial<DealTerms> = {}): string {
  const deal = world.make("alice", postDeal(changed));
  world.make("bob", accept(deal, changed.collateral));
  return deal;
}
