/** From the node's view of a receipt to what people and programs are shown. */
import type { JsonValue } from "#internal/core/mod.ts";
import { formatUsd } from "#internal/core/mod.ts";
import type {
  EventValue,
  Ledger,
  LedgerEventBody,
  Receipt,
  SignedUnit,
  TxOutcome,
} from "#internal/ledger/mod.ts";
import type { ReceiptView } from "#internal/rpc/mod.ts";
import type { Outcome } from "./types.ts";

/** The ledger's form of a receipt that came as JSON. */
export function receiptOfView(view: ReceiptView): Receipt {
  return {
    digest: view.digest as string,
    unit: view.unit,
    index: view.index,
    pulse: BigInt(view.pulse),
    account: view.account as string,
    sequence: view.sequence,
    kind: view.kind,
    outcome: outcomeOfView(view),
    fee: view.fee,
    events: view.events.map((event) => eventValue(event) as LedgerEventBody),
    made: view.made as readonly string[],
  };
}

/**
 * The outcome of a transaction, with its sentence.
 * @param signed the unit it is a member of; without it the sentence says less.
 */
export function outcomeOf(
  ledger: Ledger,
  view: ReceiptView,
  signed: SignedUnit | undefined,
  names: (id: string) => string | undefined,
): Outcome {
  return {
    digest: view.digest as string,
    fee: formatUsd(view.fee),
    pulse: view.pulse,
    receipt: ledger.outcome(receiptOfView(view), signed?.unit.members[view.index], names),
    status: view.outcome.kind === "success"
      ? "Success"
      : { Failed: view.outcome.reason ?? view.outcome.kind },
    events: view.events as readonly JsonValue[],
    made: view.made as readonly string[],
  };
}

function outcomeOfView({ outcome }: ReceiptView): TxOutcome {
  return outcome.kind === "failed"
    ? { kind: "failed", reason: outcome.reason ?? "" }
    : { kind: outcome.kind };
}

/** JSON has one kind of number; in the ledger's events every number is an integer. */
function eventValue(value: unknown): EventValue {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(eventValue);
  if (value !== null && typeof value === "object") {
    const fields = Object.entries(value).map(([name, field]) => [name, eventValue(field)] as const);
    return Object.fromEntries(fields);
  }
  return value as EventValue;
}
