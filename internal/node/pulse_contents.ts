/**
 * What a store keeps of an executed Pulse besides its header: receipts, the units they are of, and
 * events. Signatures are left out: blocks and published data have them, and they would be most of
 * the bytes. Events of transactions are in their receipts; only the system's are kept apart.
 */
import type { Codec, JsonValue } from "#internal/core/mod.ts";
import {
  byteString,
  decode,
  encode,
  list,
  MAX_SIGNED_UNIT_BYTES,
  parseJson,
  stringifyJson,
  struct,
  text,
  toHex,
  u32,
} from "#internal/core/mod.ts";
import type { PulseEffect } from "#internal/consensus/mod.ts";
import type { Ledger, LedgerEvent, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import type { EventView, ReceiptView } from "#internal/rpc/mod.ts";

/** Bound of one system event as JSON. */
const MAX_EVENT_BYTES = 1 << 16;

/** An executed Pulse as it is asked about. */
export interface PulseContents {
  readonly number: number;
  readonly receipts: readonly Receipt[];
  /** The signed unit of each receipt with empty signatures, canonical bytes; void slots have none. */
  readonly unitOf: (receipt: number) => Uint8Array | undefined;
  /** In the order of execution. */
  readonly events: readonly EventView[];
}

interface Kept {
  readonly receipts: readonly Receipt[];
  readonly units: readonly Uint8Array[];
  /** For each receipt the place of its unit in `units` plus one; 0 for none. */
  readonly unitOf: readonly number[];
  /** Events without a transaction, as JSON, each behind so many that have one. */
  readonly system: readonly { readonly after: number; readonly event: string }[];
}

/** @param receipt how a receipt is written */
function keptCodec<R>(
  receipt: Codec<R>,
): Codec<Omit<Kept, "receipts"> & { readonly receipts: readonly R[] }> {
  return struct({
    receipts: list(receipt),
    units: list(byteString(MAX_SIGNED_UNIT_BYTES)),
    unitOf: list(u32),
    system: list(struct({ after: u32, event: text(MAX_EVENT_BYTES) })),
  });
}

/** What is kept, of which the receipts are encoded already: their root is over these bytes. */
const encodedCodec = keptCodec<Uint8Array>({
  write: (to, encoded) => to.raw(encoded),
  read: () => {
    throw new TypeError("Cannot decode a receipt without its ledger");
  },
});

/** What is kept of an executed Pulse: as it is asked about, and its bytes for the store. */
export function contentsOf(
  ledger: Ledger,
  effect: PulseEffect,
): { readonly contents: PulseContents; readonly bytes: Uint8Array } {
  const places = new Map<string, number>();
  const units: Uint8Array[] = [];
  for (const [digest, signed] of effect.units) {
    units.push(ledger.encodeSigned(withoutSignatures(signed)));
    places.set(digest, units.length);
  }
  const kept: Kept = {
    receipts: effect.receipts,
    units,
    unitOf: effect.receipts.map(({ unit }) => places.get(unit) ?? 0),
    system: systemEvents(effect.events),
  };
  const bytes = encode(encodedCodec, { ...kept, receipts: effect.receiptBytes });
  return { contents: shown(effect.number, kept), bytes };
}

/** What was kept of a Pulse. @throws {SionError} `codec` when the bytes are not what was kept. */
export function decodeContents(ledger: Ledger, number: number, bytes: Uint8Array): PulseContents {
  return shown(number, decode(keptCodec(ledger.receiptCodec), bytes));
}

function shown(number: number, kept: Kept): PulseContents {
  let events: readonly EventView[] | undefined;
  return {
    number,
    receipts: kept.receipts,
    unitOf: (receipt) => kept.units[(kept.unitOf[receipt] ?? 0) - 1],
    // Nobody asks for those of most Pulses.
    get events() {
      return events ??= allEvents(number, kept);
    },
  };
}

/** The unit with every signature empty: it says who was to sign and what, and proves nothing. */
function withoutSignatures(signed: SignedUnit): SignedUnit {
  const { authorization } = signed;
  return {
    unit: signed.unit,
    authorization: {
      ...authorization,
      signatures: authorization.signatures.map(({ key }) => ({ key, signature: new Uint8Array() })),
    },
  };
}

function systemEvents(events: readonly LedgerEvent[]): Kept["system"] {
  const system: { after: number; event: string }[] = [];
  let after = 0;
  for (const { tx, event } of events) {
    if (tx === null) system.push({ after, event: stringifyJson(event) });
    else after++;
  }
  return system;
}

function allEvents(pulse: number, kept: Kept): EventView[] {
  const events: EventView[] = [];
  let next = 0;
  let seen = 0;
  const takeSystem = (): void => {
    for (; kept.system[next]?.after === seen; next++) {
      events.push({ event: parseJson(kept.system[next]?.event as string), pulse, tx: null });
    }
  };
  takeSystem();
  for (const receipt of kept.receipts) {
    for (const event of receipt.events) {
      events.push({ event: event as JsonValue, pulse, tx: receipt.digest });
      seen++;
      takeSystem();
    }
  }
  return events;
}

/** A receipt as the contract has it. */
export function receiptView(receipt: Receipt): ReceiptView {
  const { outcome } = receipt;
  return {
    account: receipt.account,
    digest: receipt.digest,
    events: receipt.events,
    fee: receipt.fee,
    index: receipt.index,
    kind: receipt.kind,
    made: receipt.made,
    outcome: outcome.kind === "failed"
      ? { kind: "failed", reason: outcome.reason }
      : { kind: outcome.kind },
    pulse: Number(receipt.pulse),
    sequence: receipt.sequence,
    unit: receipt.unit,
  };
}

/** Hex of bytes that may be missing. */
export function hexIfThere(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : toHex(bytes);
}
