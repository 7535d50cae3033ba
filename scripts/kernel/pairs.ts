/** SHA-256 of a prefix byte and 64 bytes, for Merkle trees: 65 bytes, two blocks, four at a time. */
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
  words,
} from "./wat.ts";

/** Turns the bytes of each 32-bit word around: messages are big-endian, memory is not. */
const swapped = (value: string): string =>
  `(i8x16.shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 ${value} ${value})`;

/** Word `i` of the message of each lane, 64 bytes apart. */
const word = (i: number): string =>
  swapped(
    [1, 2, 3].reduce(
      (vector, lane) =>
        `(v128.load32_lane offset=${64 * lane + 4 * i} ${lane} ${get("from")} ${vector})`,
      `(v128.load32_splat offset=${4 * i} ${get("from")})`,
    ),
  );

/** Stores word `i` of the four results, 32 bytes apart. */
const storeWord = (i: number): string => `
  ${set("v", swapped(load4(i32(OUT), 16 * i)))}
  ${
  each(4, (lane) =>
    `(v128.store32_lane offset=${32 * lane + 4 * i} ${lane} ${get("to")} ${get("v")})`)
}`;

/** `pairs(prefix, from, to, count)`: works on four at a time, so it may read and write three more. */
export function pairsFunction(): string {
  return `(func $pairs (export "pairs") (param $prefix i32) (param $from i32) (param $to i32)
      (param $count i32) (local $v v128) (local $last v128)
    (loop $each_four
      ${set("last", splat(get("prefix")))}
      ${
    // The prefix puts every word one byte behind: each takes its first byte from the word before.
    each(16, (i) => `
      ${set("v", word(i))}
      ${store4(i32(BLOCK), 16 * i, or4(shl4(get("last"), 24), shr4(get("v"), 8)))}
      ${set("last", get("v"))}`)}
      ${call("compress", i32(INITIAL_STATE), i32(BLOCK), i32(OUT))}
      ${store4(i32(BLOCK), 0, or4(shl4(get("last"), 24), words(0x800000)))}
      ${each(14, (i) => store4(i32(BLOCK), 16 * (i + 1), words(0)))}
      ${store4(i32(BLOCK), 240, words(65 * 8))}
      ${call("compress", i32(OUT), i32(BLOCK), i32(OUT))}
      ${each(8, storeWord)}
      ${set("from", add(get("from"), i32(256)))}
      ${set("to", add(get("to"), i32(128)))}
      ${set("count", add(get("count"), i32(-4)))}
      (br_if $each_four (i32.gt_s ${get("count")} ${i32(0)}))))`;
}
