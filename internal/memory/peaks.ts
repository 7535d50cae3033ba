/** A memory log kept by its peaks only: what is needed to append and to know the head. */
import type { MemoryHead, SizedNode } from "./node.ts";
import { headOf, joinNodes } from "./node.ts";

/** The roots of the perfect subtrees that a log splits into, the largest (left) first. */
export type MemoryPeaks = readonly SizedNode[];

/** A node that an append completed: it stands for the atoms from `index · 2^level` on. */
export interface CompletedNode {
  /** The subtree has 2^level atoms; 0 is a leaf. */
  readonly level: number;
  readonly index: number;
  readonly node: SizedNode;
}

/** The log with one more atom, and the perfect subtrees that it completed, its leaf first. */
export function appendLeaf(
  peaks: MemoryPeaks,
  leaf: SizedNode,
): { readonly peaks: MemoryPeaks; readonly completed: readonly CompletedNode[] } {
  const at = peaks.reduce((size, peak) => size + peak.size, 0);
  const rest = [...peaks];
  const completed: CompletedNode[] = [{ level: 0, index: at, node: leaf }];
  let node = leaf;
  for (let level = 1; rest.at(-1)?.size === node.size; level++) {
    node = joinNodes(rest.pop() as SizedNode, node);
    completed.push({ level, index: Math.floor(at / 2 ** level), node });
  }
  return { peaks: [...rest, node], completed };
}

/** The head of the log with these peaks. */
export function peaksHead(peaks: MemoryPeaks): MemoryHead {
  const [smallest, ...larger] = peaks.toReversed();
  return headOf(smallest && larger.reduce((root, peak) => joinNodes(peak, root), smallest));
}
