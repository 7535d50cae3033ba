import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import {
  BLOCK_BYTES,
  blockOf,
  FileHasher,
  LEAF_BYTES,
  leafCount,
  showLeaf,
  showsLeaves,
} from "#internal/ledger/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";
import { fileOf, leavesOf } from "../_storage.ts";

/** Sizes at which blocks and leaves end, and around them. */
const SIZES = [
  1,
  LEAF_BYTES - 1,
  LEAF_BYTES,
  LEAF_BYTES + 1,
  5 * LEAF_BYTES,
  BLOCK_BYTES - 1,
  BLOCK_BYTES,
  BLOCK_BYTES + 1,
  2 * BLOCK_BYTES,
  3 * BLOCK_BYTES + 777 * LEAF_BYTES + 5,
];

/** The root of a file, given in pieces, and the roots over its blocks. */
function hashed(file: Uint8Array, pieces: readonly number[] = [file.length]) {
  const roots: Uint8Array[] = [];
  const hasher = new FileHasher((root) => void roots.push(root));
  for (let from = 0, at = 0; from < file.length; at++) {
    const length = Math.max(1, pieces[at % pieces.length] ?? 1);
    hasher.add(file.subarray(from, from + length));
    from += length;
  }
  expect(hasher.size).toBe(file.length);
  return { root: hasher.end(), roots };
}

describe("FileHasher", () => {
  test.each(SIZES)(
    "FileHasher finds the root of RFC 6962 over the leaves of %i bytes [L-518]",
    (size) => {
      const file = fileOf(size);
      expect(hashed(file).root).toBe(toHex(logRoot(leavesOf(file))));
    },
  );

  test("FileHasher finds the same root however the bytes are cut", () => {
    const file = fileOf(BLOCK_BYTES + 3 * LEAF_BYTES + 9);
    const { root } = hashed(file);
    const pieces = fc.array(fc.integer({ min: 1, max: 2 * BLOCK_BYTES }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(pieces, (lengths) => {
        const large = lengths.map((length) => Math.max(length, 997));
        expect(hashed(file, large).root).toBe(root);
      }),
      { numRuns: 20 },
    );
  });
});

describe("showLeaf()", () => {
  test("showLeaf() shows each leaf by its block and the roots over blocks [L-566]", () => {
    for (const size of SIZES) {
      const file = fileOf(size);
      const { root, roots } = hashed(file);
      const leaves = leafCount(BigInt(size));
      const places = new Set([0n, leaves / 3n, leaves / 2n, leaves - 1n, 1023n, 1024n, 2047n]);
      for (const place of places) {
        if (place >= leaves) continue;
        const at = blockOf(place) * BLOCK_BYTES;
        const leaf = showLeaf(roots, file.subarray(at, at + BLOCK_BYTES), place);
        expect(showsLeaves({ root, size: BigInt(size) }, [place], [leaf])).toBe(true);
      }
    }
  });
});
