/**
 * A devnet's folder with many accounts, made once: each measurement starts from a copy, so that units
 * signed for its chain fit every one of them.
 */
import { cpSync } from "node:fs";
import { openClient } from "#internal/client/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { MAX_MEMBERS, USD } from "#internal/ledger/mod.ts";
import type { Devnet, Place } from "../_sion.ts";
import { startDevnet } from "../_sion.ts";
import { progress } from "./_bench.ts";
import { WALLETS } from "./_limit.ts";

/** Outputs of one payment: the most that the ledger takes. */
const OUTPUTS = 64;
/** Micro-USD that a wallet which pays starts with, and any other account. */
const FUNDED = 20_000_000n;
const DUST = 1_000n;

/** A folder to start from. */
export type Chain = {
  readonly folder: string;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Every account that was paid, wallets first. */
  readonly accounts: readonly string[];
};

/** How a chain is to begin. */
export type ChainPlan = {
  /** Where the folder is made. */
  readonly folder: string;
  /** Devnet wallets that get money to pay with. */
  readonly wallets: readonly string[];
  /** Accounts in all. */
  readonly accounts: number;
};

/** Makes the folder: real payments of the wallets that every devnet has make the accounts. */
export async function makeChain(place: Place, plan: ChainPlan): Promise<Chain> {
  progress(`a chain of ${plan.accounts} accounts`);
  await using devnet = await startDevnet(place, "--dir", plan.folder);
  using client = openClient({ node: devnet.node, home: place.home, env: {} });
  const accounts: string[] = [];
  for (const wallet of plan.wallets) accounts.push((await client.wallets.show(wallet)).account);
  while (accounts.length < plan.accounts) {
    accounts.push(toHex(sha256(utf8(`account ${accounts.length}`))));
  }
  const outputs = accounts.map((account, at) =>
    [account, at < plan.wallets.length ? FUNDED : DUST] as const
  );
  const units = inGroups(inGroups(outputs, OUTPUTS), MAX_MEMBERS);
  await Promise.all(WALLETS.map(async (wallet, at) => {
    for (const unit of units.filter((_, index) => index % WALLETS.length === at)) {
      const actions = unit.map((paid) => ({ kind: "pay", body: { asset: USD, outputs: paid } }));
      const outcomes = await client.transact({ wallet, actions, batch: true });
      const failed = outcomes.find(({ status }) => status !== "Success");
      if (failed !== undefined) throw new Error(`accounts were not paid: ${failed.receipt}`);
    }
  }));
  return { folder: plan.folder, chain: devnet.chain, accounts };
}

/** A devnet that goes on from a copy of the chain. */
export async function startCopy(
  place: Place,
  { folder }: Chain,
  copy: string,
): Promise<Devnet & { readonly folder: string }> {
  cpSync(folder, copy, { recursive: true });
  return Object.assign(await startDevnet(place, "--dir", copy), { folder: copy });
}

function inGroups<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from(
    { length: Math.ceil(items.length / size) },
    (_, at) => items.slice(at * size, (at + 1) * size),
  );
}

/** The names of a devnet's wallets for one load. */
export function walletNames(load: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${load}-${at}`);
}
