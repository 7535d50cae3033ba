/** Events and receipts as they are hashed. docs/protocol/ledger.md, Execution phases. */
import type { Codec, Writer } from "#internal/core/mod.ts";
import {
  encode,
  id,
  isHex64,
  list,
  struct,
  text,
  u16,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";

/** A value of an event. A text of 64 lower-case hex digits is an id. */
export type Value =
  | null
  | boolean
  | bigint
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };

const eventText = text(4096);

function writeValue(to: Writer, value: Value): void {
  if (value === null) to.u8(0);
  else if (typeof value === "boolean") to.u8(value ? 2 : 1);
  else if (typeof value === "bigint") {
    to.u8(3);
    u64.write(to, value);
  } else if (typeof value === "string") {
    to.u8(isHex64(value) ? 5 : 4);
    (isHex64(value) ? id : eventText).write(to, value);
  } else if (Array.isArray(value)) {
    to.u8(6);
    to.uleb(value.length);
    for (const item of value as readonly Value[]) writeValue(to, item);
  } else {
    to.u8(7);
    const names = Object.keys(value).sort();
    to.uleb(names.length);
    for (const name of names) {
      eventText.write(to, name);
      writeValue(to, (value as { readonly [name: string]: Value })[name] as Value);
    }
  }
}

/** Only written: nothing here reads a receipt. */
const valueCodec: Codec<Value> = {
  write: writeValue,
  read() {
    throw new TypeError("Cannot decode an event: they are only made here");
  },
};

/** How a transaction or void slot came out. */
export type Outcome =
  | { readonly kind: "success"; readonly body: Record<never, never> }
  | { readonly kind: "failed"; readonly body: string }
  | { readonly kind: "void"; readonly body: Record<never, never> };

/** What is kept of a transaction or void slot. */
export interface Receipt {
  readonly digest: string;
  readonly unit: string;
  readonly index: number;
  readonly pulse: bigint;
  readonly account: string;
  readonly sequence: bigint;
  /** The kind's tag; 0 of a void slot. */
  readonly kind: number;
  readonly outcome: Outcome;
  /** Micro-USD. */
  readonly fee: bigint;
  readonly events: readonly Value[];
  readonly made: readonly string[];
}

const receiptCodec: Codec<Receipt> = struct({
  digest: id,
  unit: id,
  index: u16,
  pulse: u64,
  account: id,
  sequence: u64,
  kind: u8,
  outcome: union({ success: [0, struct({})], failed: [1, text(512)], void: [2, struct({})] }),
  fee: u64,
  events: list(valueCodec, 128),
  made: list(id, 128),
});

/** The entry of the receipts' tree. */
export function receiptLeaf(receipt: Receipt): Uint8Array {
  return taggedHash("sion/receipt/v1", encode(receiptCodec, receipt));
}

/** The bytes of a receipt, of which {@link receiptLeaf} is the hash. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  return encode(receiptCodec, receipt);
}
