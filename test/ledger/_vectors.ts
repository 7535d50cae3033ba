/** What a vector file holds about a transaction kind: its scenario, run, as bytes and sentences. */
import { encode, toHex } from "#internal/core/mod.ts";
import type { Action, SignedUnit } from "#internal/ledger/mod.ts";
import { scenarios } from "./_scenarios.ts";
import { names } from "./_world.ts";

/** One run of a transaction. Bytes are hex; ids and digests as everywhere. */
export interface Vector {
  readonly signed_unit: string;
  readonly unit_digest: string;
  readonly transaction_digest: string;
  readonly fee: string;
  readonly intent: string;
  readonly receipt: string;
  readonly outcome: string;
  readonly events: readonly unknown[];
  readonly changed: Readonly<Record<string, string>>;
  readonly state_root: string;
  readonly receipts_root: string;
  readonly knowledge_root: string;
  readonly leaves_root: string;
}

/** The content of a kind's file. */
export interface VectorFile {
  readonly kind: string;
  readonly tag: number;
  readonly succeeds: Vector;
  readonly fails: Vector;
}

function run(kind: string, which: "succeeds" | "fails"): Vector {
  const scenario = scenarios[kind]?.();
  if (scenario === undefined) throw new Error(`No scenario for the kind ${kind}`);
  const { world, by } = scenario;
  const { ledger } = world;
  const action: Action = scenario[which];
  const signed: SignedUnit = world.unit(by, [action]);
  const intent = ledger.intent(signed, names);
  const { receipts, events, changed, roots } = world.execute([signed]);
  const [receipt] = receipts;
  if (receipt === undefined) throw new Error("No receipt");
  return {
    signed_unit: toHex(ledger.encodeSigned(signed)),
    unit_digest: ledger.unitDigest(signed.unit),
    transaction_digest: receipt.digest,
    fee: receipt.fee.toString(),
    intent,
    receipt: toHex(encode(ledger.receiptCodec, receipt)),
    outcome: ledger.outcome(receipt, signed.unit.members[0], names),
    events,
    changed: Object.fromEntries([...changed].sort().map(([id, bytes]) => [id, toHex(bytes)])),
    state_root: toHex(roots.state),
    receipts_root: toHex(roots.receipts),
    knowledge_root: toHex(roots.knowledge),
    leaves_root: toHex(roots.leaves),
  };
}

/** The vectors of a kind, made anew. */
export function vectorsOf(kind: string, tag: number): VectorFile {
  return { kind, tag, succeeds: run(kind, "succeeds"), fails: run(kind, "fails") };
}
