/**
 * Consistency of two heads of one log (RFC 6962 §2.1.2), with bounds: every node above what the old
 * head covers is put together again, so what the old head let anybody find the new one does as well.
 */
import { logSplit } from "#internal/merkle/mod.ts";
import type { MemoryHead, MemoryNode, SizedNode } from "./node.ts";
import { EMPTY_MEMORY_HEAD, headOf, joinNodes, MAX_LOG_ATOMS } from "./node.ts";
import type { MemorySource } from "./source.ts";
import { nodeOver } from "./source.ts";

/** How many nodes a proof of growth between two sizes has; undefined where there can be none. */
export function growthProofLength(from: bigint, to: bigint): number | undefined {
  if (from > to || to > BigInt(MAX_LOG_ATOMS)) return undefined;
  if (from === 0n || from === to) return 0;
  let nodes = 1;
  walkEdge(Number(from), Number(to), () => nodes++);
  return nodes;
}

/**
 * Proof that the log's first `to` atoms begin with its first `from`: the last perfect subtree of the
 * old log, then the other child at each step up to the new root.
 * @throws {RangeError} when `from` is beyond `to`.
 */
export function proveGrowth(source: MemorySource, from: number, to: number): MemoryNode[] {
  if (from > to) throw new RangeError(`Cannot prove growth: ${from} atoms are more than ${to}`);
  if (from === 0 || from === to) return [];
  const path: MemoryNode[] = [];
  const [start, end] = walkEdge(from, to, (sibling) => path.push(nodeOver(source, ...sibling)));
  return [nodeOver(source, start, end), ...path.reverse()].map(({ bounds, content }) => ({
    bounds,
    content,
  }));
}

type Range = readonly [start: number, end: number];

/** Down from the new root along the old log's right edge to the subtree that ends with it. */
function walkEdge(from: number, to: number, besides: (sibling: Range) => void): Range {
  let start = 0;
  let end = to;
  while (end !== from) {
    const middle = start + logSplit(end - start);
    if (from <= middle) {
      besides([middle, end]);
      end = middle;
    } else {
      besides([start, middle]);
      start = middle;
    }
  }
  return [start, end];
}

/**
 * Whether the proof shows that the log with the head `to` begins with all of that with the head
 * `from`, bounds included. From size 0 and between equal heads the only proof is the empty one.
 */
export function verifyGrowth(
  from: MemoryHead,
  to: MemoryHead,
  proof: readonly MemoryNode[],
): boolean {
  if (proof.length !== growthProofLength(from.size, to.size)) return false;
  if (from.size === to.size) return from.root === to.root;
  if (from.size === 0n) return from.root === EMPTY_MEMORY_HEAD.root;
  const siblings: Range[] = [];
  const [start, end] = walkEdge(Number(from.size), Number(to.size), (one) => siblings.push(one));
  const sized = ([first, last]: Range, node: MemoryNode): SizedNode => ({
    bounds: node.bounds,
    content: node.content,
    size: last - first,
  });
  let before = sized([start, end], proof[0] as MemoryNode);
  let after = before;
  for (const [at, sibling] of siblings.reverse().entries()) {
    const node = sized(sibling, proof[at + 1] as MemoryNode);
    if (sibling[0] < start) {
      before = joinNodes(node, before);
      after = joinNodes(node, after);
    } else {
      after = joinNodes(after, node);
    }
  }
  return sameHead(headOf(before), from) && sameHead(headOf(after), to);
}

function sameHead(a: MemoryHead, b: MemoryHead): boolean {
  return a.size === b.size && a.root === b.root;
}
