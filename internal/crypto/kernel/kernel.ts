/** The SIMD kernel: SHA-256 in four lanes, and SLH-DSA-SHA2-128f and tree hashing over it. */
import { Buffer } from "node:buffer";
import { KERNEL_WASM } from "./kernel_wasm.ts";

/** A kernel of one thread: its memory holds one operation at a time, none of which yields. */
export interface Kernel {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly at: KernelAddresses;
  /** PK.root, as row NODE, of the rows SECRET_SEED and PUBLIC_SEED. */
  keygen(): void;
  /** The signature in rows, but for R, by INDICES, the 63-bit tree index in halves, and the leaf. */
  sign(treeHigh: number, treeLow: number, leaf: number): void;
  /** 1 when the signature in rows leads to the row PUBLIC_ROOT, else 0. */
  verify(treeHigh: number, treeLow: number, leaf: number): number;
  /** Turns 16-byte rows of words into bytes, or back. */
  swap(row: number, rows: number): void;
  /** SHA-256 of the prefix byte and each 64 bytes from `from` on, to `to`; three more may be made. */
  pairs(prefix: number, from: number, to: number, count: number): void;
  /** SHA-256 of each message of that many blocks from `from` on, padded; three more may be made. */
  many(from: number, blocks: number, to: number, count: number): void;
}

/** Addresses in the kernel's memory, in bytes; scripts/kernel/layout.ts says what lies there. */
export interface KernelAddresses {
  readonly secretSeed: number;
  readonly publicSeed: number;
  readonly publicRoot: number;
  readonly node: number;
  readonly indices: number;
  /** From here to the signature everything is working memory. */
  readonly work: number;
  readonly signature: number;
  /** Blocks to hash, 64 bytes each, and their hashes, 32 bytes each. */
  readonly batchIn: number;
  readonly batchOut: number;
  /** How many blocks, and hashes, fit. */
  readonly batch: number;
}

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly [address: Uppercase<string>]: { readonly value: number };
}

let shared: Kernel | undefined;

/**
 * This thread's kernel, made on the first call: compiling its 28 kB takes about half a millisecond.
 * @throws {Error} where WebAssembly or its SIMD instructions are missing.
 */
export function kernel(): Kernel {
  return shared ??= instantiate();
}

function instantiate(): Kernel {
  const module = new WebAssembly.Module(Buffer.from(KERNEL_WASM, "base64"));
  const exports = new WebAssembly.Instance(module).exports as unknown as Kernel & KernelExports;
  const address = (name: Uppercase<string>): number => exports[name]?.value ?? 0;
  return {
    bytes: new Uint8Array(exports.memory.buffer),
    words: new Uint32Array(exports.memory.buffer),
    at: {
      secretSeed: address("SECRET_SEED"),
      publicSeed: address("PUBLIC_SEED"),
      publicRoot: address("PUBLIC_ROOT"),
      node: address("NODE"),
      indices: address("INDICES"),
      work: address("SEEDED_STATE"),
      signature: address("SIGNATURE"),
      batchIn: address("BATCH_IN"),
      batchOut: address("BATCH_OUT"),
      batch: address("BATCH"),
    },
    keygen: exports.keygen,
    sign: exports.sign,
    verify: exports.verify,
    swap: exports.swap,
    pairs: exports.pairs,
    many: exports.many,
  };
}
