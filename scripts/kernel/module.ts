/** The kernel's WebAssembly module, put together from its parts. */
import wabt from "wabt";
import {
  BATCH,
  BATCH_IN,
  BATCH_OUT,
  INDICES,
  NODE,
  PAGES,
  PUBLIC_ROOT,
  PUBLIC_SEED,
  SECRET_SEED,
  SEEDED_STATE,
  SIGNATURE,
} from "./layout.ts";
import { batchFunctions } from "./batch.ts";
import { combineText } from "./combine.ts";
import { compressFunction, sha256Data } from "./sha256.ts";
import { slhChainFunctions } from "./slh_chain.ts";
import { slhForsFunctions } from "./slh_fors.ts";
import { slhHashFunctions } from "./slh_hash.ts";
import { slhHypertreeFunctions } from "./slh_hypertree.ts";
import { slhMoveFunctions } from "./slh_move.ts";
import { slhXmssFunctions } from "./slh_xmss.ts";

/** Addresses that the module tells its user, as exported globals of the same name. */
const EXPORTED = {
  SECRET_SEED,
  PUBLIC_SEED,
  PUBLIC_ROOT,
  NODE,
  INDICES,
  SEEDED_STATE,
  SIGNATURE,
  BATCH_IN,
  BATCH_OUT,
  BATCH,
};

/** The module in WebAssembly text. */
function kernelText(): string {
  return `(module
    (memory (export "memory") ${PAGES})
    ${
    Object.entries(EXPORTED)
      .map(([name, value]) => `(global (export "${name}") i32 (i32.const ${value}))`)
      .join("\n")
  }
    ${sha256Data()}
    ${compressFunction()}
    ${slhHashFunctions()}
    ${slhChainFunctions()}
    ${slhMoveFunctions()}
    ${slhForsFunctions()}
    ${slhXmssFunctions()}
    ${slhHypertreeFunctions()}
    ${batchFunctions()})`;
}

/** The bytes of the module that hashes and signs. */
export async function kernelModule(): Promise<Uint8Array> {
  return await assembled(kernelText());
}

/** The bytes of the module that extends squares of shares. */
export async function combineModule(): Promise<Uint8Array> {
  return await assembled(combineText());
}

async function assembled(text: string): Promise<Uint8Array> {
  const tools = await wabt();
  const module = tools.parseWat("kernel.wat", text, { simd: true, bulk_memory: true });
  module.validate();
  return module.toBinary({}).buffer;
}
