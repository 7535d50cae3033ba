/** A block's history as a set, and a statement's place in one. */

/** A set of blocks: bits over their places, from a word that depends on when it was made. */
export interface History {
  /** The first word's place, in words. */
  readonly base: number;
  readonly words: Uint32Array;
}

/** True when a block lies in a history. */
export function inHistory(history: History, node: { readonly index: number }): boolean {
  const word = (node.index >>> 5) - history.base;
  if (word < 0 || word >= history.words.length) return false;
  return ((history.words[word] as number) & (1 << (node.index & 31))) !== 0;
}

/** The block a statement stands in, as far as its rules need it. */
export interface StatementPlace {
  readonly round: number;
  readonly author: number;
  /** All blocks that the block descends from, and the block itself. */
  readonly history: History;
  /** Digests of the units that the block itself carries. */
  readonly carries: ReadonlySet<string>;
  /** Digests of the units that the block itself votes for; grows by `enters`. */
  readonly votes: Set<string>;
}
