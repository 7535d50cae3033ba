/** Proof that a log holds an atom at a place (RFC 6962 §2.1.1), with bounds. */
import { SionError } from "#internal/core/mod.ts";
import { logSplit } from "#internal/merkle/mod.ts";
import type { MemoryHead, MemoryNode, SizedNode } from "./node.ts";
import { headOf, joinNodes, MAX_LOG_ATOMS, memoryLeaf } from "./node.ts";
import type { MemorySource } from "./source.ts";
import { nodeOver } from "./source.ts";

type Range = readonly [start: number, end: number];

/** The subtrees beside the way down to an atom, the topmost first. */
function besidePath(index: number, size: number): Range[] {
  const beside: Range[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + logSplit(end - start);
    if (index < middle) {
      beside.push([middle, end]);
      end = middle;
    } else {
      beside.push([start, middle]);
      start = middle;
    }
  }
  return beside;
}

/**
 * The nodes beside the path from the atom up to the root of the first `size` atoms.
 * @throws {RangeError} when they do not hold the atom.
 */
export function proveAtom(source: MemorySource, index: number, size: number): MemoryNode[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`Cannot prove atom ${index}: the log has ${size}`);
  }
  return besidePath(index, size).reverse().map(([start, end]) => {
    const { bounds, content } = nodeOver(source, start, end);
    return { bounds, content };
  });
}

/** Whether the proof shows that the log with that head holds the atom at `index`. */
export function verifyAtom(
  head: MemoryHead,
  index: bigint,
  atomBytes: Uint8Array,
  proof: readonly MemoryNode[],
): boolean {
  if (index < 0n || index >= head.size || head.size > BigInt(MAX_LOG_ATOMS)) return false;
  const beside = besidePath(Number(index), Number(head.size)).reverse();
  if (beside.length !== proof.length) return false;
  let node: SizedNode;
  try {
    node = memoryLeaf(atomBytes);
  } catch (thrown) {
    if (thrown instanceof SionError) return false;
    throw thrown;
  }
  for (const [at, [start, end]] of beside.entries()) {
    const { bounds, content } = proof[at] as MemoryNode;
    const sibling = { bounds, content, size: end - start };
    node = start > Number(index) ? joinNodes(node, sibling) : joinNodes(sibling, node);
  }
  return headOf(node).root === head.root;
}
