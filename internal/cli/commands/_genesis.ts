/** What the commands that make a network's beginning share. */
import { accountFault, closest, isHex64 } from "#internal/core/mod.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";

/**
 * The account that a text names: 64 hex digits, a wallet kept here, or on a devnet any name.
 * @throws {SionError} `usage`
 */
export async function genesisAccount(
  context: Pick<CommandContext, "client">,
  text: string,
  chain: { readonly devnet: boolean; readonly insecure: boolean },
): Promise<string> {
  if (isHex64(text)) return text;
  const fault = accountFault(text);
  if (fault !== undefined) throw usageError(`${fault}: give all of them`);
  const isOpen = chain.devnet && chain.insecure;
  const wallets = isOpen ? [] : await (await context.client()).wallets.list();
  const kept = wallets.find(({ name }) => name === text);
  if (kept !== undefined && !chain.insecure) return kept.account;
  if (kept !== undefined && !chain.devnet) {
    throw usageError(
      `the wallet ${text} signs for real, which --insecure-signatures cannot check: leave that out, ` +
        "or give an account's 64 hex digits",
    );
  }
  if (chain.devnet) {
    const { devnetAccount } = await import("#internal/node/mod.ts");
    return await devnetAccount(text, chain.insecure);
  }
  const meant = closest(text, wallets.map(({ name }) => name));
  throw usageError(
    `there is no wallet ${text} here: ` +
      (meant === undefined ? "give the account's 64 hex digits" : `did you mean ${meant}`),
  );
}
