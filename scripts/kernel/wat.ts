/** Small pieces of WebAssembly text, so that the kernel's sources read as code and not as brackets. */

/** The value of a local. */
export const get = (local: string): string => `(local.get $${local})`;

/** Sets a local. */
export const set = (local: string, value: string): string => `(local.set $${local} ${value})`;

/** A 32-bit constant. */
export const i32 = (value: number): string => `(i32.const ${value | 0})`;

/** A vector of four equal 32-bit words. */
export const splat = (value: string): string => `(i32x4.splat ${value})`;

/** A constant vector of four 32-bit words. */
export const words = (a: number, b = a, c = a, d = a): string =>
  `(v128.const i32x4 ${a | 0} ${b | 0} ${c | 0} ${d | 0})`;

/** Sum of 32-bit integers. */
export const add = (...terms: string[]): string => terms.reduce((a, b) => `(i32.add ${a} ${b})`);

/** Product of a 32-bit integer with a constant. */
export const times = (value: string, factor: number): string => `(i32.mul ${value} ${i32(factor)})`;

/** Lane-wise sum of vectors. */
export const add4 = (...terms: string[]): string => terms.reduce((a, b) => `(i32x4.add ${a} ${b})`);

/** Exclusive or of vectors. */
export const xor4 = (...terms: string[]): string => terms.reduce((a, b) => `(v128.xor ${a} ${b})`);

/** Inclusive or of vectors. */
export const or4 = (a: string, b: string): string => `(v128.or ${a} ${b})`;

/** Lane-wise shift to the left. */
export const shl4 = (value: string, bits: string | number): string =>
  `(i32x4.shl ${value} ${typeof bits === "number" ? i32(bits) : bits})`;

/** Lane-wise logical shift to the right. */
export const shr4 = (value: string, bits: string | number): string =>
  `(i32x4.shr_u ${value} ${typeof bits === "number" ? i32(bits) : bits})`;

/** Loads a vector from `address + offset`. */
export const load4 = (address: string, offset = 0): string =>
  `(v128.load offset=${offset} ${address})`;

/** Stores a vector to `address + offset`. */
export const store4 = (address: string, offset: number, value: string): string =>
  `(v128.store offset=${offset} ${address} ${value})`;

/** Calls a function. */
export const call = (name: string, ...args: string[]): string =>
  `(call $${name} ${args.join(" ")})`;

/** Runs the body with a local going from `from` up to and without `to`; `to` > `from`. */
export const loop = (
  local: string,
  from: number,
  to: number | string,
  body: string,
  step = 1,
): string => `
  ${set(local, i32(from))}
  (loop $each_${local}
    ${body}
    ${set(local, add(get(local), i32(step)))}
    (br_if $each_${local} (i32.lt_s ${get(local)} ${typeof to === "number" ? i32(to) : to})))`;

/** Text for each number from 0 to `count` - 1. */
export const each = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join("\n");
