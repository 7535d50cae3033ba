/** What commands about memory logs share: boxes as they are typed, answers as they are handed on. */
import { fromHex, isHex64, parseJson, SionError, toHex } from "#internal/core/mod.ts";
import type { MemoryBox, Recalled, RecalledMemory } from "#internal/client/mod.ts";
import type { Output } from "../output.ts";
import { usageError } from "../errors.ts";

/** A recall that can be checked elsewhere: the question, the log, the proof. */
export interface ProvenAnswer extends MemoryBox {
  /** 64 hex digits. */
  readonly log: string;
  readonly proof: Uint8Array;
}

/** The object that `memory recall --proof` prints. */
export function proofValue(asked: MemoryBox, { value: { log }, proof }: Recalled): object {
  const { frame, from_s, max, min, until_s } = asked;
  return { frame, from_s, log, max, min, proof: toHex(proof), until_s };
}

/** Reads that object. @throws {SionError} `usage` */
export function readProof(bytes: Uint8Array): ProvenAnswer {
  try {
    const value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const { frame, from_s, log, max, min, proof, until_s } = value as Record<string, unknown>;
    if (
      typeof frame === "string" && isInteger(from_s) && isInteger(until_s) && isPoint(min) &&
      isPoint(max) && typeof log === "string" && isHex64(log) && typeof proof === "string"
    ) {
      return { frame, from_s, log, max, min, proof: fromHex(proof), until_s };
    }
  } catch (error) {
    const isUnreadable = error instanceof SionError || error instanceof SyntaxError ||
      error instanceof TypeError || error instanceof RangeError;
    if (!isUnreadable) throw error;
  }
  throw usageError(
    "this is no recall with its proof: give what `sion memory recall --proof` printed",
  );
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPoint(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length === 3 && value.every(isInteger);
}

/** An answer for people: the atoms, one a line, and what shows that these are all. */
export function showRecalled(
  { as_of, atoms, log, proof_bytes }: RecalledMemory,
  output: Output,
): void {
  for (const { seq, statement, kind, confidence_permille, valid_from_s, valid_until_s } of atoms) {
    const until = valid_until_s === null ? "on" : `to ${valid_until_s}`;
    output.line(
      `${seq} ${statement} (${kind}, ${confidence_permille} ‰, from ${valid_from_s} ${until})`,
    );
  }
  const count = atoms.length === 1 ? "1 atom" : `${atoms.length} atoms`;
  output.line(
    `${count} of ${as_of.size} in memory log ${output.id(log)} as of Pulse ${as_of.pulse}: ` +
      `complete, by a proof of ${proof_bytes} bytes against index root ${output.id(as_of.index)}`,
  );
}
