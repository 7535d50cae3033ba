/** What a decoder of outside bytes owes, and how one is held to it. */
import { equalBytes, Reader, SionError, toHex } from "#internal/core/mod.ts";
import { Random } from "../sim/random.ts";
import { mutated, systematic } from "./_mutate.ts";

/** A decoder of bytes that come from outside. */
export interface Decoder<T = unknown> {
  readonly name: string;
  /** Names of the functions and codecs that this holds to account. */
  readonly covers: readonly string[];
  /** Valid inputs. */
  readonly samples: () => readonly Uint8Array[];
  readonly decode: (bytes: Uint8Array) => T | Promise<T>;
  /** The one encoding, of formats that have one. */
  readonly encode?: (value: T) => Uint8Array;
  /** What is done with a value before it is believed: it may say no, and never throws. */
  readonly use?: (value: T) => unknown;
  /** Codes of its errors. @default codec */
  readonly errors?: readonly string[];
  /** Whether `SyntaxError` stands for unreadable text. @default false */
  readonly text?: boolean;
  /** Part of the usual number of inputs, for one that takes long. @default 1 */
  readonly share?: number;
}

/** A decoder of a value type that its own functions agree on. */
export function decoder<T>(of: Decoder<T>): Decoder {
  return of as Decoder;
}

/**
 * Calls of a reader that a byte may cost: a nested format reads its bytes twice, and a fixed number
 * of calls costs nothing.
 */
const READS_A_BYTE = 8;
/** Values that a byte may become: members of a struct of which each takes a byte. */
const VALUES_A_BYTE = 16;
/** Both, besides. */
const ALLOWANCE = 4_096;

class WorkError extends Error {}

let readsLeft = Infinity;

/** Counts what readers are asked, so that a decoder that goes on and on fails instead of hanging. */
function countReads(): void {
  for (const name of ["u8", "u16", "u32", "u64", "uleb", "raw"] as const) {
    const real = Reader.prototype[name] as (n: number) => unknown;
    Object.defineProperty(Reader.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Reader, n: number): unknown {
        if (readsLeft-- <= 0) throw new WorkError("it reads more than its input is worth");
        return real.call(this, n);
      },
    });
  }
}
countReads();

/** How many values something holds. */
function valuesIn(value: unknown, seen = new Set<unknown>()): number {
  if (value === null || typeof value !== "object" || seen.has(value)) return 1;
  seen.add(value);
  if (ArrayBuffer.isView(value)) return 1 + value.byteLength / 64;
  let count = 1;
  const members = value instanceof Map
    ? [...value.keys(), ...value.values()]
    : Object.values(value);
  for (const member of members) count += valuesIn(member, seen);
  return count;
}

/** What became of an input: a value, an error that says no, or a fault. */
type Made =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "refused" }
  | { readonly kind: "fault"; readonly what: string };

async function make(of: Decoder, bytes: Uint8Array): Promise<Made> {
  readsLeft = ALLOWANCE + READS_A_BYTE * bytes.length;
  try {
    return { kind: "value", value: await of.decode(bytes) };
  } catch (error) {
    const typed = error instanceof SionError && (of.errors ?? ["codec"]).includes(error.code);
    if (typed || (of.text === true && error instanceof SyntaxError)) return { kind: "refused" };
    return { kind: "fault", what: `it threw ${told(error)}` };
  } finally {
    readsLeft = Infinity;
  }
}

function told(error: unknown): string {
  return error instanceof Error ? `${String(error)}\n${error.stack}` : String(error);
}

/** What is wrong with what a decoder made of an input; undefined when it did as it should. */
async function faultOf(of: Decoder, bytes: Uint8Array): Promise<string | undefined> {
  const given = bytes.slice();
  const made = await make(of, bytes);
  if (!equalBytes(given, bytes)) return "it changed its input";
  if (made.kind === "fault") return made.what;
  if (made.kind === "refused") return undefined;
  if (valuesIn(made.value) > ALLOWANCE + VALUES_A_BYTE * bytes.length) {
    return "its value is larger than its input is worth";
  }
  try {
    if (of.encode !== undefined && !equalBytes(of.encode(made.value), bytes)) {
      return "the value has another encoding";
    }
    await of.use?.(made.value);
  } catch (error) {
    return `its value was not fit to use: ${told(error)}`;
  }
  return undefined;
}

/** How many inputs of each sort a decoder gets. */
export interface Effort {
  /** Places at which each sample is cut and given extreme lengths. */
  readonly places: number;
  /** Random inputs. */
  readonly inputs: number;
}

/** The longest input that is printed whole, bytes. */
const SHOWN_BYTES = 4_096;

function shown(bytes: Uint8Array): string {
  return bytes.length <= SHOWN_BYTES
    ? toHex(bytes)
    : `${toHex(bytes.subarray(0, SHOWN_BYTES))}… (${bytes.length} bytes)`;
}

/**
 * Feeds a decoder its samples, then inputs of a seed.
 * @throws {Error} at the first that it does wrong by, with what makes it come again.
 */
export async function fuzz(of: Decoder, seed: number, effort: Effort): Promise<void> {
  const samples = of.samples();
  if (samples.length === 0) throw new Error(`${of.name} has no sample`);
  const check = async (bytes: Uint8Array, which: string): Promise<void> => {
    const fault = await faultOf(of, bytes);
    if (fault !== undefined) {
      throw new Error(`${of.name}, ${which}: ${fault}\ninput ${shown(bytes)}`);
    }
  };
  const share = of.share ?? 1;
  for (const [i, sample] of samples.entries()) {
    await of.decode(sample);
    await check(sample, `sample ${i}`);
    for (const bytes of systematic(sample, Math.ceil(effort.places * share / samples.length))) {
      await check(bytes, `sample ${i}, cut`);
    }
  }
  for (let i = 0; i < effort.inputs * share; i++) {
    const bytes = mutated(samples, new Random(seed, of.name, i));
    await check(bytes, `seed ${seed}, input ${i}`);
  }
}
