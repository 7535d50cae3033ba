/** SHA-256's compression of one block in each of four lanes (FIPS 180-4 §6.2.2). */
import { INITIAL_STATE, ROUND_CONSTANTS } from "./layout.ts";
import { add, add4, each, get, i32, load4, or4, set, shl4, shr4, store4, xor4 } from "./wat.ts";

const PRIMES = primes(64);
/** FIPS 180-4 §4.2.2: first 32 bits of the fractions of the cube roots of the first 64 primes. */
const K = PRIMES.map((p) => rootFraction(p, 3n));
/** FIPS 180-4 §5.3.3: of the square roots of the first eight. */
const IV = PRIMES.slice(0, 8).map((p) => rootFraction(p, 2n));

/** Locals of the state, in the order that round 0 takes them in. */
const STATE = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;
type Name = (typeof STATE)[number];
type State = [Name, Name, Name, Name, Name, Name, Name, Name];

/** What {@link rounds} needs of locals: state, message words of the last 16 rounds, scratch. */
export const ROUND_LOCALS: string = [
  ...STATE,
  ...Array.from({ length: 16 }, (_, i) => `w${i}`),
  "t1",
  "ab",
  "bc",
].map((name) => `(local $${name} v128)`).join(" ");

const rotr = (x: string, bits: number): string => or4(shr4(get(x), bits), shl4(get(x), 32 - bits));
const bigSigma1 = (x: string) => xor4(rotr(x, 6), rotr(x, 11), rotr(x, 25));
const bigSigma0 = (x: string) => xor4(rotr(x, 2), rotr(x, 13), rotr(x, 22));
/** σ0 and σ1 of the message schedule, of a local. */
export const sigma0 = (x: string): string => xor4(rotr(x, 7), rotr(x, 18), shr4(get(x), 3));
export const sigma1 = (x: string): string => xor4(rotr(x, 17), rotr(x, 19), shr4(get(x), 10));
const choose = (e: string, f: string, g: string) =>
  `(v128.bitselect ${get(f)} ${get(g)} ${get(e)})`;

/** The local that holds a ^ b of round t, and so b ^ c of round t + 1. */
const pairOf = (t: number) => t % 2 === 0 ? "ab" : "bc";

/**
 * Maj(a, b, c) = b ^ ((a ^ b) & (b ^ c)); b ^ c is a ^ b of the round before, so two locals take turns
 * in holding it and an operation a round is saved.
 */
const majority = (a: string, b: string, t: number) =>
  xor4(
    get(b),
    `(v128.and (local.tee $${pairOf(t)} ${xor4(get(a), get(b))}) ${get(pairOf(t + 1))})`,
  );

/** Names of the state before round `t`: they turn by one a round, so nothing is moved. */
function stateBefore(t: number): State {
  const [a, b, c, d, e, f, g, h] = STATE;
  const names: State = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < t % 8; i++) names.unshift(names.pop() as Name);
  return names;
}

/** Loads the eight vectors of a state from `address` into the locals, for round `t` to come next. */
export function loadState(t: number, address: string): string {
  const [, b, c] = stateBefore(t);
  return `${each(8, (i) => set(stateBefore(t)[i] as string, load4(address, 16 * i)))}
    ${set(pairOf(t + 1), xor4(get(b), get(c)))}`;
}

/** The value that the `i`-th word of the state has before round `t`. */
export const stateWord = (t: number, i: number): string => get(stateBefore(t)[i] as string);

/**
 * Round `t` with the sum of its constant and message word; the constant of round `t` when `word` is
 * a message word's local.
 */
export function round(t: number, constantAndWord: string): string {
  const [a, b, , d, e, f, g, h] = stateBefore(t);
  return `
    ${set("t1", add4(get(h), bigSigma1(e), choose(e, f, g), constantAndWord))}
    ${set(d, add4(get(d), get("t1")))}
    ${set(h, add4(get("t1"), bigSigma0(a), majority(a, b, t)))}`;
}

/** The constant of round `t`, of a loop in which the local k points at round 0's. */
export const constant = (t: number): string => load4(get("k"), 16 * t);

/** Message word of round `t` from those of the sixteen rounds before, in place. */
const extend = (t: number): string => {
  const w = (back: number) => `w${(t + 16 - back) % 16}`;
  return set(w(0), add4(get(w(0)), get(w(7)), sigma0(w(15)), sigma1(w(2))));
};

/** Sixteen rounds; `extended` makes their message words first. */
export function sixteenRounds(extended: boolean): string {
  return each(16, (t) =>
    `${extended ? extend(t) : ""}
    ${round(t, add4(constant(t), get(`w${t}`)))}`);
}

/**
 * `compress(state, block, out)`: addresses of eight, sixteen and eight vectors; `out` may be `state`.
 * The rounds are a loop of sixteen and not 64 in a row: half the code, so that the optimising
 * compiler is done sooner and the first signature of a process is faster.
 */
export function compressFunction(): string {
  const sum = (i: number) => add4(load4(get("state"), 16 * i), stateWord(0, i));
  return `(func $compress (param $state i32) (param $block i32) (param $out i32)
      (local $k i32) ${ROUND_LOCALS}
    ${set("k", i32(ROUND_CONSTANTS))}
    ${loadState(0, get("state"))}
    ${each(16, (i) => set(`w${i}`, load4(get("block"), 16 * i)))}
    ${sixteenRounds(false)}
    (loop $more
      ${set("k", add(get("k"), i32(256)))}
      ${sixteenRounds(true)}
      (br_if $more (i32.lt_u ${get("k")} ${i32(ROUND_CONSTANTS + 768)})))
    ${each(8, (i) => store4(get("out"), 16 * i, sum(i)))})`;
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
