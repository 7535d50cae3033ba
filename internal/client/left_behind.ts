/** Units that an earlier process signed and did not see through: finished before anything new. */
import { messageOf } from "#internal/core/mod.ts";
import type { PendingUnit } from "#internal/store/mod.ts";
import { knownNames } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { drive } from "./drive.ts";
import type { KeptUnit } from "./lane.ts";
import { isLeftBehind } from "./ownership.ts";
import { outcomeOf } from "./receipts.ts";
import type { Outcome } from "./types.ts";

/** Transactions of one unit that are told in full; of more only how many there are. */
const MAX_TOLD = 4;

/** The kept form of a unit that was read back. */
async function keptUnit(context: Context, pending: PendingUnit): Promise<KeptUnit> {
  const ledger = await context.ledger();
  const signed = ledger.decodeSigned(pending.bytes);
  return { pending, signed, digests: ledger.memberDigests(signed.unit) };
}

/**
 * Sends what was left behind in a wallet's lane again, in order, and waits for its receipts.
 * @param wanted a unit whose outcomes are the answer: they are returned and not noted.
 * @returns the wanted unit's outcomes; `undefined` when there is none or it never executes.
 */
export async function finishLeftBehind(
  context: Context,
  facts: ChainFacts,
  account: string,
  { wanted, signal }: { readonly wanted?: string; readonly signal?: AbortSignal } = {},
): Promise<readonly Outcome[] | undefined> {
  let found: readonly Outcome[] | undefined;
  const state = await context.state();
  for (const pending of state.pending({ chain: facts.chain, account })) {
    if (!isLeftBehind(context, pending)) continue;
    try {
      const isWanted = pending.unit === wanted;
      const outcomes = await finish(context, facts, pending, signal, isWanted);
      if (isWanted) found = outcomes;
    } catch (error) {
      signal?.throwIfAborted();
      // What is not known stays kept: then nothing new may be signed before it.
      if (state.pending(pending).some(({ unit }) => unit === pending.unit)) throw error;
      context.note(messageOf(error));
    }
  }
  return found;
}

/** Takes one kept unit to its outcomes, saying so. @param silent the caller tells the outcomes. */
export async function finish(
  context: Context,
  facts: ChainFacts,
  pending: PendingUnit,
  signal?: AbortSignal,
  silent = false,
): Promise<readonly Outcome[]> {
  // Taken at once: another call of this process must not finish it too.
  context.work.units.add(pending.unit);
  const ledger = await context.ledger();
  const kept = await keptUnit(context, pending);
  const names = await knownNames(context, facts);
  const many = pending.members > MAX_TOLD;
  const what = many
    ? `${pending.members} unfinished transactions of ${pending.wallet} in one batch, sent again`
    : `unfinished transaction of ${pending.wallet}, sent again: ` +
      ledger.intent(kept.signed, names);
  context.note(what);
  const receipts = await drive(context, kept, signal);
  const outcomes = receipts.map((view) => outcomeOf(ledger, view, kept.signed, names));
  if (silent) return outcomes;
  const failed = outcomes.filter(({ status }) => status !== "Success");
  if (many) {
    const { pulse } = outcomes[0] as Outcome;
    context.note(`Pulse ${pulse}: ${outcomes.length - failed.length} of them were done`);
  }
  for (const { pulse, receipt } of many ? failed : outcomes) {
    context.note(`Pulse ${pulse}: ${receipt}`);
  }
  return outcomes;
}
