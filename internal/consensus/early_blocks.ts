/** Blocks of the session to come, which others began already: they wait here, within bounds. */
import type { Block } from "./block.ts";

/** Blocks that are kept. */
const MAX_EARLY = 256;
/** Bytes of them. */
const MAX_EARLY_BYTES = 64 << 20;

/** A block, and the peer that sent it. */
export interface EarlyBlock {
  readonly block: Block;
  readonly from: number;
}

/** What waits for the next session. What finds no room is asked for again when that begins. */
export class EarlyBlocks {
  #blocks = new Map<string, EarlyBlock>();
  #bytes = 0;

  /** Whether a block is new here and within the bounds. */
  hasRoomFor({ id, bytes }: Block): boolean {
    return this.#blocks.size < MAX_EARLY && !this.#blocks.has(id) &&
      this.#bytes + bytes.length <= MAX_EARLY_BYTES;
  }

  keep(block: Block, from: number): void {
    if (!this.hasRoomFor(block)) return;
    this.#blocks.set(block.id, { block, from });
    this.#bytes += block.bytes.length;
  }

  /** Takes all. */
  clear(): readonly EarlyBlock[] {
    const all = [...this.#blocks.values()];
    this.#blocks = new Map();
    this.#bytes = 0;
    return all;
  }
}
