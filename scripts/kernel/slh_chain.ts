/**
 * Hash chains: where nine tenths of an SLH-DSA signature's time go. A chain is F over and over with
 * the same address but for its last word, so of each step's block
 *
 * - words 0 to 4 are fixed: five rounds are done once a chain;
 * - word 5 is the hash address and the first half of the value, words 6 to 9 the rest and the 1 bit;
 * - words 10 to 14 are zero and word 15 is the length: they and what the schedule makes of them and
 *   of the fixed words alone are done once, or left out.
 *
 * It saves a tenth of the time against a compression of the whole block.
 */
import {
  BLOCK,
  CHAIN_FIXED,
  CHAIN_HASH,
  CHAIN_STATE,
  OUT,
  ROUND_CONSTANTS,
  SEEDED_STATE,
} from "./layout.ts";
import {
  constant,
  loadState,
  round,
  ROUND_LOCALS,
  sigma0,
  sigma1,
  sixteenRounds,
  stateWord,
} from "./sha256.ts";
import { LENGTH_OF_ONE } from "./slh_hash.ts";
import { add, add4, each, get, i32, load4, or4, set, shl4, shr4, store4, words } from "./wat.ts";

/** Rounds whose message words are fixed. */
const FIXED_ROUNDS = 5;

/** Parts of message words that are fixed, by where they are kept. */
const FIXED = { w16: 0, w17: 16, w18: 32, w19: 48, w20: 64, w21: 80 } as const;
const fixed = (part: keyof typeof FIXED): string => load4(i32(CHAIN_FIXED), FIXED[part]);
const keep = (part: keyof typeof FIXED, value: string): string =>
  store4(i32(CHAIN_FIXED), FIXED[part], value);

/** σ0 of word 15, which is the length. */
const SIGMA0_OF_LENGTH = (() => {
  const rotr = (bits: number) => (LENGTH_OF_ONE >>> bits) | (LENGTH_OF_ONE << (32 - bits));
  return rotr(7) ^ rotr(18) ^ (LENGTH_OF_ONE >>> 3);
})();

/** Words 16 to 31: FIPS 180-4's schedule without its zero terms. `w16` and on replace `w0` and on. */
const SCHEDULE: readonly string[] = [
  add4(fixed("w16"), get("w9")),
  fixed("w17"),
  add4(fixed("w18"), sigma1("w0")),
  fixed("w19"),
  add4(fixed("w20"), sigma0("w5"), sigma1("w2")),
  add4(fixed("w21"), get("w5"), sigma0("w6")),
  add4(words(LENGTH_OF_ONE), get("w6"), sigma0("w7"), sigma1("w4")),
  add4(get("w7"), sigma0("w8"), get("w0"), sigma1("w5")),
  add4(get("w8"), sigma0("w9"), get("w1"), sigma1("w6")),
  add4(get("w9"), get("w2"), sigma1("w7")),
  add4(get("w3"), sigma1("w8")),
  add4(get("w4"), sigma1("w9")),
  add4(get("w5"), sigma1("w10")),
  add4(get("w6"), sigma1("w11")),
  add4(words(SIGMA0_OF_LENGTH), get("w7"), sigma1("w12")),
  add4(words(LENGTH_OF_ONE), sigma0("w0"), get("w8"), sigma1("w13")),
];

/** All functions of this file. */
export function slhChainFunctions(): string {
  return `${startFunction()}\n${chainFunction()}`;
}

/** `chain_start()`: what is fixed in a chain whose address is in BLOCK. */
function startFunction(): string {
  return `(func $chain_start (local $k i32) ${ROUND_LOCALS}
    ${set("k", i32(ROUND_CONSTANTS))}
    ${loadState(0, i32(SEEDED_STATE))}
    ${each(FIXED_ROUNDS, (i) => set(`w${i}`, load4(i32(BLOCK), 16 * i)))}
    ${each(FIXED_ROUNDS, (t) => round(t, add4(constant(t), get(`w${t}`))))}
    ${each(8, (i) => store4(i32(CHAIN_STATE), 16 * i, stateWord(FIXED_ROUNDS, i)))}
    ${set("w15", words(LENGTH_OF_ONE))}
    ${keep("w16", add4(get("w0"), sigma0("w1")))}
    ${set("w1", add4(get("w1"), sigma0("w2"), sigma1("w15")))}
    ${keep("w17", get("w1"))}
    ${keep("w18", add4(get("w2"), sigma0("w3")))}
    ${set("w3", add4(get("w3"), sigma0("w4"), sigma1("w1")))}
    ${keep("w19", get("w3"))}
    ${keep("w20", get("w4"))}
    ${keep("w21", sigma1("w3"))})`;
}

/**
 * `chain(steps)`: F that often over OUT, counting up the hash addresses in CHAIN_HASH, after
 * chain_start. Of OUT only the first four vectors are made.
 */
function chainFunction(): string {
  const value = (i: number) => load4(i32(OUT), 16 * i);
  const halves = (before: string, after: string) => or4(shl4(before, 16), shr4(after, 16));
  const word = (t: number) => {
    if (t < 10) return add4(constant(t), get(`w${t}`));
    if (t < 15) return constant(t);
    return t === 15
      ? add4(constant(t), words(LENGTH_OF_ONE))
      : add4(constant(t), get(`w${t - 16}`));
  };
  return `(func $chain (param $steps i32) (local $k i32) (local $hash v128) ${ROUND_LOCALS}
    ${set("hash", load4(i32(CHAIN_HASH)))}
    (block $done (loop $each_step
      (br_if $done (i32.eqz ${get("steps")}))
      ${set("w5", halves(get("hash"), value(0)))}
      ${each(3, (i) => set(`w${6 + i}`, halves(value(i), value(i + 1))))}
      ${set("w9", or4(shl4(value(3), 16), words(0x8000)))}
      ${set("k", i32(ROUND_CONSTANTS))}
      ${loadState(FIXED_ROUNDS, i32(CHAIN_STATE))}
      ${each(16 - FIXED_ROUNDS, (i) => round(FIXED_ROUNDS + i, word(FIXED_ROUNDS + i)))}
      ${each(16, (i) => `${set(`w${i}`, SCHEDULE[i] as string)} ${round(16 + i, word(16 + i))}`)}
      ${set("k", i32(ROUND_CONSTANTS + 512))}
      (loop $more
        ${sixteenRounds(true)}
        ${set("k", add(get("k"), i32(256)))}
        (br_if $more (i32.lt_u ${get("k")} ${i32(ROUND_CONSTANTS + 1024)})))
      ${
    each(
      4,
      (i) => store4(i32(OUT), 16 * i, add4(load4(i32(SEEDED_STATE), 16 * i), stateWord(0, i))),
    )
  }
      ${set("hash", add4(get("hash"), words(1)))}
      ${set("steps", add(get("steps"), i32(-1)))}
      (br $each_step)))
    ${store4(i32(CHAIN_HASH), 0, get("hash"))})`;
}
