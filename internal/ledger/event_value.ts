/**
 * What an event says: data with one canonical encoding, so that receipts are hashed without JSON.
 * A text of 64 lower-case hex digits is an id and is written as 32 bytes.
 */
import type { Codec, Reader, Writer } from "#internal/core/mod.ts";
import { isHex64, text, toHex } from "#internal/core/mod.ts";
import { undecodable } from "./errors.ts";

/** Data of an event. Integers are unsigned 64-bit `bigint`s; ids and hashes are 64 hex digits. */
export type EventValue =
  | null
  | boolean
  | bigint
  | string
  | readonly EventValue[]
  | { readonly [field: string]: EventValue };

/** One event: an object with one key, the event's name, which holds its fields. */
export type LedgerEventBody = { readonly [name: string]: EventValue };

const TEXT_BYTES = 4096;
const MAX_ITEMS = 1024;
const MAX_DEPTH = 8;
const TAG = { null: 0, false: 1, true: 2, integer: 3, text: 4, id: 5, list: 6, fields: 7 } as const;

const textCodec = text(TEXT_BYTES);

/** The encoding of an event's data: a tag byte, then the value; fields in ascending order of names. */
export const eventValueCodec: Codec<EventValue> = {
  write: (to, value) => write(to, value, 0),
  read: (from) => read(from, 0),
};

function write(to: Writer, value: EventValue, depth: number): void {
  if (depth > MAX_DEPTH) throw new TypeError("Cannot encode event: it is nested too deeply");
  if (value === null) return to.u8(TAG.null);
  if (typeof value === "boolean") return to.u8(value ? TAG.true : TAG.false);
  if (typeof value === "bigint") {
    if (value < 0n || value > 0xffff_ffff_ffff_ffffn) {
      throw new TypeError(`Cannot encode event: ${value} is no 64-bit unsigned integer`);
    }
    to.u8(TAG.integer);
    return to.u64(value);
  }
  if (typeof value === "string") return writeText(to, value);
  if (isList(value)) {
    to.u8(TAG.list);
    writeCount(to, value.length);
    for (const item of value) write(to, item, depth + 1);
    return;
  }
  const names = Object.keys(value);
  if (!isAscending(names)) names.sort();
  to.u8(TAG.fields);
  writeCount(to, names.length);
  for (const name of names) {
    textCodec.write(to, name);
    write(to, value[name] as EventValue, depth + 1);
  }
}

/** Kinds write the fields of most events in their order. */
function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] as string) > (names[i] as string)) return false;
  }
  return true;
}

function isList(value: object): value is readonly EventValue[] {
  return Array.isArray(value);
}

function writeText(to: Writer, value: string): void {
  if (value.length === 64 && isHex64(value)) {
    to.u8(TAG.id);
    to.hex(value);
  } else {
    to.u8(TAG.text);
    textCodec.write(to, value);
  }
}

function writeCount(to: Writer, count: number): void {
  if (count > MAX_ITEMS) throw new TypeError(`Cannot encode event: more than ${MAX_ITEMS} items`);
  to.uleb(count);
}

function read(from: Reader, depth: number): EventValue {
  if (depth > MAX_DEPTH) undecodable("an event is nested too deeply");
  const tag = from.u8();
  switch (tag) {
    case TAG.null:
      return null;
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.integer:
      return from.u64();
    case TAG.text: {
      const value = textCodec.read(from);
      return isHex64(value) ? undecodable("an event's id is written as text") : value;
    }
    case TAG.id:
      return toHex(from.raw(32));
    case TAG.list:
      return Array.from({ length: readCount(from) }, () => read(from, depth + 1));
    case TAG.fields:
      return readFields(from, depth);
    default:
      return undecodable(`${tag} is no tag of an event`);
  }
}

function readCount(from: Reader): number {
  const count = from.uleb();
  return count > MAX_ITEMS
    ? undecodable(`an event has ${count} items where at most ${MAX_ITEMS} are allowed`)
    : count;
}

function readFields(from: Reader, depth: number): EventValue {
  const out: Record<string, EventValue> = {};
  let previous: string | undefined;
  for (let left = readCount(from); left > 0; left--) {
    const name = textCodec.read(from);
    if (previous !== undefined && previous >= name) {
      undecodable("an event's fields are not in order");
    }
    // A plain object would take this name as its prototype.
    if (name === "__proto__") undecodable("an event's field has a forbidden name");
    previous = name;
    out[name] = read(from, depth + 1);
  }
  return out;
}
