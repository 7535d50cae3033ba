/**
 * What of bonds and claims the ledger would refuse for a fee, looked at before it is signed: whose they
 * are, and what of them is left. The ledger decides all the same; it may have changed meanwhile.
 */
import { formatUsd, shortId } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ObjectValue } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { textOf, usdOf } from "./_objects.ts";
import { refused } from "./_standing.ts";

type Fields = { readonly [member: string]: JsonValue };

/** The bond that a wallet posted under a label. @throws {SionError} `standing` when there is none */
export async function ownBond(
  context: CommandContext,
  wallet: string,
  label: string,
): Promise<ObjectValue> {
  const { signal } = context;
  const client = await context.client();
  const { account } = await client.resolve(wallet, { signal });
  const bonds = await client.objects("bond", { member: "account", equals: account }, { signal });
  const bond = bonds.find(({ object }) => object["label"] === label);
  if (bond !== undefined) return bond;
  throw refused(
    `${wallet} has no bond ${label}: \`sion bond show ${wallet}\` lists those there are`,
  );
}

/** Refuses to ask for more than is free. */
export function requireFree({ object }: ObjectValue, amount: bigint): void {
  if (amount <= BigInt(object["free"] as number | bigint)) return;
  throw refused(
    `only ${textOf(usdOf(object["free"]))} USD of bond ${textOf(object["label"])} is free: ask ` +
      "for less",
  );
}

/** Refuses to take what is not due yet, or was not asked for. */
export async function requireReleased(
  context: CommandContext,
  { object }: ObjectValue,
): Promise<void> {
  const label = textOf(object["label"]);
  const release = object["release"] as Fields | null;
  if (release === null) {
    throw refused(
      `nothing of bond ${label} is on its way out: give the amount to ask for`,
    );
  }
  const { pulse } = await (await context.client()).status({ signal: context.signal });
  const due = Number(release["due"]);
  if (pulse + 1 >= due) return;
  throw refused(
    `${textOf(usdOf(release["amount"]))} USD of bond ${label} can be taken from Pulse ${due} on, ` +
      `this is Pulse ${pulse}: wait for it`,
  );
}

/**
 * A claim that a wallet issued and that stands.
 * @param act `revoke it`
 */
export async function ownClaim(
  context: CommandContext,
  wallet: string,
  id: string,
  act: string,
): Promise<ObjectValue> {
  const { claim, account } = await standingClaim(context, wallet, id);
  const { issuer } = claim.object;
  if (issuer !== account) {
    throw refused(
      `only who issued claim ${shortId(claim.id)} may ${act}: give the wallet that did`,
    );
  }
  return claim;
}

/** Refuses to reserve more than is free behind a claim, and of one that nobody can find false. */
export async function requireReservable(
  context: CommandContext,
  { id, object }: ObjectValue,
  amount: bigint,
): Promise<void> {
  const shown = `claim ${shortId(id)}`;
  const status = textOf(object["status"]).toLowerCase();
  if (status !== "active") throw refused(`${shown} is ${status}: issue another`);
  if (object["adjudicator"] === null) {
    throw refused(`${shown} names no adjudicator, so that nobody can find it false: issue another`);
  }
  const client = await context.client();
  const { claim, reader, pulse } = await client.readClaim(id, { signal: context.signal });
  const { freeBehind } = await import("#internal/ledger/mod.ts");
  const free = freeBehind(reader, claim, pulse);
  if (amount <= free) return;
  throw refused(
    `only ${formatUsd(free)} USD of what backs ${shown} is free: reserve less, or ` +
      "`sion bond add` more",
  );
}

/** A claim that a wallet may judge. @param isFalse whether it is to be found false, not upheld */
export async function judgedClaim(
  context: CommandContext,
  wallet: string,
  id: string,
  isFalse: boolean,
): Promise<ObjectValue> {
  const { claim, account } = await standingClaim(context, wallet, id);
  const judge = claim.object["adjudicator"] as Fields | null;
  if (judge?.["account"] !== account) {
    throw refused(
      judge === null
        ? `claim ${shortId(claim.id)} names no adjudicator: nobody can judge it`
        : `only the adjudicator of claim ${shortId(claim.id)} may judge it: give the wallet ` +
          "that is",
    );
  }
  if (!isFalse && claim.object["disputed"] === null) {
    throw refused(`claim ${shortId(claim.id)} is not disputed: there is nothing to uphold`);
  }
  return claim;
}

/** A claim that something is reserved on for a wallet, which has not disputed it. */
export async function reliedOnClaim(
  context: CommandContext,
  wallet: string,
  id: string,
): Promise<ObjectValue> {
  const { signal } = context;
  const { claim, account } = await standingClaim(context, wallet, id);
  const client = await context.client();
  const bonds = await client.objects("bond", undefined, { signal });
  const own = bonds.flatMap(({ object }) => object["reservations"] as readonly Fields[])
    .filter((one) => one["claim"] === claim.id && one["account"] === account);
  if (own.length === 0) {
    throw refused(
      `nothing is reserved for ${wallet} on claim ${shortId(claim.id)}: only who relies on it ` +
        "may dispute it",
    );
  }
  if (own.every((one) => one["disputed"] === true)) {
    throw refused(
      `${wallet} disputes claim ${shortId(claim.id)} already: its adjudicator judges it`,
    );
  }
  return claim;
}

/** A claim that was neither revoked nor found false, and the account of a wallet. */
async function standingClaim(
  context: CommandContext,
  wallet: string,
  id: string,
): Promise<{ readonly claim: ObjectValue; readonly account: string }> {
  const { signal } = context;
  const client = await context.client();
  const claim = await client.object("claim", id, { signal });
  const { account } = await client.resolve(wallet, { signal });
  if (claim.object["refuted"] !== null) {
    throw refused(`claim ${shortId(claim.id)} was found false, which is for good: issue another`);
  }
  return { claim, account };
}
