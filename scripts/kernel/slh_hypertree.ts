/** The hypertree of 22 XMSS layers (FIPS 205 §7), and the kernel's doors for SLH-DSA (§9). */
import { NODE, PUBLIC_ROOT, SIGNATURE } from "./layout.ts";
import { add, call, get, i32, loop, set, splat } from "./wat.ts";

/** Layers (d). */
const LAYERS = 22;
/** Bytes of R and the FORS signature before the hypertree's. */
const HYPERTREE_SIGNATURE = SIGNATURE + 16 + 33 * 7 * 16;
/** Bytes of a layer's signature: 35 chain values and 3 nodes. */
const LAYER_BYTES = 16 * (35 + 3);

/** The 63-bit tree index of two halves. */
const treeIndex = `(i64.or (i64.shl (i64.extend_i32_u ${get("tree_high")}) (i64.const 32))
  (i64.extend_i32_u ${get("tree_low")}))`;

/** Runs a layer's function for all layers, from the leaf and tree of the bottom one. */
const layers = (name: string): string => `
  ${set("signature", i32(HYPERTREE_SIGNATURE))}
  ${
  loop(
    "layer",
    0,
    LAYERS,
    `${call("tree", get("layer"), get("index"))}
    ${call(name, get("leaf"), get("signature"))}
    ${set("signature", add(get("signature"), i32(LAYER_BYTES)))}
    ${set("leaf", `(i32.and (i32.wrap_i64 ${get("index")}) ${i32(7)})`)}
    ${set("index", `(i64.shr_u ${get("index")} (i64.const 3))`)}`,
  )
}`;

const LOCALS = "(local $index i64) (local $layer i32) (local $signature i32)";

/** All functions of this file. */
export function slhHypertreeFunctions(): string {
  return `
  ;; keygen(): PK.root, as row NODE, of the rows SK.seed and PK.seed.
  (func $keygen (export "keygen")
    ${call("seed")}
    ${call("tree", i32(LAYERS - 1), "(i64.const 0)")}
    ${call("xmss_sign", i32(0), i32(SIGNATURE))})

  ;; sign(tree, leaf): the signature but for R, in rows. INDICES are set.
  (func $sign (export "sign") (param $tree_high i32) (param $tree_low i32) (param $leaf i32) ${LOCALS}
    ${set("index", treeIndex)}
    ${call("seed")}
    ${call("tree", i32(0), get("index"))}
    ${call("fors_sign", splat(get("leaf")))}
    ${call("fors_root", splat(get("leaf")))}
    ${layers("xmss_sign")})

  ;; verify(tree, leaf): whether the signature, in rows, leads to PK.root. INDICES are set.
  (func $verify (export "verify") (param $tree_high i32) (param $tree_low i32) (param $leaf i32)
      (result i32) ${LOCALS}
    ${set("index", treeIndex)}
    ${call("seed")}
    ${call("tree", i32(0), get("index"))}
    ${call("fors_verify", splat(get("leaf")))}
    ${call("fors_root", splat(get("leaf")))}
    ${layers("xmss_verify")}
    (i8x16.all_true (i8x16.eq (v128.load ${i32(NODE)}) (v128.load ${i32(PUBLIC_ROOT)}))))`;
}
