/** `agent_pay`: a payment by an agent, from an allotment, within every charter above. */
import { id, option, struct, text, u64 } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { invalid, unauthorized, usd, violated } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { touched } from "../limits.ts";
import type { Charter, Identity, Level, Statement } from "../objects.ts";
import { lineOf, standingOf } from "../standing.ts";

/** Micro-USD for a receipt that names the session and the call it was made for. */
const NAMED_RECEIPT_FEE = 100n;

/** docs/protocol/ledger.md, agent_pay. */
export const agentPay = defineKind({
  name: "agent_pay",
  tag: 40,
  codec: struct({
    charter: id,
    allotment: id,
    payee: id,
    amount: u64,
    purpose: text(1024),
    session: option(text(128)),
    call: option(text(128)),
  }),
  fixes: "execution",
  fault: ({ amount }) => amount === 0n ? "an amount is 0" : null,
  beyond: ({ session, call }, alone) =>
    alone && session !== null && call !== null ? NAMED_RECEIPT_FEE : 0n,
  apply(context, body) {
    const { amount, payee } = body;
    const first = context.get("charter", body.charter);
    const agent = context.get("identity", first.agent);
    if (agent.account !== context.account) {
      unauthorized("only the charter's agent may pay under it");
    }
    const allotment = context.get("allotment", body.allotment);
    if (allotment.charter !== body.charter) invalid("the allotment is not one of this charter");
    const standing = standingOf(lineOf(context, first.agent));
    if (standing !== null) violated(standing);
    const charters = checkCharters(context, body.charter, payee, amount);
    if (allotment.balance < amount) violated(`allotment holds only ${usd(allotment.balance)} USD`);
    context.put("allotment", body.allotment, {
      ...allotment,
      balance: allotment.balance - amount,
      spent: allotment.spent + amount,
    });
    for (const { id, charter, level } of charters) {
      if (level === null) continue;
      const bucket = { ...level, level: level.level - amount };
      context.put("charter", id, { ...charter, bucket });
    }
    context.credit(payee, allotment.asset, amount);
    const asked = charters.some(({ charter }) => charter.caveats.receipts);
    const receipt = asked ? issue(context, agent, allotment.asset, body) : null;
    return { AgentPaid: { amount, charter: body.charter, payee, receipt } };
  },
});

interface Checked {
  readonly id: string;
  readonly charter: Charter;
  /** The bucket as it is now, before the payment. */
  readonly level: Level | null;
}

/** The charter and all above it, each of which must allow the payment. */
function checkCharters(context: Context, first: string, payee: string, amount: bigint): Checked[] {
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
  payee: string,
  amount: bigint,
): string | null {
  const { expires, payees, maxPayment } = charter.caveats;
  if (charter.revoked !== null) return "revoked";
  if (expires !== null && expires < pulse) return "expired";
  if (payees !== null && !payees.includes(payee)) return "payee not allowed";
  if (maxPayment !== null && amount > maxPayment) return "over the per-payment limit";
  if (level !== null && amount > level.level) return `bucket holds only ${usd(level.level)} USD`;
  return null;
}

function issue(
  context: Context,
  agent: Identity,
  asset: string,
  body: {
    readonly charter: string;
    readonly payee: string;
    readonly amount: bigint;
    readonly purpose: string;
    readonly session: string | null;
    readonly call: string | null;
  },
): string {
  const { charter, payee, amount, purpose, session, call } = body;
  const says: Statement = {
    issuer: agent.account,
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
