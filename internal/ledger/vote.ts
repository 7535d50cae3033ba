/**
 * Whether a validator can vote for a unit: everything that the state decides, down to the money. A
 * refusal costs nothing. Locks, stops and which slots have certified predecessors are consensus'.
 */
import { formatUsd, MAX_VALIDITY_PULSES, shortId } from "#internal/core/mod.ts";
import { unitFees } from "./fees.ts";
import type { RefusalCode, SpendKey, Votable, VoteContext } from "./ledger.ts";
import type { Account } from "./objects/account.ts";
import { balanceOf, EMPTY_ACCOUNT } from "./objects/account.ts";
import { USD } from "./objects/asset.ts";
import type { Kinds } from "./registry.ts";
import { kindNamed } from "./registry.ts";
import type { LedgerState } from "./state.ts";
import type { SignedUnit } from "./unit.ts";
import { authorizationFault, unitFault } from "./unit_codec.ts";

const refused = (code: RefusalCode, reason: string): Votable => ({ ok: false, code, reason });

/** See `Ledger.checkForVote`. */
export function checkUnitForVote(
  kinds: Kinds,
  state: LedgerState,
  signed: SignedUnit,
  context: VoteContext,
): Votable {
  const { unit, authorization } = signed;
  if (unit.chain !== context.chain) {
    return refused("chain", `it is for the chain ${shortId(unit.chain)}, not this one`);
  }
  const shape = unitFault(kinds.tx, unit);
  if (shape !== undefined) return refused("shape", shape);
  const fault = authorizationFault(authorization, unit.members.length);
  if (fault !== undefined) return refused("authorization", fault);
  if (unit.validUntil <= context.head) {
    return refused("expired", `it was valid until Pulse ${unit.validUntil}`);
  }
  if (unit.validUntil > context.head + MAX_VALIDITY_PULSES) {
    return refused("far", `it is valid for more than ${MAX_VALIDITY_PULSES} Pulses ahead`);
  }
  const accounts = new Map<string, Account>();
  for (const { account } of unit.members) {
    if (!accounts.has(account)) accounts.set(account, state.account(account) ?? EMPTY_ACCOUNT);
  }
  return slotFault(accounts, signed) ?? feeFault(kinds, signed) ??
    checkMoney(kinds, accounts, signed, context);
}

/** The accounts of a unit's members. */
type Accounts = ReadonlyMap<string, Account>;

function slotFault(accounts: Accounts, { unit }: SignedUnit): Votable | undefined {
  for (const { account, sequence } of unit.members) {
    const next = accounts.get(account)?.sequence ?? 0n;
    if (sequence < next) {
      return refused("slot", `slot ${sequence} of ${shortId(account)} is used, ${next} is next`);
    }
  }
  return undefined;
}

function feeFault(kinds: Kinds, signed: SignedUnit): Votable | undefined {
  const total = unitFees(kinds.tx, signed)
    .reduce((sum, { floor, beyond }) => sum + floor + beyond, 0n);
  const { maxFee } = signed.unit;
  if (maxFee >= total) return undefined;
  return refused("fee", `its fee is ${formatUsd(total)} USD, it allows ${formatUsd(maxFee)} USD`);
}

/** The most the unit can take, by whose money it is. */
function spendOf(kinds: Kinds, signed: SignedUnit): ReadonlyMap<SpendKey, bigint> {
  const spend = new Map<SpendKey, bigint>();
  const add = (key: SpendKey, amount: bigint) => spend.set(key, (spend.get(key) ?? 0n) + amount);
  for (const [at, { floor, beyond }] of unitFees(kinds.tx, signed).entries()) {
    const member = signed.unit.members[at];
    if (member === undefined) continue;
    add(member.account, floor + beyond);
    const bound = kindNamed(kinds.tx, member.kind).spendBound?.(member.body);
    if (bound !== undefined) add(spendKey(member.account, bound.asset), bound.amount);
  }
  return spend;
}

function spendKey(account: string, asset: string): SpendKey {
  return asset === USD ? account : `${account}/${asset}`;
}

function checkMoney(
  kinds: Kinds,
  accounts: Accounts,
  signed: SignedUnit,
  context: VoteContext,
): Votable {
  const spend = spendOf(kinds, signed);
  for (const [key, amount] of spend) {
    const [account = key, asset = USD] = key.split("/");
    const balance = balanceOf(accounts.get(account) ?? EMPTY_ACCOUNT, asset);
    const reserved = context.reservedOf(key);
    if (balance - reserved < amount) {
      const pending = reserved > 0n ? ` of which ${formatUsd(reserved)} are promised already` : "";
      return refused(
        "balance",
        `the balance of ${shortId(account)} is ${formatUsd(balance)} USD${pending}, ` +
          `${formatUsd(amount)} USD are needed with the fee`,
      );
    }
  }
  return { ok: true, spend };
}
