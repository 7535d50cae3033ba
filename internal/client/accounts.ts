/** Accounts that people name, and names for accounts that sentences show. */
import { accountFault, closest, isHex64, isWalletName, shortId } from "#internal/core/mod.ts";
import type { MethodResult } from "#internal/rpc/mod.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badAccount, walletUnknown } from "./errors.ts";
import { GENESIS_NAMES } from "./genesis_names.ts";
import type { Signer } from "./keys.ts";
import { fileScheme } from "./keys.ts";
import type { ResolvedAccount } from "./types.ts";

/** The node's view of an account. */
export type AccountView = MethodResult<"account">;

/**
 * The account of a wallet name or of 64 hex digits.
 * @param sending whether the sentence says that nothing was sent.
 * @throws {SionError} `payee`, `wallet-unknown`
 */
export async function accountNamed(
  context: Context,
  facts: ChainFacts,
  text: string,
  sending: boolean,
): Promise<{ account: string; name?: string }> {
  if (isHex64(text)) {
    const name = (await knownNames(context, facts))(text);
    return { account: text, ...(name === undefined ? {} : { name }) };
  }
  if (!isWalletName(text)) throw badAccount(text, sending);
  const account = await context.keys.account(facts, text);
  if (account === undefined) throw walletUnknown(text, await meantWallet(context, text));
  return { account, name: text };
}

/** As `accountNamed`, with whether the ledger has it. */
export async function resolveAccount(
  context: Context,
  facts: ChainFacts,
  text: string,
  signal?: AbortSignal,
): Promise<ResolvedAccount> {
  const named = await accountNamed(context, facts, text, true);
  const { exists } = await context.rpc.account({ account: named.account }, withSignal(signal));
  return { ...named, seen: exists };
}

/**
 * Who is to get or to do something; notes when the ledger has never seen it, since a mistyped name is an
 * account too.
 * @param otherwise what comes of it all the same: `paying makes the account`
 * @throws {SionError} `payee`, `wallet-unknown`
 */
export async function whoIsMeant(
  context: Context,
  facts: ChainFacts,
  text: string,
  otherwise: string,
  signal?: AbortSignal,
): Promise<ResolvedAccount> {
  const found = await resolveAccount(context, facts, text, signal);
  if (!found.seen) {
    const meant = isHex64(text) ? undefined : await meantName(context, facts, text);
    const near = meant === undefined ? "" : `, did you mean ${meant}`;
    const shown = found.name ?? shortId(found.account);
    context.note(`the ledger has never seen ${shown}: ${otherwise}${near}`);
  }
  return found;
}

/** The account of {@link whoIsMeant}. */
export async function accountMeant(
  ...asked: Parameters<typeof whoIsMeant>
): Promise<string> {
  return (await whoIsMeant(...asked)).account;
}

/** The signer of a wallet name. @throws {SionError} `wallet-unknown`, `file-exposed` */
export async function signerNamed(
  context: Context,
  facts: ChainFacts,
  wallet: string,
): Promise<Signer> {
  if (accountFault(wallet) !== undefined) throw badAccount(wallet, true);
  const signer = await context.keys.signer(facts, wallet);
  if (signer === undefined) throw walletUnknown(wallet, await meantWallet(context, wallet));
  return signer;
}

/** The wallet with a file whose name is near to a mistyped one. */
async function meantWallet(context: Context, text: string): Promise<string | undefined> {
  return closest(text, await (await context.wallets()).list());
}

/** As `meantWallet`, among the names that a devnet knows too. */
export async function meantName(
  context: Context,
  facts: ChainFacts,
  text: string,
): Promise<string | undefined> {
  const book = await context.state();
  const names = [
    ...await (await context.wallets()).list(),
    ...(facts.devnet ? GENESIS_NAMES : []),
    ...book.names(facts.scheme).values(),
  ];
  return closest(text, names.filter((name) => name !== text));
}

/**
 * The names of accounts as this machine knows them: wallets with a file, and on a devnet every name
 * that was used here and those of its genesis.
 */
export async function knownNames(
  context: Context,
  facts: ChainFacts,
): Promise<(id: string) => string | undefined> {
  const book = await context.state();
  const names = facts.devnet ? book.names(facts.scheme) : new Map<string, string>();
  if (facts.devnet) {
    for (const name of GENESIS_NAMES) {
      names.set(await context.keys.devnetAccount(facts.scheme, name), name);
    }
  }
  const files = book.names(fileScheme(facts.scheme));
  return (id) => files.get(id) ?? names.get(id);
}
