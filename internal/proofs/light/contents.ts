/** What a Pulse published and what its receipts are, compared with each other and the header. */
import type { Digest } from "#internal/core/mod.ts";
import { decode, equalBytes, SionError } from "#internal/core/mod.ts";
import type { Ledger, Receipt } from "#internal/ledger/mod.ts";
import { receiptLeaf, VOID_KIND, voidDigest } from "#internal/ledger/mod.ts";
import { DataSquare, logRoot } from "#internal/merkle/mod.ts";
import type { Header } from "../header.ts";
import { MAX_PULSE_DATA_BYTES, orderedOf, pulseDataCodec, pulseDataFault } from "../pulse_data.ts";
import type { Committee } from "../validator_set.ts";
import type { WorldOrdered } from "../world/world_input.ts";
import type { Lockable } from "./lane_locks.ts";
import { notServed } from "./source.ts";

/** Published data that is under its header's root, and what follows from it. */
export interface Published {
  readonly bytes: number;
  readonly ordered: readonly WorldOrdered[];
  /** The same with what each entry is locked by. */
  readonly executed: readonly Lockable[];
  /** Digests of transactions and void slots, in certified order. */
  readonly digests: readonly Digest[];
}

/** What data is judged by. */
export interface DataContext {
  readonly header: Header;
  /** The header of the Pulse before. */
  readonly before: Header;
  readonly committee: Committee;
  readonly ledger: Ledger;
}

/**
 * The published data, once it is found to be under the data root and to give the header's anchors,
 * time and beacon.
 * @throws {SionError} `not-served`, `codec`
 */
export function readPublished(bytes: Uint8Array, context: DataContext): Published {
  const { header, before, committee, ledger } = context;
  if (bytes.length > MAX_PULSE_DATA_BYTES) throw notServed("the published data is too large");
  if (!equalBytes(DataSquare.of(bytes).root(header.chain), header.dataRoot)) {
    throw notServed("the published data does not encode to the certified data root");
  }
  const data = decode(pulseDataCodec, bytes);
  const fault = pulseDataFault(data, header, before, committee);
  if (fault !== undefined) throw notServed(`the published data is not the header's: ${fault}`);
  const ordered = orderedOf(data);
  if (ordered === undefined) throw notServed("the published data has no order");
  const executed = ordered.map((entry) => lockableOf(entry, ledger));
  const digests = executed.flatMap((entry, i): readonly Digest[] => {
    const item = ordered[i] as WorldOrdered;
    if (entry.type === "unit") return ledger.memberDigests(entry.unit);
    return item.type === "void" ? [voidDigest(item.account, item.sequence)] : [];
  });
  return { bytes: bytes.length, ordered, executed, digests };
}

function lockableOf(entry: WorldOrdered, ledger: Ledger): Lockable {
  if (entry.type === "void") {
    return { type: "void", slots: [{ account: entry.account, sequence: entry.sequence }] };
  }
  const { unit } = ledger.decodeSigned(entry.bytes);
  const digest = ledger.unitDigest(unit);
  return { type: "unit", unit, digest, slots: ledger.slots(unit), forced: entry.forced };
}

/**
 * The receipts of a Pulse, once they are found to be all under the receipts root.
 * @throws {SionError} `not-served`, `codec`
 */
export function readReceipts(
  receipts: readonly Uint8Array[],
  header: Header,
  ledger: Ledger,
): readonly Receipt[] {
  if (!equalBytes(logRoot(receipts.map(receiptLeaf)), header.receiptsRoot)) {
    throw notServed("the receipts are not those under the receipts root");
  }
  return receipts.map((bytes) => decode(ledger.receiptCodec, bytes));
}

/** Where the receipts differ from the order that was published. */
export function orderFault(
  receipts: readonly Receipt[],
  { digests }: Published,
  header: Header,
): string | undefined {
  if (receipts.length !== digests.length) {
    return `there are ${receipts.length} receipts for ${digests.length} transactions and slots`;
  }
  const at = receipts.findIndex(({ digest }, i) => digest !== digests[i]);
  if (at >= 0) return `receipt ${at} is not that of the certified order`;
  const other = receipts.find(({ pulse }) => pulse !== header.number);
  return other === undefined ? undefined : `a receipt is of Pulse ${other.pulse}`;
}

/** How many of the receipts are of transactions, and how many of settled slots. */
export function countReceipts(
  receipts: readonly Receipt[],
): { transactions: number; void: number } {
  const settled = receipts.filter(({ kind }) => kind === VOID_KIND).length;
  return { transactions: receipts.length - settled, void: settled };
}

/** The reason of a failed check; anything that is no verdict on the node is thrown on. */
export function reasonOf(thrown: unknown): string {
  if (isNotShown(thrown)) return thrown.message;
  throw thrown;
}

/** Whether a node does not serve something, or what it serves cannot be read. */
export function isNotShown(thrown: unknown): thrown is SionError {
  return thrown instanceof SionError && (thrown.code === "not-served" || thrown.code === "codec");
}
