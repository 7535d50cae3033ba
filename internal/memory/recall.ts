/**
 * What a log had recorded in a box during an interval, with the proof that this is all: the tree from
 * its root down, opened wherever its bounds meet the box, closed wherever they do not.
 */
import { concatBytes, encode, Reader, SionError, toHex } from "#internal/core/mod.ts";
import { logSplit } from "#internal/merkle/mod.ts";
import type { Atom } from "./atom.ts";
import { atomCodec, atomDigest, boundsOf, encodeAtom } from "./atom.ts";
import type { FramedHull } from "./bounds.ts";
import { boxFault, meets } from "./bounds.ts";
import type { MemoryHead, SizedNode } from "./node.ts";
import { headOf, joinNodes, MAX_LOG_ATOMS, memoryNodeCodec } from "./node.ts";
import type { MemorySource } from "./source.ts";
import { nodeOver } from "./source.ts";

/** The first byte of a node in a proof of recall. */
const CLOSED = 0;
const OPENED = 1;
const ATOM = 2;

/** An atom that a recall found. */
export interface RecalledAtom {
  /** Its place in the log, from 0. */
  readonly seq: number;
  /** 64 hex digits. */
  readonly id: string;
  readonly atom: Atom;
}

/** What became of checking a proof of recall. */
export type RecallVerdict =
  | { readonly ok: true; readonly atoms: readonly RecalledAtom[] }
  | { readonly ok: false; readonly fault: string };

/** `many`: more atoms meet the box than are wanted. */
export type RecallErrorCode = "many";

/**
 * The proof of what the log's first `size` atoms hold of the box: their tree in preorder, a closed
 * node as 0, its bounds and content, an opened one as 1 and its children, a leaf that meets the box as
 * 2 and its atom. Nothing for the log without atoms. Takes O(log n + k) reads where the k answers lie
 * together, more where bounds overlap.
 * @param most the most atoms to show.
 * @throws {SionError} `many`
 * @throws {RangeError} when the box is empty.
 */
export function proveRecall(
  source: MemorySource,
  size: number,
  box: FramedHull,
  most: number,
): Uint8Array {
  const fault = boxFault(box);
  if (fault !== undefined) throw new RangeError(`Cannot recall: ${fault}`);
  const parts: Uint8Array[] = [];
  let found = 0;
  const show = (start: number, end: number): void => {
    const node = nodeOver(source, start, end);
    if (!meets(node.bounds, box)) {
      parts.push(Uint8Array.of(CLOSED), encode(memoryNodeCodec, node));
    } else if (end - start === 1) {
      if (++found > most) {
        throw new SionError<RecallErrorCode>(
          "many",
          `Cannot recall: over ${most} atoms meet the box`,
        );
      }
      parts.push(Uint8Array.of(ATOM), source.atom(start));
    } else {
      parts.push(Uint8Array.of(OPENED));
      const middle = start + logSplit(end - start);
      show(start, middle);
      show(middle, end);
    }
  };
  if (size > 0) show(0, size);
  return concatBytes(...parts);
}

/** A proof that is not what it has to be. */
class Fault extends Error {}

/**
 * The atoms of the box in the log with that head, oldest first, or why the proof does not show them
 * all. Never throws on what a proof holds.
 */
export function verifyRecall(head: MemoryHead, box: FramedHull, proof: Uint8Array): RecallVerdict {
  try {
    return { ok: true, atoms: readProof(head, box, proof) };
  } catch (thrown) {
    if (thrown instanceof Fault) return { ok: false, fault: thrown.message };
    if (thrown instanceof SionError) {
      return { ok: false, fault: `the proof is none: ${thrown.message}` };
    }
    throw thrown;
  }
}

function readProof(head: MemoryHead, box: FramedHull, proof: Uint8Array): RecalledAtom[] {
  const fault = boxFault(box);
  if (fault !== undefined) throw new Fault(fault);
  if (head.size > BigInt(MAX_LOG_ATOMS)) throw new Fault("no log is as long");
  const reader = new ProofReader(proof, box);
  const root = head.size === 0n ? undefined : reader.node(0, Number(head.size));
  if (reader.left > 0) throw new Fault("bytes follow the proof");
  if (headOf(root).root !== head.root) {
    throw new Fault("the proof is not of the log with this head");
  }
  return reader.atoms;
}

class ProofReader {
  readonly #reader: Reader;
  readonly #box: FramedHull;
  readonly atoms: RecalledAtom[] = [];

  constructor(proof: Uint8Array, box: FramedHull) {
    this.#reader = new Reader(proof);
    this.#box = box;
  }

  get left(): number {
    return this.#reader.left;
  }

  node(start: number, end: number): SizedNode {
    const form = this.#reader.u8();
    if (form === CLOSED) return this.#closed(end - start);
    const node = form === OPENED && end - start > 1
      ? this.#opened(start, end)
      : form === ATOM && end - start === 1
      ? this.#atom(start)
      : undefined;
    if (node === undefined) throw new Fault(`a node of ${end - start} atoms has the form ${form}`);
    if (!meets(node.bounds, this.#box)) throw new Fault("more is shown than was asked for");
    return node;
  }

  #closed(size: number): SizedNode {
    const { bounds, content } = memoryNodeCodec.read(this.#reader);
    if (meets(bounds, this.#box)) throw new Fault("what may hold an answer is left out");
    return { size, bounds, content };
  }

  #opened(start: number, end: number): SizedNode {
    const middle = start + logSplit(end - start);
    const left = this.node(start, middle);
    return joinNodes(left, this.node(middle, end));
  }

  #atom(seq: number): SizedNode {
    const atom = atomCodec.read(this.#reader);
    const content = atomDigest(encodeAtom(atom));
    this.atoms.push({ seq, id: toHex(content), atom });
    return { size: 1, bounds: boundsOf(atom), content };
  }
}
