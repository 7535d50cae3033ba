/** The path-compressed sparse Merkle tree that holds the ledger's objects. */
import { compareBytes, equalBytes } from "#internal/core/mod.ts";
import { HASH_BYTES } from "#internal/crypto/mod.ts";
import type { Branch, Leaf, Node } from "./_sparse_node.ts";
import { hashNodes, hashOf, unknownPart } from "./_sparse_node.ts";
import type { SparseLeaf } from "./sparse_hash.ts";
import { KEY_BYTES, keyBit, splitAtBit } from "./sparse_hash.ts";
import type { SparseMultiproof, SparseNodeKind } from "./sparse_multiproof.ts";
import type { SparseProof } from "./sparse_proof.ts";
import type { SparseWitness } from "./sparse_witness.ts";
import { countLeaves, nodeOfWitness, witnessOf } from "./sparse_witness.ts";

/**
 * A map from 32-byte keys to 32-byte value hashes with one root. A subtree that holds one leaf is
 * that leaf, so depth is about log2 of the size for keys that are hashes. Keys are never removed.
 * Persistent: `set` and `setMany` return a new tree that shares what did not change, and the old
 * one stays valid. A node is hashed once, when a root or proof first needs it.
 *
 * A tree can be known in part. Its root is known then, and what the known part shows; whatever
 * would have to look into the rest throws a `SionError` with code `witness`.
 */
export class SparseTree {
  /** The tree without keys; its root is 32 zero bytes. */
  static readonly empty: SparseTree = new SparseTree(undefined, 0);

  readonly #root: Node | undefined;
  /** Number of keys; in a tree known in part, of those known. */
  readonly size: number;

  private constructor(root: Node | undefined, size: number) {
    this.#root = root;
    this.size = size;
  }

  /**
   * The tree that a witness shows. The caller compares its root with one that it trusts, which
   * shows that leaves stand on their paths.
   */
  static partial(witness: SparseWitness): SparseTree {
    const root = nodeOfWitness(witness);
    return new SparseTree(root, countLeaves(root));
  }

  /** The root: one value for one content, whatever the order in which it was set. */
  root(): Uint8Array {
    hashNodes(this.#root);
    return hashOf(this.#root).slice();
  }

  /**
   * Value hash of a key, or `undefined` when it is absent. Not to be changed by the caller.
   * @throws {SionError} `witness`
   */
  get(key: Uint8Array): Uint8Array | undefined {
    checkBytes("key", key, KEY_BYTES);
    let node = this.#root;
    for (let depth = 0; node?.kind === "branch"; depth++) {
      node = keyBit(key, depth) === 1 ? node.right : node.left;
    }
    if (node?.kind === "stub") throw unknownPart("read a key");
    return node !== undefined && equalBytes(node.key, key) ? node.valueHash : undefined;
  }

  /**
   * The tree with the key set; both arrays are copied.
   * @throws {TypeError} when one of them is not 32 bytes.
   */
  set(key: Uint8Array, valueHash: Uint8Array): SparseTree {
    return this.setMany([[key, valueHash]]);
  }

  /**
   * The tree with all entries set, the last one of a key standing; the arrays are copied.
   * @throws {TypeError} when a key or a value hash is not 32 bytes.
   */
  setMany(entries: Iterable<readonly [Uint8Array, Uint8Array]>): SparseTree {
    const update = new Update(sortedLeaves(entries));
    const root = update.apply(this.#root);
    return root === this.#root ? this : new SparseTree(root, this.size + update.added);
  }

  /**
   * Proof of a key's value hash, or of its absence, as `verifySparse` takes it.
   * @throws {TypeError} when the key is not 32 bytes.
   */
  prove(key: Uint8Array): SparseProof {
    hashNodes(this.#root);
    const { siblings, end } = this.#descend(key);
    const path = siblings.map((node) => hashOf(node).slice());
    if (end?.kind !== "leaf" || equalBytes(end.key, key)) return { siblings: path };
    return { siblings: path, leaf: { key: end.key, valueHash: end.valueHash } };
  }

  /**
   * One proof of many keys, present or absent, as `verifySparseMulti` takes it: each hash once.
   * @throws {TypeError} when a key is not 32 bytes.
   */
  multiproof(keys: Iterable<Uint8Array>): SparseMultiproof {
    hashNodes(this.#root);
    const wanted = distinctSorted(keys);
    const shape: SparseNodeKind[] = [];
    const siblings: Uint8Array[] = [];
    const leaves: SparseLeaf[] = [];
    const visit = (node: Node | undefined, depth: number, from: number, to: number): void => {
      if (from === to) {
        siblings.push(hashOf(node).slice());
      } else if (node === undefined) {
        shape.push("empty");
      } else if (node.kind === "stub") {
        throw unknownPart("prove a key");
      } else if (node.kind === "leaf") {
        const asked = wanted.slice(from, to).some((key) => equalBytes(key, node.key));
        shape.push(asked ? "proven" : "other");
        if (!asked) leaves.push({ key: node.key, valueHash: node.valueHash });
      } else {
        shape.push("branch");
        const middle = splitAtBit((i) => wanted[i] as Uint8Array, depth, from, to);
        visit(node.left, depth + 1, from, middle);
        visit(node.right, depth + 1, middle, to);
      }
    };
    if (wanted.length > 0) visit(this.#root, 0, 0, wanted.length);
    return { shape, siblings, leaves };
  }

  /**
   * The part of the tree that shows what is under the keys, present or absent, and can be written
   * there. Subtrees beside their paths are stubs; a leaf in the place of an absent key is shown.
   * @throws {TypeError} when a key is not 32 bytes.
   */
  witness(keys: Iterable<Uint8Array>): SparseWitness {
    hashNodes(this.#root);
    return witnessOf(this.#root, distinctSorted(keys));
  }

  /**
   * Keys with their value hashes in the order of the keys.
   * @param after only those above this key. @default all
   */
  *entries(after?: Uint8Array): Generator<[Uint8Array, Uint8Array]> {
    const stack = after === undefined ? [this.#root] : this.#above(after);
    while (stack.length > 0) {
      const node = stack.pop();
      if (node?.kind === "leaf") yield [node.key, node.valueHash];
      else if (node?.kind === "stub") throw unknownPart("list the keys");
      else if (node !== undefined) stack.push(node.right, node.left);
    }
  }

  /** The subtrees that hold the keys above one, the lowest last. */
  #above(key: Uint8Array): (Node | undefined)[] {
    checkBytes("key", key, KEY_BYTES);
    const subtrees: (Node | undefined)[] = [];
    let node = this.#root;
    for (let depth = 0; node?.kind === "branch"; depth++) {
      const right = keyBit(key, depth) === 1;
      if (!right) subtrees.push(node.right);
      node = right ? node.right : node.left;
    }
    // A leaf here may lie on either side of the key; whether a stub does is not known.
    if (node?.kind === "stub" || (node !== undefined && compareBytes(node.key, key) > 0)) {
      subtrees.push(node);
    }
    return subtrees;
  }

  /** The nodes beside the key's path from the root down, and the leaf or gap where it ends. */
  #descend(key: Uint8Array): { siblings: (Node | undefined)[]; end: Leaf | undefined } {
    checkBytes("key", key, KEY_BYTES);
    const siblings: (Node | undefined)[] = [];
    let node = this.#root;
    for (let depth = 0; node?.kind === "branch"; depth++) {
      const right = keyBit(key, depth) === 1;
      siblings.push(right ? node.left : node.right);
      node = right ? node.right : node.left;
    }
    if (node?.kind === "stub") throw unknownPart("prove a key");
    return { siblings, end: node };
  }
}

/** One change of a tree by sorted leaves with distinct keys. */
class Update {
  readonly #leaves: readonly Leaf[];
  /** Keys that were not there before. */
  added = 0;

  constructor(leaves: readonly Leaf[]) {
    this.#leaves = leaves;
  }

  apply(root: Node | undefined): Node | undefined {
    return this.#join(root, 0, 0, this.#leaves.length);
  }

  /** The subtree at `depth` with the leaves from `from` to `to`, all of which belong under it. */
  #join(node: Node | undefined, depth: number, from: number, to: number): Node | undefined {
    if (from === to) return node;
    if (node?.kind === "stub") throw unknownPart("set a key");
    if (to - from === 1 && node?.kind !== "branch") {
      const leaf = this.#leaves[from] as Leaf;
      if (node === undefined) {
        this.added++;
        return leaf;
      }
      if (equalBytes(node.key, leaf.key)) {
        return equalBytes(node.valueHash, leaf.valueHash) ? node : leaf;
      }
    }
    const middle = splitAtBit((i) => (this.#leaves[i] as Leaf).key, depth, from, to);
    const left = this.#join(childOf(node, 0, depth), depth + 1, from, middle);
    const right = this.#join(childOf(node, 1, depth), depth + 1, middle, to);
    if (node?.kind === "branch" && left === node.left && right === node.right) return node;
    return { kind: "branch", left, right, hash: undefined };
  }
}

/** The child on one side; a leaf standing for a subtree moves down to the side its key says. */
function childOf(
  node: Leaf | Branch | undefined,
  side: 0 | 1,
  depth: number,
): Node | undefined {
  if (node === undefined) return undefined;
  if (node.kind === "branch") return side === 0 ? node.left : node.right;
  return keyBit(node.key, depth) === side ? node : undefined;
}

function sortedLeaves(entries: Iterable<readonly [Uint8Array, Uint8Array]>): Leaf[] {
  const leaves: Leaf[] = [];
  for (const [key, valueHash] of entries) {
    checkBytes("key", key, KEY_BYTES);
    checkBytes("value hash", valueHash, HASH_BYTES);
    leaves.push({ kind: "leaf", key: key.slice(), valueHash: valueHash.slice(), hash: undefined });
  }
  leaves.sort((a, b) => compareBytes(a.key, b.key));
  // The sort is stable: of equal keys the one set last stands last.
  return leaves.filter((leaf, i) => {
    const next = leaves[i + 1];
    return next === undefined || !equalBytes(leaf.key, next.key);
  });
}

function distinctSorted(keys: Iterable<Uint8Array>): Uint8Array[] {
  const sorted = [...keys].sort(compareBytes);
  for (const key of sorted) checkBytes("key", key, KEY_BYTES);
  return sorted.filter((key, i) => i === 0 || !equalBytes(key, sorted[i - 1] as Uint8Array));
}

function checkBytes(what: string, bytes: Uint8Array, length: number): void {
  if (!(bytes instanceof Uint8Array) || bytes.length !== length) {
    throw new TypeError(`Cannot use the ${what}: it is not ${length} bytes`);
  }
}
