/** Where the tree of a memory log is read from, node by node: memory, a file, a database. */
import { logSplit } from "#internal/merkle/mod.ts";
import type { SizedNode } from "./node.ts";
import { joinNodes, memoryLeaf } from "./node.ts";

/** A log whose atoms and perfect subtrees are at hand. Reading what is not there throws. */
export interface MemorySource {
  /** Atoms at hand. */
  readonly size: number;
  /** The bytes of an atom. */
  atom(index: number): Uint8Array;
  /** The perfect subtree of the 2^level atoms from `index · 2^level` on; level 1 and above. */
  node(level: number, index: number): SizedNode;
}

/** The node over the atoms from `start` to `end`, which is where RFC 6962 would split. */
export function nodeOver(source: MemorySource, start: number, end: number): SizedNode {
  const size = end - start;
  if (size === 1) return memoryLeaf(source.atom(start));
  const split = logSplit(size);
  if (2 * split === size) return source.node(Math.log2(size), start / size);
  return joinNodes(nodeOver(source, start, start + split), nodeOver(source, start + split, end));
}
