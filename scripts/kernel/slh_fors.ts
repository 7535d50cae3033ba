/** FORS (FIPS 205 §8): 33 trees of 64 leaves, four trees side by side in the lanes. */
import {
  FORS_NODES,
  FORS_SHOWN,
  INDICES,
  LEFT,
  NODE,
  OUT,
  RIGHT,
  ROWS,
  SIGNATURE,
} from "./layout.ts";
import { TYPE } from "./slh_hash.ts";
import {
  add,
  add4,
  call,
  get,
  i32,
  load4,
  loop,
  set,
  shl4,
  shr4,
  splat,
  times,
  words,
  xor4,
} from "./wat.ts";

/** Trees (k), their height (a) and leaves. */
const TREES = 33;
const HEIGHT = 6;
const LEAVES = 1 << HEIGHT;
/** Bytes that the signature holds of a tree: a secret and a node of each height. */
const SHOWN_BYTES = 16 * (1 + HEIGHT);
/** R comes first in the signature. */
const FORS_SIGNATURE = SIGNATURE + 16;
/** Trees rounded up to the lanes: what the last three compute is written over or unread. */
const TREES_IN_LANES = 36;

/** All functions of this file. */
export function slhForsFunctions(): string {
  return [signFunction(), treeFunction(), verifyFunction(), rootFunction()].join("\n");
}

/** Of the four trees from `tree` on: which leaf to show, and the number of each one's first leaf. */
const setIndexAndBase = (): string => `
  ${set("index", load4(times(get("tree"), 4), INDICES))}
  ${set("base", shl4(add4(splat(get("tree")), words(0, 1, 2, 3)), HEIGHT))}`;

/** Marks the lanes in which the node `j` of a height is the sibling of what the index leads to. */
const isSibling = (height: string, j: string): string =>
  `(i32x4.eq ${xor4(shr4(get("index"), height), words(1))} ${splat(j)})`;

/** `fors_sign(keypair)`: signature and, in ROWS, the roots. The tree is set, layer 0. */
function signFunction(): string {
  const shown = add(times(get("tree"), SHOWN_BYTES), i32(FORS_SIGNATURE));
  return `(func $fors_sign (param $keypair v128)
      (local $tree i32) (local $i i32) (local $index v128) (local $base v128)
    ${
    loop(
      "tree",
      0,
      TREES_IN_LANES,
      `${setIndexAndBase()}
      ${call("fors_trees", get("keypair"), get("index"), get("base"))}
      ${call("scatter", i32(FORS_NODES), add(times(get("tree"), 16), i32(ROWS)), i32(16))}
      ${
        loop(
          "i",
          0,
          1 + HEIGHT,
          call(
            "scatter",
            add(times(get("i"), 64), i32(FORS_SHOWN)),
            add(shown, times(get("i"), 16)),
            i32(SHOWN_BYTES),
          ),
        )
      }`,
      4,
    )
  })`;
}

/** `fors_trees(keypair, index, base)`: four whole trees; roots in FORS_NODES, the rest in FORS_SHOWN. */
function treeFunction(): string {
  const node = (j: string) => add(times(j, 64), i32(FORS_NODES));
  const shown = (i: string) => add(times(i, 64), i32(FORS_SHOWN));
  const number = (j: string) => add4(get("base"), splat(j));
  return `(func $fors_trees (param $keypair v128) (param $index v128) (param $base v128)
      (local $j i32) (local $height i32) (local $count i32)
    ${
    loop(
      "j",
      0,
      LEAVES,
      `${call("address", i32(TYPE.forsPrf), get("keypair"), words(0))}
      ${call("prf", number(get("j")))}
      ${call("keep", i32(FORS_SHOWN), `(i32x4.eq ${get("index")} ${splat(get("j"))})`)}
      ${call("address", i32(TYPE.forsTree), get("keypair"), words(0))}
      ${call("one", number(get("j")), i32(OUT))}
      ${call("copy", node(get("j")))}
      ${call("keep", shown(i32(1)), isSibling(i32(0), get("j")))}`,
    )
  }
    ${set("count", i32(LEAVES))}
    ${
    loop(
      "height",
      1,
      HEIGHT + 1,
      `${set("count", `(i32.shr_u ${get("count")} ${i32(1)})`)}
      ${set("base", shr4(get("base"), 1))}
      ${call("address", i32(TYPE.forsTree), get("keypair"), splat(get("height")))}
      ${
        loop(
          "j",
          0,
          get("count"),
          `${
            call(
              "two",
              number(get("j")),
              node(times(get("j"), 2)),
              node(add(times(get("j"), 2), i32(1))),
            )
          }
        ${call("copy", node(get("j")))}
        (if (i32.lt_u ${get("height")} ${i32(HEIGHT)}) (then
          ${
            call(
              "keep",
              shown(add(get("height"), i32(1))),
              isSibling(get("height"), get("j")),
            )
          }))`,
        )
      }`,
    )
  })`;
}

/** `fors_verify(keypair)`: in ROWS the roots that the signature leads to. */
function verifyFunction(): string {
  const shown = add(times(get("tree"), SHOWN_BYTES), i32(FORS_SIGNATURE));
  return `(func $fors_verify (param $keypair v128) (local $tree i32) (local $height i32)
      (local $index v128) (local $base v128) (local $number v128)
    ${
    loop(
      "tree",
      0,
      TREES_IN_LANES,
      `${setIndexAndBase()}
      ${set("number", add4(get("base"), get("index")))}
      ${call("gather", shown, i32(SHOWN_BYTES), i32(LEFT))}
      ${call("address", i32(TYPE.forsTree), get("keypair"), words(0))}
      ${call("one", get("number"), i32(LEFT))}
      ${
        loop(
          "height",
          1,
          HEIGHT + 1,
          `${call("gather", add(shown, times(get("height"), 16)), i32(SHOWN_BYTES), i32(LEFT))}
        ${call("address", i32(TYPE.forsTree), get("keypair"), splat(get("height")))}
        ${call("parent", get("number"))}
        ${set("number", shr4(get("number"), 1))}`,
        )
      }
      ${call("scatter", i32(OUT), add(times(get("tree"), 16), i32(ROWS)), i32(16))}`,
      4,
    )
  })
  ;; parent(number): hash of the node in OUT and its sibling in LEFT, in the order that the number
  ;; of the node says; the address is set.
  (func $parent (param $number v128) (local $i i32) (local $right v128) (local $v v128)
    ${set("right", `(i32x4.eq (v128.and ${get("number")} ${words(1)}) ${words(1)})`)}
    ${
    loop(
      "i",
      0,
      64,
      `${set("v", load4(get("i"), LEFT))}
      (v128.store offset=${LEFT} ${get("i")}
        (v128.bitselect ${get("v")} ${load4(get("i"), OUT)} ${get("right")}))
      (v128.store offset=${RIGHT} ${get("i")}
        (v128.bitselect ${load4(get("i"), OUT)} ${get("v")} ${get("right")}))`,
      16,
    )
  }
    ${call("two", shr4(get("number"), 1), i32(LEFT), i32(RIGHT))})`;
}

/** `fors_root(keypair)`: the FORS public key of the roots in ROWS, as row NODE. */
function rootFunction(): string {
  return `(func $fors_root (param $keypair v128)
    ${call("spread", i32(ROWS), i32(4 * TREES))}
    ${call("address", i32(TYPE.forsRoots), get("keypair"), words(0))}
    ${call("long", i32(4 * TREES))}
    ${call("take", i32(OUT), i32(0), i32(NODE))})`;
}
