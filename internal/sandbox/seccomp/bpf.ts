/**
 * An assembler for classic BPF as seccomp takes it (`linux/filter.h`, `linux/seccomp.h`), so that a
 * filter is made on the user's machine without a compiler or a library. Jumps only go forward.
 */

/** One instruction: operation, how many to skip when a test holds or not, operand of 32 bits. */
export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

/** The operations that filters are made of. */
const BPF = {
  /** Loads the 32 bits at an offset of `struct seccomp_data`. */
  load: 0x20,
  equal: 0x15,
  atLeast: 0x35,
  anyBit: 0x45,
  give: 0x06,
} as const;

/** Offsets in `struct seccomp_data`; of an argument's 64 bits, the low half, little endian. */
export const DATA = { syscall: 0, architecture: 4, argument: (n: number) => 16 + 8 * n } as const;

/** What becomes of a call. */
export const VERDICT = {
  allow: 0x7fff_0000,
  killProcess: 0x8000_0000,
  fail: (errno: number) => 0x0005_0000 | errno,
} as const;

/** Instructions are 8 bytes each. */
const INSTRUCTION_BYTES = 8;

/** Loads 32 bits of the call. */
export function load(offset: number): Instruction {
  return { code: BPF.load, ifTrue: 0, ifFalse: 0, operand: offset };
}

/** Ends the filter with a verdict. */
export function give(verdict: number): Instruction {
  return { code: BPF.give, ifTrue: 0, ifFalse: 0, operand: verdict >>> 0 };
}

/** `then` where what is loaded passes the test; what follows, where not. At most 255 instructions. */
export function when(
  test: "equal" | "atLeast" | "anyBit",
  operand: number,
  then: readonly Instruction[],
): readonly Instruction[] {
  return [
    { code: BPF[test], ifTrue: 0, ifFalse: then.length, operand: operand >>> 0 },
    ...then,
  ];
}

/** The program's bytes, as `bwrap --seccomp` reads them. @throws {RangeError} a jump is too long */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, ifTrue, ifFalse, operand }] of program.entries()) {
    if (Math.max(ifTrue, ifFalse) > 255) {
      throw new RangeError("Cannot assemble the filter: a jump skips more than 255 instructions");
    }
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, ifTrue);
    view.setUint8(at + 3, ifFalse);
    view.setUint32(at + 4, operand, true);
  }
  return bytes;
}
