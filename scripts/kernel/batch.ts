/** SHA-256 of many short messages, four at a time: for Merkle trees and whatever else comes in batches. */
import { BLOCK, INITIAL_STATE, OUT } from "./layout.ts";
import {
  add,
  call,
  each,
  get,
  i32,
  load4,
  or4,
  set,
  shl4,
  shr4,
  splat,
  store4,
  times,
  words,
} from "./wat.ts";

/** Turns the bytes of each 32-bit word around: messages are big-endian, memory is not. */
const swapped = (value: string): string =>
  `(i8x16.shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 ${value} ${value})`;

/** Word `i` of the blocks that the locals p0 to p3 point at, one a lane. */
const word = (i: number): string =>
  swapped(
    [1, 2, 3].reduce(
      (vector, lane) => `(v128.load32_lane offset=${4 * i} ${lane} ${get(`p${lane}`)} ${vector})`,
      `(v128.load32_splat offset=${4 * i} ${get("p0")})`,
    ),
  );

/** Points p1 to p3 at what lies one, two and three strides behind p0. */
const pointLanes = (stride: string): string =>
  each(3, (i) => set(`p${i + 1}`, add(get(`p${i}`), stride)));

/** Stores the four results at `to`, 32 bytes apart. */
const storeResults = (): string =>
  each(8, (i) => `
    ${set("v", swapped(load4(i32(OUT), 16 * i)))}
    ${
    each(
      4,
      (lane) => `(v128.store32_lane offset=${32 * lane + 4 * i} ${lane} ${get("to")} ${get("v")})`,
    )
  }`);

const LANE_LOCALS =
  "(local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $v v128)";

/** Runs the body for each four of `count`; it may read and write for three more. */
const eachFour = (body: string): string => `
  (loop $each_four
    ${body}
    ${storeResults()}
    ${set("to", add(get("to"), i32(128)))}
    ${set("count", add(get("count"), i32(-4)))}
    (br_if $each_four (i32.gt_s ${get("count")} ${i32(0)})))`;

/** All functions of this file. */
export function batchFunctions(): string {
  return `${pairsFunction()}\n${manyFunction()}`;
}

/** `pairs(prefix, from, to, count)`: of a byte and 64 bytes each, which is two blocks. */
function pairsFunction(): string {
  // The prefix puts every word one byte behind: each takes its first byte from the word before.
  const behind = (word: string) => or4(shl4(get("last"), 24), shr4(word, 8));
  return `(func $pairs (export "pairs") (param $prefix i32) (param $from i32) (param $to i32)
      (param $count i32) (local $last v128) ${LANE_LOCALS}
    ${
    eachFour(`
      ${set("p0", get("from"))}
      ${pointLanes(i32(64))}
      ${set("last", splat(get("prefix")))}
      ${
      each(16, (i) => `
        ${set("v", word(i))}
        ${store4(i32(BLOCK), 16 * i, behind(get("v")))}
        ${set("last", get("v"))}`)
    }
      ${call("compress", i32(INITIAL_STATE), i32(BLOCK), i32(OUT))}
      ${store4(i32(BLOCK), 0, behind(words(0x8000_0000)))}
      ${each(14, (i) => store4(i32(BLOCK), 16 * (i + 1), words(0)))}
      ${store4(i32(BLOCK), 240, words(65 * 8))}
      ${call("compress", i32(OUT), i32(BLOCK), i32(OUT))}
      ${set("from", add(get("from"), i32(256)))}`)
  })`;
}

/** `many(from, blocks, to, count)`: of messages of that many blocks each, padded by the caller. */
function manyFunction(): string {
  const stride = times(get("blocks"), 64);
  return `(func $many (export "many") (param $from i32) (param $blocks i32) (param $to i32)
      (param $count i32) (local $left i32) (local $state i32) ${LANE_LOCALS}
    ${
    eachFour(`
      ${set("p0", get("from"))}
      ${set("left", get("blocks"))}
      ${set("state", i32(INITIAL_STATE))}
      (loop $each_block
        ${pointLanes(stride)}
        ${each(16, (i) => store4(i32(BLOCK), 16 * i, word(i)))}
        ${call("compress", get("state"), i32(BLOCK), i32(OUT))}
        ${set("state", i32(OUT))}
        ${set("p0", add(get("p0"), i32(64)))}
        ${set("left", add(get("left"), i32(-1)))}
        (br_if $each_block ${get("left")}))
      ${set("from", add(get("from"), times(stride, 4)))}`)
  })`;
}
