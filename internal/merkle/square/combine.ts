/** Linear combinations of byte strings over GF(2⁸), by the SIMD kernel where it works. */
import { Buffer } from "node:buffer";
import { COMBINE_WASM } from "./combine_wasm.ts";
import { multiply } from "./field.ts";
import type { Matrix } from "./reed_solomon.ts";

/** The kernel takes exactly this many sources, and at most as many targets. */
const KERNEL_SOURCES = 8;
/** Bytes the kernel does at once. */
const KERNEL_UNIT = 64;
/** Bytes of a coefficient's tables: its products with the 16 low and the 16 high halves of a byte. */
const TABLE_BYTES = 32;

interface CombineKernel {
  readonly bytes: Uint8Array;
  readonly tables: number;
  readonly sources: number;
  readonly targets: number;
  /** Room of each source and target, in bytes. */
  readonly room: number;
  /** Makes `targets` combinations of the first `bytes` bytes of the sources. */
  combine(targets: number, bytes: number): void;
}

interface CombineExports {
  readonly memory: WebAssembly.Memory;
  readonly combine: (targets: number, bytes: number) => void;
  readonly [address: Uppercase<string>]: { readonly value: number };
}

/**
 * Sets each target to the sum of the sources, each multiplied by its coefficient in the target's row
 * of the matrix. All sources and targets have one length; a target is none of the sources.
 */
export function combine(
  matrix: Matrix,
  sources: readonly Uint8Array[],
  targets: readonly Uint8Array[],
): void {
  const length = sources[0]?.length ?? 0;
  const fits = sources.length === KERNEL_SOURCES && targets.length <= KERNEL_SOURCES &&
    length % KERNEL_UNIT === 0;
  const engine = fits ? combineKernel() : undefined;
  if (engine === undefined) combineByTables(matrix, sources, targets);
  else combineByKernel(engine, matrix, sources, targets, length);
}

/** As {@link combine}, in plain JavaScript. */
export function combineByTables(
  matrix: Matrix,
  sources: readonly Uint8Array[],
  targets: readonly Uint8Array[],
): void {
  for (const [i, target] of targets.entries()) {
    target.fill(0);
    for (const [j, source] of sources.entries()) {
      const products = productsOf(matrix[i]?.[j] ?? 0);
      for (let at = 0; at < target.length; at++) {
        target[at] = (target[at] as number) ^ (products[source[at] as number] as number);
      }
    }
  }
}

function combineByKernel(
  engine: CombineKernel,
  matrix: Matrix,
  sources: readonly Uint8Array[],
  targets: readonly Uint8Array[],
  length: number,
): void {
  writeTables(engine, matrix);
  const { bytes, room } = engine;
  for (let from = 0; from < length; from += room) {
    const to = Math.min(length, from + room);
    for (let i = 0; i < sources.length; i++) {
      bytes.set((sources[i] as Uint8Array).subarray(from, to), engine.sources + i * room);
    }
    engine.combine(targets.length, to - from);
    for (let i = 0; i < targets.length; i++) {
      const start = engine.targets + i * room;
      (targets[i] as Uint8Array).set(bytes.subarray(start, start + to - from), from);
    }
  }
}

/** The matrix whose tables the kernel's memory holds: most calls are with the one of before. */
let tablesOf: Matrix | undefined;

function writeTables({ bytes, tables }: CombineKernel, matrix: Matrix): void {
  if (tablesOf === matrix) return;
  let at = tables;
  for (const row of matrix) {
    for (const coefficient of row) {
      const products = productsOf(coefficient);
      bytes.set(products.subarray(0, TABLE_BYTES / 2), at);
      for (let high = 0; high < TABLE_BYTES / 2; high++) {
        bytes[at + TABLE_BYTES / 2 + high] = products[high << 4] as number;
      }
      at += TABLE_BYTES;
    }
  }
  tablesOf = matrix;
}

/** The 256 products of each coefficient used so far. */
const products = new Map<number, Uint8Array>();

function productsOf(coefficient: number): Uint8Array {
  const known = products.get(coefficient);
  if (known !== undefined) return known;
  const made = Uint8Array.from({ length: 256 }, (_, byte) => multiply(coefficient, byte));
  products.set(coefficient, made);
  return made;
}

let kernel: CombineKernel | undefined;
let unavailable = false;

/** This thread's kernel, or `undefined` once and for all where WebAssembly's SIMD is missing. */
function combineKernel(): CombineKernel | undefined {
  if (unavailable || kernel !== undefined) return kernel;
  try {
    const module = new WebAssembly.Module(Buffer.from(COMBINE_WASM, "base64"));
    const exports = new WebAssembly.Instance(module).exports as unknown as CombineExports;
    const address = (name: Uppercase<string>): number => exports[name]?.value ?? 0;
    return kernel = {
      bytes: new Uint8Array(exports.memory.buffer),
      tables: address("TABLES"),
      sources: address("SOURCES"),
      targets: address("TARGETS"),
      room: address("ROOM"),
      combine: exports.combine,
    };
  } catch {
    unavailable = true;
    return undefined;
  }
}
