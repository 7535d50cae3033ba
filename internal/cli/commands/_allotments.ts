/** What of allotments the ledger would refuse for a fee, looked at before it is signed. */
import type { JsonValue } from "#internal/core/mod.ts";
import { formatUsd, shortId } from "#internal/core/mod.ts";
import type { ObjectValue } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { textOf } from "./_objects.ts";
import { agentBelow, refused, requireGoodStanding, requireInForce } from "./_standing.ts";

/** What a bucket may gain until a payment executes that is signed now. */
const BUCKET_AHEAD_MS = 60_000n;

/** What a payment is of. */
interface PaidFrom {
  readonly agent: ObjectValue;
  readonly charter: ObjectValue;
  readonly allotment: ObjectValue;
}

/** What is to be paid, in micro-USD. */
interface ToPay {
  /** As it was named. */
  readonly payee: string;
  readonly amount: bigint;
}

type Fields = { readonly [member: string]: JsonValue };

/** Refuses to add to an allotment of another charter, or that somebody else gave. */
export async function requireAddable(
  context: CommandContext,
  wallet: string,
  { id, object }: ObjectValue,
  charter: string,
): Promise<void> {
  requireOfCharter({ id, object }, charter);
  const shown = `allotment ${shortId(id)}`;
  if (await isGiver(context, wallet, object)) return;
  throw refused(`only who gave ${shown} may add to it: leave it out to make another`);
}

/** Refuses a payment that the agents' standing, a charter on the way or the allotment stops. */
export async function requirePayable(
  context: CommandContext,
  { agent, charter, allotment }: PaidFrom,
  { payee, amount }: ToPay,
): Promise<void> {
  const { signal } = context;
  const client = await context.client();
  requireOfCharter(allotment, charter.id);
  const [{ account }, { pulse }] = await Promise.all([
    client.resolve(payee, { signal }),
    client.status({ signal }),
    requireGoodStanding(context, agent),
  ]);
  for (let at: ObjectValue | undefined = charter; at !== undefined;) {
    requireInForce(at);
    const fault = caveatFault(at.object, { payee, account, amount }, pulse);
    if (fault !== undefined) throw refused(`charter ${shortId(at.id)} ${fault}`);
    const above: JsonValue | undefined = at.object["parent"];
    at = typeof above === "string" ? await client.object("charter", above, { signal }) : undefined;
  }
  const balance = numberOf(allotment.object["balance"]);
  if (amount <= balance) return;
  throw refused(
    `allotment ${shortId(allotment.id)} holds only ${formatUsd(balance)} USD: pay less`,
  );
}

function requireOfCharter(
  { id, object }: Pick<ObjectValue, "id" | "object">,
  charter: string,
): void {
  if (object["charter"] === charter) return;
  throw refused(
    `allotment ${shortId(id)} is of charter ${shortId(textOf(object["charter"]))}: give one of ` +
      `charter ${shortId(charter)}`,
  );
}

/** What a charter lets pass less than a payment, after its name; its bucket as it may be by then. */
function caveatFault(
  charter: Fields,
  { payee, account, amount }: ToPay & { readonly account: string },
  pulse: number,
): string | undefined {
  const { payees, max_payment: most, bucket, expires } = charter;
  if (typeof expires === "number" && pulse >= expires) {
    return `let payments pass until Pulse ${expires}, this is Pulse ${pulse}: another is needed`;
  }
  if (Array.isArray(payees) && !payees.includes(account)) {
    return `does not let ${payee} be paid: \`sion charter show\` lists whom it does`;
  }
  if (most !== null && amount > numberOf(most)) {
    return `lets at most ${formatUsd(numberOf(most))} USD be paid at once: pay less`;
  }
  if (bucket === null) return undefined;
  const { level, capacity, refill, period_ms } = bucket as Fields;
  const [now, full] = [numberOf(level), numberOf(capacity)];
  const soon = now + numberOf(refill) * BUCKET_AHEAD_MS / numberOf(period_ms);
  if (amount <= (soon < full ? soon : full)) return undefined;
  const remedy = amount > full ? "pay less" : "pay less, or wait";
  return `has ${formatUsd(now)} of ${formatUsd(full)} USD to spend now: ${remedy}`;
}

function numberOf(value: JsonValue | undefined): bigint {
  return BigInt(value as number | bigint);
}

/** Refuses to take more than is left, and what somebody gave above whom the wallet does not stand. */
export async function requireReclaimable(
  context: CommandContext,
  wallet: string,
  { id, object }: ObjectValue,
  amount: bigint | undefined,
): Promise<void> {
  const balance = numberOf(object["balance"]);
  const shown = `allotment ${shortId(id)}`;
  if (balance === 0n) throw refused(`${shown} is empty: there is nothing to take back`);
  if (amount !== undefined && amount > balance) {
    throw refused(`${shown} holds only ${formatUsd(balance)} USD: ask for less`);
  }
  if (await isGiver(context, wallet, object)) return;
  const { signal } = context;
  const client = await context.client();
  const charter = await client.object("charter", textOf(object["charter"]), { signal });
  await agentBelow(context, wallet, textOf(charter.object["agent"]));
}

async function isGiver(
  context: CommandContext,
  wallet: string,
  { giver }: ObjectValue["object"],
): Promise<boolean> {
  const { account } = await (await context.client()).resolve(wallet, { signal: context.signal });
  return giver === account;
}
