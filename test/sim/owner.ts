/** Who a unit of a run is of: a wallet, or a keyless agent that a wallet signs for. */
import { idBytes } from "#internal/core/mod.ts";
import { NO_SALT } from "#internal/ledger/mod.ts";
import { accountOf } from "../ledger/_world.ts";

/** A wallet's name, for a keyless agent with `/` and the agent's id behind it. */
export type Owner = string;

/** The wallet that signs, and the salt of the account. */
export function signingOf(owner: Owner): { readonly wallet: string; readonly salt: Uint8Array } {
  const [wallet = "", agent] = owner.split("/");
  return { wallet, salt: agent === undefined ? NO_SALT : idBytes(agent) };
}

/** An account beside a wallet's own that it signs for, so that a unit of both is under one signature. */
export function pocketOf(wallet: string): Owner {
  return `${wallet}/${"70".repeat(32)}`;
}

/** The account that acts. */
export function accountOfOwner(owner: Owner): string {
  const { wallet, salt } = signingOf(owner);
  return accountOf(wallet, salt);
}
