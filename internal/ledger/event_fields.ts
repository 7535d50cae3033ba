/** Reads the fields of an event that comes from outside, as JSON or decoded, for its sentence. */
import { isHex64 } from "#internal/core/mod.ts";

/** The fields of one event. Each method throws a `TypeError` when there is no such field. */
export interface EventFields {
  /** An id: 64 hex digits. */
  id(name: string): string;
  /** An id that may be missing. */
  idIfAny(name: string): string | undefined;
  text(name: string): string;
  /** Micro-units. */
  amount(name: string): bigint;
  /** A Pulse. */
  pulse(name: string): bigint;
  /** True only where the field says so. */
  flag(name: string): boolean;
  /** Pairs of an account and micro-units. */
  payments(name: string): readonly (readonly [account: string, amount: bigint])[];
}

/** The fields of an event's value. @throws {TypeError} unless it is an object. */
export function eventFields(value: unknown): EventFields {
  if (typeof value !== "object" || value === null) return unlike("fields");
  const fields = value as Readonly<Record<string, unknown>>;
  return {
    id: (name) => idOf(fields[name]),
    idIfAny: (name) => fields[name] === null ? undefined : idOf(fields[name]),
    text(name) {
      const text = fields[name];
      return typeof text === "string" ? text : unlike(name);
    },
    amount: (name) => amountOf(fields[name]),
    pulse: (name) => amountOf(fields[name]),
    flag: (name) => fields[name] === true,
    payments(name) {
      const list = fields[name];
      if (!Array.isArray(list)) return unlike(name);
      return list.map((pair: unknown) =>
        Array.isArray(pair) ? [idOf(pair[0]), amountOf(pair[1])] : unlike(name)
      );
    },
  };
}

function idOf(value: unknown): string {
  return typeof value === "string" && isHex64(value) ? value : unlike("id");
}

function amountOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  return Number.isSafeInteger(value) ? BigInt(value as number) : unlike("amount");
}

function unlike(name: string): never {
  throw new TypeError(`An event has no ${name} of this form`);
}
