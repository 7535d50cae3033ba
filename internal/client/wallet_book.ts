/** The seed files of this machine with the accounts they stand for. */
import { isWalletName, SionError } from "#internal/core/mod.ts";
import { DEVNET_NAMES } from "#internal/rpc/mod.ts";
import { signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { chainFacts } from "./chain_facts.ts";
import { withSignal } from "./context.ts";
import { fileScheme } from "./keys.ts";
import type { WalletBook, WalletEntry } from "./types.ts";

const SEED_BYTES = 32;

/** Wallets show the account that they have under the dual signatures of every real chain. */
const FACTS: Pick<ChainFacts, "devnet" | "scheme"> = { devnet: false, scheme: "dual" };

/** The wallets of a client. */
export function walletBook(context: Context): WalletBook {
  const keep = async (name: string, seed: Uint8Array): Promise<WalletEntry> => {
    await (await context.wallets()).keep(name, seed);
    const account = await context.keys.accountOfSeed(FACTS.scheme, seed);
    await (await context.state()).name(fileScheme(FACTS.scheme), name, account);
    return { name, account };
  };
  return {
    path: async (name) => context.shown((await context.wallets()).path(name)),
    async list() {
      const entries: WalletEntry[] = [];
      for (const name of await (await context.wallets()).list()) {
        // One file that is not as it should be hides no other.
        try {
          const account = await context.keys.account(FACTS, name);
          if (account !== undefined) entries.push({ name, account });
        } catch (error) {
          if (!(error instanceof SionError)) throw error;
          context.note(error.message);
        }
      }
      return entries;
    },
    async shadowed(name, options) {
      if (DEVNET_NAMES.includes(name)) return "funded";
      if (!isWalletName(name)) return undefined;
      try {
        const facts = await chainFacts(context, options?.signal);
        if (!facts.devnet) return undefined;
        const account = await context.keys.devnetAccount(facts.scheme, name);
        const { exists } = await context.rpc.account({ account }, withSignal(options?.signal));
        return exists ? "used" : undefined;
      } catch (error) {
        // Wallets are made without a node, too.
        if (error instanceof SionError || options?.signal?.aborted === true) return undefined;
        throw error;
      }
    },
    create: (name) => keep(name, context.random(SEED_BYTES)),
    import: keep,
    async show(name, options) {
      const account = await context.keys.account(FACTS, name);
      if (account !== undefined) return { name, account, file: true };
      const facts = await chainFacts(context, options?.signal);
      const signer = await signerNamed(context, facts, name);
      return { name, account: signer.account, file: false };
    },
  };
}
