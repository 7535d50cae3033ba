/** Money that an agent spends under a charter. docs/protocol/ledger.md, agent_pay. */
import type { Context } from "./context.ts";
import { invalid, unauthorized, usd, violated } from "./failure.ts";
import { touched } from "./limits.ts";
import type { Charter, Level, Statement } from "./objects.ts";
import { lineOf, standingOf } from "./standing.ts";

/** What is to be spent. */
export interface Spending {
  readonly charter: string;
  readonly allotment: string;
  /** Null where it is not known yet, which a charter with a list of payees does not allow. */
  readonly payee: string | null;
  /** Micro-units of the allotment's asset. */
  readonly amount: bigint;
}

/** What was spent. */
export interface Spent {
  readonly asset: string;
  /** Whether one of the charters asks for a receipt. */
  readonly asked: boolean;
}

/**
 * Takes money from the allotment, and from the buckets of the charter and of all above it.
 * @throws {Failure} at the first of the checks of agent_pay that does not hold.
 */
export function spend(context: Context, spending: Spending): Spent {
  const { amount, payee } = spending;
  const first = context.get("charter", spending.charter);
  const agent = context.get("identity", first.agent);
  if (agent.account !== context.account) {
    unauthorized("only the charter's agent may pay under it");
  }
  const allotment = context.get("allotment", spending.allotment);
  if (allotment.charter !== spending.charter) invalid("the allotment is not one of this charter");
  const standing = standingOf(lineOf(context, first.agent));
  if (standing !== null) violated(standing);
  const charters = checkCharters(context, spending.charter, payee, amount);
  if (allotment.balance < amount) violated(`allotment holds only ${usd(allotment.balance)} USD`);
  context.put("allotment", spending.allotment, {
    ...allotment,
    balance: allotment.balance - amount,
    spent: allotment.spent + amount,
  });
  for (const { id, charter, level } of charters) {
    if (level === null) continue;
    const bucket = { ...level, level: level.level - amount };
    context.put("charter", id, { ...charter, bucket });
  }
  const asked = charters.some(({ charter }) => charter.caveats.receipts);
  return { asset: allotment.asset, asked };
}

/** Issues the claim of a payment by the acting account; its id. */
export function issueReceipt(
  context: Context,
  asset: string,
  paid: {
    readonly charter: string;
    readonly payee: string;
    readonly amount: bigint;
    readonly purpose: string;
    readonly session: string | null;
    readonly call: string | null;
  },
): string {
  const { charter, payee, amount, purpose, session, call } = paid;
  const says: Statement = {
    issuer: context.account,
    schema: "payment-receipt/v1",
    subject: {
      kind: "payment",
      body: { transaction: context.digest, charter, payee, asset, amount, purpose, session, call },
    },
    basis: { kind: "execution", body: {} },
    issued: context.pulse,
    validUntil: null,
  };
  return context.claim(says, { depth: 0, atoms: 1 });
}

interface Checked {
  readonly id: string;
  readonly charter: Charter;
  /** The bucket as it is now, before the payment. */
  readonly level: Level | null;
}

/** The charter and all above it, each of which must allow the payment. */
function checkCharters(
  context: Context,
  first: string,
  payee: string | null,
  amount: bigint,
): Checked[] {
  const checked: Checked[] = [];
  for (let id: string | null = first; id !== null;) {
    const charter: Charter = context.get("charter", id);
    const { bucket } = charter.caveats;
    const level = bucket === null || charter.bucket === null
      ? null
      : touched(bucket, charter.bucket, context.timeMs);
    const broken = brokenCaveat(context.pulse, charter, level, payee, amount);
    if (broken !== null) violated(checked.length > 0 ? `narrowed above: ${broken}` : broken);
    checked.push({ id, charter, level });
    id = charter.parent;
  }
  return checked;
}

function brokenCaveat(
  pulse: bigint,
  charter: Charter,
  level: Level | null,
  payee: string | null,
  amount: bigint,
): string | null {
  const { expires, payees, maxPayment } = charter.caveats;
  if (charter.revoked !== null) return "revoked";
  if (expires !== null && expires < pulse) return "expired";
  if (payees !== null && (payee === null || !payees.includes(payee))) return "payee not allowed";
  if (maxPayment !== null && amount > maxPayment) return "over the per-payment limit";
  if (level !== null && amount > level.level) return `bucket holds only ${usd(level.level)} USD`;
  return null;
}
