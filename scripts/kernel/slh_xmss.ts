/** WOTS+ and XMSS (FIPS 205 §5 and §6): trees of eight leaves, each the end of 35 hash chains. */
import {
  CHAIN_HASH,
  COUNTS,
  DIGITS,
  LEAVES,
  LEFT,
  LONG_INPUT,
  NODE,
  ORDER,
  OUT,
  RIGHT,
  ROWS,
} from "./layout.ts";
import { TYPE } from "./slh_hash.ts";
import { add, call, each, get, i32, loop, set, shr4, splat, store4, times, words } from "./wat.ts";

/** Chains (len), their steps (w - 1), and the tree's height (h'). */
const CHAINS = 35;
const STEPS = 15;
const HEIGHT = 3;

const digit = (i: string): string => `(i32.load8_u offset=${DIGITS} ${i})`;

/** All functions of this file. */
export function slhXmssFunctions(): string {
  return [
    digitsFunction(),
    leavesFunction(),
    signFunction(),
    orderFunction(),
    chainsFunction(),
    verifyFunction(),
  ].join("\n");
}

/** `digits()`: the base-16 digits of row NODE with their checksum, then one of 15 (§5.2). */
function digitsFunction(): string {
  return `(func $digits (local $i i32) (local $digit i32) (local $sum i32)
    ${
    loop(
      "i",
      0,
      32,
      `${
        set(
          "digit",
          `(i32.and (i32.shr_u (i32.load offset=${NODE} (i32.shl (i32.shr_u ${get("i")} ${
            i32(3)
          }) ${i32(2)})) (i32.sub ${i32(28)} (i32.shl (i32.and ${get("i")} ${i32(7)}) ${
            i32(2)
          }))) ${i32(15)})`,
        )
      }
      (i32.store8 offset=${DIGITS} ${get("i")} ${get("digit")})
      ${set("sum", `(i32.sub ${add(get("sum"), i32(STEPS))} ${get("digit")})`)}`,
    )
  }
    ${
    each(3, (i) =>
      `(i32.store8 ${i32(DIGITS + 32 + i)} (i32.and (i32.shr_u ${get("sum")} ${i32(8 - 4 * i)}) ${
        i32(15)
      }))`)
  }
    (i32.store8 ${i32(DIGITS + CHAINS)} ${i32(STEPS)}))`;
}

/**
 * `leaves(first, leaf, signature)`: four leaves of the set tree, as rows of LEAVES. Of `leaf`, when
 * it is among them, the chains' values at the digits go to the signature.
 */
function leavesFunction(): string {
  return `(func $leaves (param $first i32) (param $leaf i32) (param $signature i32)
      (local $chain i32) (local $keypair v128)
    ${set("keypair", `(i32x4.add ${splat(get("first"))} ${words(0, 1, 2, 3)})`)}
    ${set("leaf", `(i32.sub ${get("leaf")} ${get("first")})`)}
    ${
    loop(
      "chain",
      0,
      CHAINS,
      `${call("address", i32(TYPE.wotsPrf), get("keypair"), splat(get("chain")))}
      ${call("prf", words(0))}
      ${call("address", i32(TYPE.wotsHash), get("keypair"), splat(get("chain")))}
      ${call("chain_start")}
      ${store4(i32(CHAIN_HASH), 0, words(0))}
      (if (i32.lt_u ${get("leaf")} ${i32(4)})
        (then
          ${call("chain", digit(get("chain")))}
          ${call("take", i32(OUT), get("leaf"), add(get("signature"), times(get("chain"), 16)))}
          ${call("chain", `(i32.sub ${i32(STEPS)} ${digit(get("chain"))})`)})
        (else ${call("chain", i32(STEPS))}))
      ${call("copy", add(times(get("chain"), 64), i32(LONG_INPUT)))}`,
    )
  }
    ${call("address", i32(TYPE.wotsPk), get("keypair"), words(0))}
    ${call("long", i32(4 * CHAINS))}
    ${call("scatter", i32(OUT), add(times(get("first"), 16), i32(LEAVES)), i32(16))})`;
}

/**
 * `xmss_sign(leaf, signature)`: signs row NODE with a leaf of the set tree and puts the tree's root
 * in its place. The signature is 35 chain values and 3 nodes.
 */
function signFunction(): string {
  const leafRow = (i: string) => add(times(i, 16), i32(LEAVES));
  return `(func $xmss_sign (param $leaf i32) (param $signature i32)
      (local $height i32) (local $count i32) (local $i i32)
    ${call("digits")}
    ${call("leaves", i32(0), get("leaf"), get("signature"))}
    ${call("leaves", i32(4), get("leaf"), get("signature"))}
    ${set("signature", add(get("signature"), i32(16 * CHAINS)))}
    ${set("count", i32(1 << HEIGHT))}
    ${
    loop(
      "height",
      1,
      HEIGHT + 1,
      `(v128.store ${get("signature")} (v128.load ${leafRow(`(i32.xor ${get("leaf")} ${i32(1)})`)}))
      ${set("signature", add(get("signature"), i32(16)))}
      ${set("leaf", `(i32.shr_u ${get("leaf")} ${i32(1)})`)}
      ${set("count", `(i32.shr_u ${get("count")} ${i32(1)})`)}
      ${call("gather", i32(LEAVES), i32(32), i32(LEFT))}
      ${call("gather", i32(LEAVES + 16), i32(32), i32(RIGHT))}
      ${call("address", i32(TYPE.tree), words(0), splat(get("height")))}
      ${call("two", words(0, 1, 2, 3), i32(LEFT), i32(RIGHT))}
      ${loop("i", 0, get("count"), call("take", i32(OUT), get("i"), leafRow(get("i"))))}`,
    )
  }
    (v128.store ${i32(NODE)} (v128.load ${i32(LEAVES)})))`;
}

/** `order()`: the chains by rising digit, by counting, so that chains of a lane group are alike long. */
function orderFunction(): string {
  const counter = (d: string) => add(times(d, 4), i32(COUNTS));
  return `(func $order (local $i i32) (local $sum i32) (local $p i32)
    (memory.fill ${i32(COUNTS)} ${i32(0)} ${i32(64)})
    ${
    loop(
      "i",
      0,
      CHAINS + 1,
      `${set("p", counter(digit(get("i"))))}
      (i32.store ${get("p")} ${add(`(i32.load ${get("p")})`, i32(1))})`,
    )
  }
    ;; Counters become the place of the first chain with their digit.
    ${
    loop(
      "i",
      0,
      16,
      `${set("p", counter(get("i")))}
      ${set("sum", add(get("sum"), `(i32.load ${get("p")})`))}
      (i32.store ${get("p")} (i32.sub ${get("sum")} (i32.load ${get("p")})))`,
    )
  }
    ${
    loop(
      "i",
      0,
      CHAINS + 1,
      `${set("p", counter(digit(get("i"))))}
      (i32.store8 offset=${ORDER} (i32.load ${get("p")}) ${get("i")})
      (i32.store ${get("p")} ${add(`(i32.load ${get("p")})`, i32(1))})`,
    )
  })`;
}

/** `chains(keypair, signature)`: rows ROWS, the end of each chain from its signature value on. */
function chainsFunction(): string {
  const chainOf = (lane: number | string) =>
    `(i32.load8_u offset=${ORDER} ${
      add(get("group"), typeof lane === "number" ? i32(lane) : lane)
    })`;
  return `(func $chains (param $keypair v128) (param $signature i32)
      (local $group i32) (local $lane i32) (local $chain i32) (local $done i32) (local $steps i32)
      (local $numbers v128)
    ${
    loop(
      "group",
      0,
      CHAINS + 1,
      `${
        loop(
          "lane",
          0,
          4,
          `${set("chain", chainOf(get("lane")))}
        ${call("place", add(get("signature"), times(get("chain"), 16)), i32(OUT), get("lane"))}
        (i32.store offset=${CHAIN_HASH} (i32.shl ${get("lane")} ${i32(2)}) ${digit(get("chain"))})`,
        )
      }
      ${
        set(
          "numbers",
          [1, 2, 3].reduce(
            (v, lane) => `(i32x4.replace_lane ${lane} ${v} ${chainOf(lane)})`,
            splat(chainOf(0)),
          ),
        )
      }
      ${call("address", i32(TYPE.wotsHash), get("keypair"), get("numbers"))}
      ${call("chain_start")}
      ;; The last lane has the fewest steps left: run to its end, take it, go on with the others.
      ${set("done", i32(0))}
      ${set("lane", i32(3))}
      (loop $each_end
        ${set("chain", chainOf(get("lane")))}
        ${set("steps", `(i32.sub ${i32(STEPS)} ${digit(get("chain"))})`)}
        ${call("chain", `(i32.sub ${get("steps")} ${get("done")})`)}
        ${set("done", get("steps"))}
        ${call("take", i32(OUT), get("lane"), add(times(get("chain"), 16), i32(ROWS)))}
        ${set("lane", add(get("lane"), i32(-1)))}
        (br_if $each_end (i32.ge_s ${get("lane")} ${i32(0)})))`,
      4,
    )
  })`;
}

/** `xmss_verify(leaf, signature)`: puts in row NODE the root that its signature leads to. */
function verifyFunction(): string {
  return `(func $xmss_verify (param $leaf i32) (param $signature i32)
      (local $height i32) (local $keypair v128)
    ${set("keypair", splat(get("leaf")))}
    ${call("digits")}
    ${call("order")}
    ${call("chains", get("keypair"), get("signature"))}
    ${call("spread", i32(ROWS), i32(4 * CHAINS))}
    ${call("address", i32(TYPE.wotsPk), get("keypair"), words(0))}
    ${call("long", i32(4 * CHAINS))}
    ${set("signature", add(get("signature"), i32(16 * CHAINS)))}
    ${
    loop(
      "height",
      1,
      HEIGHT + 1,
      `${call("gather", get("signature"), i32(0), i32(LEFT))}
      ${call("address", i32(TYPE.tree), words(0), splat(get("height")))}
      ${call("parent", get("keypair"))}
      ${set("keypair", shr4(get("keypair"), 1))}
      ${set("signature", add(get("signature"), i32(16)))}`,
    )
  }
    ${call("take", i32(OUT), i32(0), i32(NODE))})`;
}
