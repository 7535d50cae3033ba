/** The options that say what a charter allows, and the ledger's form of them. */
import { formatUsd } from "#internal/core/mod.ts";
import { list, toggle, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";
import type { Span } from "../readers.ts";
import { account, refill, span, spanNote, usd } from "../readers.ts";

/** As `charter create` and `charter narrow` take them. */
export const caveatFlags = {
  payee: list(account, "who may be paid: a wallet name or an account; without it anyone"),
  maxPayment: value(usd, "the most of one payment"),
  bucket: value(usd, "the most that can be spent at once"),
  refill: value(refill, "what the bucket gets back, like 10/day or 0.5/12h", {
    default: "nothing",
  }),
  expires: value(span, "how long it holds: Pulses, or a time like 30d, longer if idle"),
  receipts: toggle("a receipt claim of every payment"),
} as const;

/** The values of these options. */
export interface CaveatValues {
  readonly payee: readonly string[];
  readonly maxPayment: bigint | undefined;
  readonly bucket: bigint | undefined;
  readonly refill: { readonly amount: bigint; readonly periodMs: bigint } | undefined;
  readonly expires: Span | undefined;
  readonly receipts: boolean;
}

/** What to say of limits of which one can never be reached. */
export function limitNotes(
  maxPayment: bigint | undefined,
  bucket: bigint | undefined,
): readonly string[] {
  if (maxPayment === undefined || bucket === undefined || maxPayment <= bucket) return [];
  return [
    `--max-payment ${formatUsd(maxPayment)} never bites: there is never more than ` +
    `${formatUsd(bucket)} USD to pay at once`,
  ];
}

/** What the ledger wants as the period of a bucket that never refills. */
const NO_REFILL = { amount: 0n, periodMs: 86_400_000n };

/** The body's `caveats`. Names are resolved; times count from the newest Pulse. */
export async function caveatsOf(
  context: CommandContext,
  values: CaveatValues,
): Promise<object> {
  const { signal, output } = context;
  const client = await context.client();
  if (values.refill !== undefined && values.bucket === undefined) {
    throw usageError("--refill needs --bucket: say how much can be spent at once");
  }
  limitNotes(values.maxPayment, values.bucket).forEach(output.note);
  const payees: string[] = [];
  for (const payee of values.payee) {
    payees.push((await client.resolve(payee, { signal })).account);
  }
  const { amount, periodMs } = values.refill ?? NO_REFILL;
  if (values.expires !== undefined) spanNote("--expires", values.expires).forEach(output.note);
  const { pulse } = await client.status({ signal });
  return {
    payees: payees.length === 0 ? null : [...new Set(payees)].sort(),
    maxPayment: values.maxPayment ?? null,
    bucket: values.bucket === undefined
      ? null
      : { capacity: values.bucket, refill: amount, periodMs },
    expires: values.expires === undefined ? null : BigInt(pulse + values.expires.pulses),
    receipts: values.receipts,
  };
}
