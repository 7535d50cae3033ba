/**
 * Which leaves a round asks for, and what shows them: drawn by the beacon of the round's first
 * Pulse, so that nobody knows them before it. docs/protocol/storage.md.
 */
import { encode, fromHex, id, idBytes, struct, toHex, u64, u8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";
import { leafCount, leafLength } from "./file_leaves.ts";

/** Bytes of a hash that are read as a number: so many that no leaf is likelier than another. */
const DRAWN_BYTES = 16;

/** What a round's challenge hangs on. */
export interface ChallengeTerms {
  /** The deal's id. */
  readonly deal: string;
  /** The file's bytes. */
  readonly size: bigint;
  /** Leaves drawn; of those drawn twice one is asked for. */
  readonly challenges: number;
}

/** A leaf with what leads from it to the root. */
export interface ShownLeaf {
  readonly data: Uint8Array;
  /** 64 hex digits each, the lowest first. */
  readonly path: readonly string[];
}

const drawCodec = struct({ beacon: id, deal: id, round: u64, index: u8 });

/**
 * Indices of the leaves that a round asks for, ascending, none twice.
 * @param beacon 32 bytes, of the round's first Pulse
 */
export function challengedLeaves(
  beacon: Uint8Array,
  { deal, size, challenges }: ChallengeTerms,
  round: bigint,
): readonly bigint[] {
  const leaves = leafCount(size);
  const drawn = new Set<bigint>();
  for (let index = 0; index < challenges; index++) {
    const hash = taggedHash(
      "sion/challenge/v1",
      encode(drawCodec, { beacon: toHex(beacon), deal, round, index }),
    );
    drawn.add(BigInt(`0x${toHex(hash.subarray(0, DRAWN_BYTES))}`) % leaves);
  }
  return [...drawn].sort((a, b) => a < b ? -1 : 1);
}

/** Whether these are the leaves of a file at these places, in their order. */
export function showsLeaves(
  file: { readonly root: string; readonly size: bigint },
  places: readonly bigint[],
  shown: readonly ShownLeaf[],
): boolean {
  const [root, leaves] = [idBytes(file.root), leafCount(file.size)];
  return shown.length === places.length && places.every((place, at) => {
    const { data, path } = shown[at] as ShownLeaf;
    return data.length === leafLength(file.size, place) &&
      verifyLogInclusion(root, leaves, place, data, path.map(fromHex));
  });
}
