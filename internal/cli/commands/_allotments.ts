/** What of allotments the ledger would refuse for a fee, looked at before it is signed. */
import { formatUsd, shortId } from "#internal/core/mod.ts";
import type { ObjectValue } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { textOf } from "./_objects.ts";
import { agentBelow, refused } from "./_standing.ts";

/** Refuses to add to an allotment of another charter, or that somebody else gave. */
export async function requireAddable(
  context: CommandContext,
  wallet: string,
  { id, object }: ObjectValue,
  charter: string,
): Promise<void> {
  const shown = `allotment ${shortId(id)}`;
  if (object["charter"] !== charter) {
    throw refused(
      `${shown} is of charter ${shortId(textOf(object["charter"]))}: give one of charter ` +
        shortId(charter),
    );
  }
  if (await isGiver(context, wallet, object)) return;
  throw refused(`only who gave ${shown} may add to it: leave it out to make another`);
}

/** Refuses to take more than is left, and what somebody gave above whom the wallet does not stand. */
export async function requireReclaimable(
  context: CommandContext,
  wallet: string,
  { id, object }: ObjectValue,
  amount: bigint | undefined,
): Promise<void> {
  const balance = BigInt(object["balance"] as number | bigint);
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
