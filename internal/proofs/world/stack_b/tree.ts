/**
 * A shard's tree, of which a part is known. Empty is 32 zero bytes, a leaf SHA-256(0, key, value
 * hash), a branch SHA-256(1, left, right); a key goes left or right by its bits, the highest of the
 * first byte first, and a subtree of one leaf is that leaf.
 */
import { equalBytes } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";
import type { PartialTree } from "../world_input.ts";
import { fail } from "./error.ts";

const EMPTY = new Uint8Array(32);
const LEAF = Uint8Array.of(0);
const BRANCH = Uint8Array.of(1);

function goesRight(key: Uint8Array, depth: number): boolean {
  return (((key[depth >> 3] as number) << (depth & 7)) & 0x80) !== 0;
}

function isLeaf(tree: PartialTree): tree is PartialTree & { type: "opened" | "closed" } {
  return tree.type === "opened" || tree.type === "closed";
}

/** The hash of a tree. */
export function treeRoot(tree: PartialTree): Uint8Array {
  switch (tree.type) {
    case "empty":
      return EMPTY;
    case "branch":
      return sha256(BRANCH, treeRoot(tree.left), treeRoot(tree.right));
    case "opened":
      return sha256(LEAF, tree.key, taggedHash("sion/state/v1", tree.object));
    case "closed":
      return sha256(LEAF, tree.key, tree.valueHash);
    case "stub":
      return tree.hash;
  }
}

/**
 * The object under a key, or null where the tree shows that there is none.
 * @throws {SionError} `witness` where it shows neither.
 */
export function readTree(tree: PartialTree, key: Uint8Array): Uint8Array | null {
  let at = tree;
  for (let depth = 0; at.type === "branch"; depth++) {
    at = goesRight(key, depth) ? at.right : at.left;
  }
  if (at.type === "stub") fail("witness", "an object is needed that the witness does not show");
  if (!isLeaf(at) || !equalBytes(at.key, key)) return null;
  if (at.type === "closed") fail("witness", "an object is needed of which only the hash is shown");
  return at.object;
}

/**
 * The tree with an object under a key.
 * @throws {SionError} `witness` where the tree does not show what was there.
 */
export function writeTree(
  tree: PartialTree,
  key: Uint8Array,
  object: Uint8Array,
  depth: number = 0,
): PartialTree {
  const leaf = { type: "opened", key, object } as const;
  if (tree.type === "empty") return leaf;
  if (tree.type === "stub") return fail("witness", "an object is written where nothing is shown");
  if (tree.type !== "branch") {
    return equalBytes(tree.key, key) ? leaf : split(tree, leaf, depth);
  }
  return goesRight(key, depth)
    ? { ...tree, right: writeTree(tree.right, key, object, depth + 1) }
    : { ...tree, left: writeTree(tree.left, key, object, depth + 1) };
}

type Leaf = PartialTree & { type: "opened" | "closed" };

/** Branches down to where two keys part; what they share above has nothing on the other side. */
function split(a: Leaf, b: Leaf, depth: number): PartialTree {
  const [aRight, bRight] = [goesRight(a.key, depth), goesRight(b.key, depth)];
  if (aRight !== bRight) return { type: "branch", left: aRight ? b : a, right: aRight ? a : b };
  const below = split(a, b, depth + 1);
  const empty: PartialTree = { type: "empty" };
  return { type: "branch", left: aRight ? empty : below, right: aRight ? below : empty };
}
