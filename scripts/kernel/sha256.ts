/** SHA-256's compression of one block in each of four lanes (FIPS 180-4 §6.2.2). */
import { INITIAL_STATE, ROUND_CONSTANTS } from "./layout.ts";
import { add, add4, each, get, i32, load4, or4, set, shl4, shr4, store4, xor4 } from "./wat.ts";

const PRIMES = primes(64);
/** FIPS 180-4 §4.2.2: first 32 bits of the fractions of the cube roots of the first 64 primes. */
const K = PRIMES.map((p) => rootFraction(p, 3n));
/** FIPS 180-4 §5.3.3: of the square roots of the first eight. */
const IV = PRIMES.slice(0, 8).map((p) => rootFraction(p, 2n));

const STATE = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;
type Name = (typeof STATE)[number];
type State = [Name, Name, Name, Name, Name, Name, Name, Name];

const rotr = (x: string, bits: number): string => or4(shr4(get(x), bits), shl4(get(x), 32 - bits));
const bigSigma1 = (x: string) => xor4(rotr(x, 6), rotr(x, 11), rotr(x, 25));
const bigSigma0 = (x: string) => xor4(rotr(x, 2), rotr(x, 13), rotr(x, 22));
const smallSigma0 = (x: string) => xor4(rotr(x, 7), rotr(x, 18), shr4(get(x), 3));
const smallSigma1 = (x: string) => xor4(rotr(x, 17), rotr(x, 19), shr4(get(x), 10));
const choose = (e: string, f: string, g: string) =>
  `(v128.bitselect ${get(f)} ${get(g)} ${get(e)})`;
/**
 * Maj(a, b, c) = b ^ ((a ^ b) & (b ^ c)); b ^ c is a ^ b of the round before, so two locals take turns
 * in holding it and an operation a round is saved.
 */
const majority = (a: string, b: string, t: number) =>
  xor4(
    get(b),
    `(v128.and (local.tee $${t % 2 === 0 ? "ab" : "bc"} ${xor4(get(a), get(b))}) ${
      get(t % 2 === 0 ? "bc" : "ab")
    })`,
  );

/** Sixteen rounds; `scheduled` extends the message words in place first. The state's names turn. */
function rounds(scheduled: boolean): string {
  let state: State = [...STATE];
  return each(16, (t) => {
    const [a, b, c, d, e, f, g, h] = state;
    const w = (back: number) => `w${(t + 16 - back) % 16}`;
    const extend = scheduled
      ? set(w(0), add4(get(w(0)), get(w(7)), smallSigma0(w(15)), smallSigma1(w(2))))
      : "";
    const k = load4(get("k"), 16 * t);
    state = [h, a, b, c, d, e, f, g];
    return `${extend}
      ${set("t1", add4(get(h), bigSigma1(e), choose(e, f, g), k, get(w(0))))}
      ${set(d, add4(get(d), get("t1")))}
      ${set(h, add4(get("t1"), bigSigma0(a), majority(a, b, t)))}`;
  });
}

/**
 * `compress(state, block, out)`: addresses of eight, sixteen and eight vectors; `out` may be `state`.
 * The rounds are a loop of sixteen and not 64 in a row: half the code, so that the optimising
 * compiler is done sooner and the first signature of a process is faster.
 */
export function compressFunction(): string {
  const locals = [...STATE, "t1", "ab", "bc", ...Array.from({ length: 16 }, (_, i) => `w${i}`)];
  return `(func $compress (param $state i32) (param $block i32) (param $out i32)
    (local $k i32) ${locals.map((name) => `(local $${name} v128)`).join(" ")}
    ${set("k", i32(ROUND_CONSTANTS))}
    ${each(8, (i) => set(STATE[i] as string, load4(get("state"), 16 * i)))}
    ${each(16, (i) => set(`w${i}`, load4(get("block"), 16 * i)))}
    ${set("bc", xor4(get("b"), get("c")))}
    ${rounds(false)}
    (loop $more
      ${set("k", add(get("k"), i32(256)))}
      ${rounds(true)}
      (br_if $more (i32.lt_u ${get("k")} ${i32(ROUND_CONSTANTS + 768)})))
    ${
    each(
      8,
      (i) =>
        store4(
          get("out"),
          16 * i,
          add4(load4(get("state"), 16 * i), get(STATE[i] as string)),
        ),
    )
  })`;
}

/** The constants as data segments, each word once a lane. */
export function sha256Data(): string {
  return `(data ${i32(ROUND_CONSTANTS)} "${K.map(laneBytes).join("")}")
    (data ${i32(INITIAL_STATE)} "${IV.map(laneBytes).join("")}")`;
}

function laneBytes(word: number): string {
  const bytes = each(4, (i) => `\\${((word >>> (8 * i)) & 255).toString(16).padStart(2, "0")}`);
  return bytes.replaceAll("\n", "").repeat(4);
}

function primes(count: number): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < count; n++) if (found.every((p) => n % p !== 0n)) found.push(n);
  return found;
}

/** First 32 bits of the fraction of the `degree`-th root of `n`, by bisection on integers. */
function rootFraction(n: bigint, degree: bigint): number {
  const target = n << (32n * degree);
  let low = 0n;
  let high = n << 32n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffff_ffffn);
}
