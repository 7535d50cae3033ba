/**
 * The module that multiplies byte strings in GF(2⁸) and adds them up, sixteen bytes at a time: a
 * product is the exclusive or of two table entries, one by each half of the byte.
 */
import { add, each, get, i32, load4, loop, set, store4, times, xor4 } from "./wat.ts";

/** Sources, and the most targets. */
const SHARES = 8;
/** For each target and source sixteen products with low halves, then sixteen with high ones. */
const TABLES = 0;
const TABLE = 32;
const SOURCES = TABLES + SHARES * SHARES * TABLE;
/** Bytes of each source and target: all of them fit a processor's nearest cache. */
const ROOM = 1536;
const TARGETS = SOURCES + SHARES * ROOM;
/** Vectors done at once, so that a table is loaded once for all of them. */
const AT_ONCE = 4;
const VECTOR = 16;

const looked = (table: string, indices: string): string => `(i8x16.swizzle ${table} ${indices})`;

/** Adds source `i`'s products to the sums. */
const addSource = (i: number): string => `
  ${set("low", load4(get("table"), i * TABLE))}
  ${set("high", load4(get("table"), i * TABLE + VECTOR))}
  ${
  each(AT_ONCE, (n) => `
    ${set("v", load4(get("at"), SOURCES + i * ROOM + n * VECTOR))}
    ${
    set(
      `sum${n}`,
      xor4(
        get(`sum${n}`),
        looked(get("low"), `(v128.and ${get("v")} ${get("mask")})`),
        looked(get("high"), `(i8x16.shr_u ${get("v")} ${i32(4)})`),
      ),
    )
  }`)
}`;

/** The module in WebAssembly text; `combine(targets, bytes)` takes a multiple of 64 bytes. */
export function combineText(): string {
  const zero = "(v128.const i64x2 0 0)";
  const exported = { TABLES, SOURCES, TARGETS, ROOM };
  return `(module
    (memory (export "memory") 1)
    ${
    Object.entries(exported)
      .map(([name, value]) => `(global (export "${name}") i32 (i32.const ${value}))`)
      .join("\n")
  }
    (func (export "combine") (param $targets i32) (param $bytes i32)
      (local $target i32) (local $at i32) (local $table i32) (local $to i32)
      (local $low v128) (local $high v128) (local $v v128) (local $mask v128)
      ${each(AT_ONCE, (n) => `(local $sum${n} v128)`)}
      ${set("mask", `(i8x16.splat ${i32(15)})`)}
      ${
    loop(
      "target",
      0,
      get("targets"),
      `
      ${set("table", add(i32(TABLES), times(get("target"), SHARES * TABLE)))}
      ${set("to", times(get("target"), ROOM))}
      ${
        loop(
          "at",
          0,
          get("bytes"),
          `
        ${each(AT_ONCE, (n) => set(`sum${n}`, zero))}
        ${each(SHARES, addSource)}
        ${
            each(
              AT_ONCE,
              (n) => store4(add(get("to"), get("at")), TARGETS + n * VECTOR, get(`sum${n}`)),
            )
          }`,
          AT_ONCE * VECTOR,
        )
      }`,
    )
  }))`;
}
