/** Messages between validators. */
import type { Block } from "./block.ts";

/** What validators send each other. */
export type Message =
  | { readonly type: "block"; readonly block: Block }
  /** Answer to `want`: at most 2 MiB. */
  | { readonly type: "blocks"; readonly blocks: readonly Block[] }
  | {
    /** Asks for blocks by id, and for all of a span of rounds. */
    readonly type: "want";
    /** At most 64. */
    readonly ids: readonly string[];
    /** First round of the span, 0 for none. */
    readonly fromRound: number;
    /** Rounds of the span, at most 64. */
    readonly rounds: number;
  };
