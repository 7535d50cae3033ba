/**
 * The hash functions of SLH-DSA-SHA2-128f (FIPS 205 §11.2) in four lanes. Every one is SHA-256 of
 * PK.seed, 48 zero bytes, a 22-byte address and a message, cut to 16 bytes.
 *
 * The compressed address is layer (1 byte), tree (8), type (1), key pair (4), chain or height (4),
 * hash or index (4): five and a half words, so a message's words lie half a word behind the block's.
 */
import {
  BLOCK,
  INITIAL_STATE,
  LONG_BLOCKS,
  LONG_INPUT,
  OUT,
  PUBLIC_SEED,
  SECRET_LANES,
  SECRET_SEED,
  SEEDED_STATE,
} from "./layout.ts";
import {
  add,
  call,
  each,
  get,
  i32,
  load4,
  loop,
  or4,
  set,
  shl4,
  shr4,
  splat,
  store4,
  times,
  words,
} from "./wat.ts";

/** Address types, FIPS 205 table 1. */
export const TYPE = {
  wotsHash: 0,
  wotsPk: 1,
  tree: 2,
  forsTree: 3,
  forsRoots: 4,
  wotsPrf: 5,
  forsPrf: 6,
} as const;

/** Bytes before a message: the seed's block and the address. */
const HEAD_BYTES = 64 + 22;
/** Bits of what is hashed of one node and of two. */
export const LENGTH_OF_ONE = 8 * (HEAD_BYTES + 16);
const LENGTH_OF_TWO = 8 * (HEAD_BYTES + 32);

/** A block word made of the last half of one message word and the first half of the next. */
const halves = (before: string, after: string): string => or4(shl4(before, 16), shr4(after, 16));

/** Hashes the block after the seed's: the result is in OUT. */
const hashBlock = (): string => call("compress", i32(SEEDED_STATE), i32(BLOCK), i32(OUT));

/** All functions of this file. */
export function slhHashFunctions(): string {
  return [
    seedFunction(),
    setTreeFunction(),
    addressFunction(),
    oneNodeFunction(),
    twoNodesFunction(),
    prfFunction(),
    longFunction(),
  ].join("\n");
}

/** `seed()`: from PK.seed the state that every hash begins with, from SK.seed its lanes. */
function seedFunction(): string {
  return `(func $seed
    ${each(4, (i) => store4(i32(BLOCK), 16 * i, `(v128.load32_splat ${i32(PUBLIC_SEED + 4 * i)})`))}
    ${each(12, (i) => store4(i32(BLOCK), 16 * (i + 4), words(0)))}
    ${call("compress", i32(INITIAL_STATE), i32(BLOCK), i32(SEEDED_STATE))}
    ${
    each(
      4,
      (i) => store4(i32(SECRET_LANES), 16 * i, `(v128.load32_splat ${i32(SECRET_SEED + 4 * i)})`),
    )
  })`;
}

/** `tree(layer, index)`: the address's first nine bytes for all hashes until the next call. */
function setTreeFunction(): string {
  const shifted = (bits: number) => `(i64.shr_u ${get("index")} (i64.const ${bits}))`;
  return `(global $address0 (mut i32) (i32.const 0))
  (global $address1 (mut i32) (i32.const 0))
  (global $address2 (mut i32) (i32.const 0))
  (func $tree (param $layer i32) (param $index i64)
    (global.set $address0 (i32.or (i32.shl ${get("layer")} ${i32(24)})
      (i32.wrap_i64 (i64.and ${shifted(40)} (i64.const 0xffffff)))))
    (global.set $address1 (i32.wrap_i64 ${shifted(8)}))
    (global.set $address2 (i32.shl (i32.wrap_i64 ${get("index")}) ${i32(24)})))`;
}

/** `address(type, key pair, chain or height)`: all of the address but its last four bytes. */
function addressFunction(): string {
  return `(func $address (param $type i32) (param $keypair v128) (param $middle v128)
    ${store4(i32(BLOCK), 0, splat("(global.get $address0)"))}
    ${store4(i32(BLOCK), 16, splat("(global.get $address1)"))}
    ${
    store4(
      i32(BLOCK),
      32,
      splat(`(i32.or (global.get $address2) (i32.shl ${get("type")} ${i32(16)}))`),
    )
  }
    ${store4(i32(BLOCK), 48, shl4(get("keypair"), 16))}
    ${store4(i32(BLOCK), 64, shl4(get("middle"), 16))})`;
}

/** `one(low, node)`: hash of one node (F, and PRF of SK.seed); `low` is the address's end. */
function oneNodeFunction(): string {
  const m = (i: number) => load4(get("node"), 16 * i);
  return `(func $one (param $low v128) (param $node i32)
    ${store4(i32(BLOCK), 80, halves(get("low"), m(0)))}
    ${each(3, (i) => store4(i32(BLOCK), 96 + 16 * i, halves(m(i), m(i + 1))))}
    ${store4(i32(BLOCK), 144, or4(shl4(m(3), 16), words(0x8000)))}
    ${each(5, (i) => store4(i32(BLOCK), 160 + 16 * i, words(0)))}
    ${store4(i32(BLOCK), 240, words(LENGTH_OF_ONE))}
    ${hashBlock()})`;
}

/** `two(low, left, right)`: hash of two nodes (H). */
function twoNodesFunction(): string {
  const m = (i: number) => load4(get(i < 4 ? "left" : "right"), 16 * (i % 4));
  return `(func $two (param $low v128) (param $left i32) (param $right i32)
    ${store4(i32(BLOCK), 80, halves(get("low"), m(0)))}
    ${each(7, (i) => store4(i32(BLOCK), 96 + 16 * i, halves(m(i), m(i + 1))))}
    ${store4(i32(BLOCK), 208, or4(shl4(m(7), 16), words(0x8000)))}
    ${store4(i32(BLOCK), 224, words(0))}
    ${store4(i32(BLOCK), 240, words(LENGTH_OF_TWO))}
    ${hashBlock()})`;
}

/** `prf(low)`: the secret value of the address. */
function prfFunction(): string {
  return `(func $prf (param $low v128) ${call("one", get("low"), i32(SECRET_LANES))})`;
}

/** `long(count)`: T over that many vectors of LONG_INPUT, with the address in BLOCK. */
function longFunction(): string {
  const input = (i: string, offset = 0) => load4(times(i, 16), LONG_INPUT + offset);
  return `(func $long (param $count i32) (local $i i32) (local $blocks i32) (local $state i32)
    ${each(5, (i) => store4(i32(LONG_BLOCKS), 16 * i, load4(i32(BLOCK), 16 * i)))}
    ${store4(i32(LONG_BLOCKS), 80, shr4(load4(i32(LONG_INPUT)), 16))}
    ${
    loop(
      "i",
      1,
      get("count"),
      store4(
        times(get("i"), 16),
        LONG_BLOCKS + 80,
        halves(input(add(get("i"), i32(-1))), input(get("i"))),
      ),
    )
  }
    ${
    store4(
      times(get("count"), 16),
      LONG_BLOCKS + 80,
      or4(shl4(input(add(get("count"), i32(-1))), 16), words(0x8000)),
    )
  }
    ;; The address, the 0x80 and the length take 5.5, 0.5 and 2 words; the rest of the last block is 0.
    ${set("blocks", `(i32.shr_u ${add(get("count"), i32(8 + 15))} ${i32(4)})`)}
    ${set("i", add(get("count"), i32(6)))}
    (loop $each_zero
      ${store4(times(get("i"), 16), LONG_BLOCKS, words(0))}
      ${set("i", add(get("i"), i32(1)))}
      (br_if $each_zero (i32.lt_u ${get("i")} (i32.shl ${get("blocks")} ${i32(4)}))))
    ${
    store4(
      times(get("blocks"), 256),
      LONG_BLOCKS - 16,
      splat(times(add(times(get("count"), 4), i32(HEAD_BYTES)), 8)),
    )
  }
    ${set("state", i32(SEEDED_STATE))}
    ${
    loop(
      "i",
      0,
      get("blocks"),
      `${call("compress", get("state"), add(times(get("i"), 256), i32(LONG_BLOCKS)), i32(OUT))}
      ${set("state", i32(OUT))}`,
    )
  })`;
}
