/** The tree of a memory log in memory, for logs that are read whole and for tests. */
import { decode, encode } from "#internal/core/mod.ts";
import type { MemoryHead, SizedNode } from "./node.ts";
import { memoryLeaf, memoryNodeCodec } from "./node.ts";
import type { MemoryPeaks } from "./peaks.ts";
import { appendLeaf, peaksHead } from "./peaks.ts";
import type { MemorySource } from "./source.ts";

/** A log in packed memory: for an atom its bytes and about 130 more. Appending joins one node on average. */
export class MemoryIndex implements MemorySource {
  readonly #atoms = new PackedColumn();
  /** `#levels[k - 1]` holds the perfect subtrees of 2^k atoms, from the left. */
  readonly #levels: PackedColumn[] = [];
  #peaks: MemoryPeaks = [];

  get size(): number {
    return this.#atoms.length;
  }

  /** The head of all atoms. */
  get head(): MemoryHead {
    return peaksHead(this.#peaks);
  }

  /** Adds an atom's bytes and returns its place. @throws {SionError} `codec` unless they are one. */
  append(atomBytes: Uint8Array): number {
    const { peaks, completed } = appendLeaf(this.#peaks, memoryLeaf(atomBytes));
    this.#peaks = peaks;
    for (const { level, node } of completed) {
      if (level > 0) {
        (this.#levels[level - 1] ??= new PackedColumn()).push(encode(memoryNodeCodec, node));
      }
    }
    return this.#atoms.push(atomBytes);
  }

  atom(index: number): Uint8Array {
    return this.#atoms.at(index);
  }

  node(level: number, index: number): SizedNode {
    const column = this.#levels[level - 1];
    if (column === undefined) throw new RangeError(`Cannot read node: there is no level ${level}`);
    return { size: 2 ** level, ...decode(memoryNodeCodec, column.at(index)) };
  }
}

/** A growing list of byte strings in two blocks of memory. */
class PackedColumn {
  #bytes = new Uint8Array(1024);
  #ends = new Float64Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: Uint8Array): number {
    const start = this.#endOf(this.#length - 1);
    const end = start + item.length;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * end));
    if (this.#length === this.#ends.length) {
      this.#ends = grown(this.#ends, new Float64Array(2 * this.#length));
    }
    this.#bytes.set(item, start);
    this.#ends[this.#length] = end;
    return this.#length++;
  }

  /** A copy of an item. @throws {RangeError} when there is none. */
  at(index: number): Uint8Array {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#length) {
      throw new RangeError(`Cannot read item ${index}: there are ${this.#length}`);
    }
    return this.#bytes.slice(this.#endOf(index - 1), this.#endOf(index));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index] as number;
  }
}

function grown<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
