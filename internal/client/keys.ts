/** Who signs: a wallet's keys from its seed file, or from its name on a devnet. */
import type { AccountId, Random } from "#internal/core/mod.ts";
import { isWalletName, toHex } from "#internal/core/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import type { Policy } from "#internal/ledger/mod.ts";
import type { ClientState, Wallets } from "#internal/store/mod.ts";
import type { ChainFacts, Scheme } from "./chain_facts.ts";
import { GENESIS_ACCOUNTS } from "./genesis_names.ts";

/** A wallet that can sign. */
export interface Signer {
  readonly wallet: string;
  /** What errors call it: the wallet's name, or `agent 75b72e84`. */
  readonly called: string;
  readonly account: AccountId;
  readonly policy: Policy;
  /** With the policy it is hashed to the account. */
  readonly salt: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/**
 * Wallets by name. Seed files are read anew each time; derived keys are kept in memory, and of a seed its
 * account in the client's state: deriving one loads all of the signatures.
 */
export interface KeyRing {
  /** The wallet's signer, or `undefined` when there is no such wallet on this chain. */
  signer(facts: Pick<ChainFacts, "devnet" | "scheme">, name: string): Promise<Signer | undefined>;
  /** The wallet's account: as `signer`, without deriving keys where it is known. */
  account(
    facts: Pick<ChainFacts, "devnet" | "scheme">,
    name: string,
  ): Promise<AccountId | undefined>;
  /** The account of a devnet's deterministic wallet, without deriving keys where it is known. */
  devnetAccount(scheme: Scheme, name: string): Promise<AccountId>;
  /** The signatures of a scheme, loaded at first use. */
  backend(scheme: Scheme): Promise<DualBackend>;
  /** The account of a seed. */
  accountOfSeed(scheme: Scheme, seed: Uint8Array): Promise<AccountId>;
}

/** Where names of wallets with a file are kept, apart from a devnet's deterministic ones. */
export function fileScheme(scheme: Scheme): string {
  return `${scheme}-file`;
}

/** The key ring of a home's wallets. */
export function createKeyRing(
  wallets: () => Promise<Wallets>,
  state: () => Promise<ClientState>,
  random: Random,
): KeyRing {
  const backends = new Map<Scheme, Promise<DualBackend>>();
  const derived = new Map<
    string,
    Promise<{ keys: DualKeys; policy: Policy; account: AccountId; salt: Uint8Array }>
  >();

  const backendOf = (scheme: Scheme): Promise<DualBackend> => {
    let backend = backends.get(scheme);
    if (backend === undefined) {
      backend = import("#internal/crypto/mod.ts").then(({ loadDualBackend }) =>
        scheme === "insecure" ? loadDualBackend("insecure") : loadDualBackend()
      );
      backends.set(scheme, backend);
    }
    return backend;
  };

  const derive = (scheme: Scheme, seed: Uint8Array) => {
    const key = `${scheme} ${toHex(seed)}`;
    let result = derived.get(key);
    if (result === undefined) {
      result = (async () => {
        const { accountId, NO_SALT, policyOfKey } = await import("#internal/ledger/mod.ts");
        const keys = await (await backendOf(scheme)).keysFromSeed(seed);
        const policy = policyOfKey(keys.publicKey);
        return { keys, policy, account: accountId(policy, NO_SALT), salt: NO_SALT };
      })();
      derived.set(key, result);
    }
    return result;
  };

  const find = async (
    facts: Pick<ChainFacts, "devnet" | "scheme">,
    name: string,
  ): Promise<{ seed: Uint8Array; book: string } | undefined> => {
    if (!isWalletName(name)) return undefined;
    const seed = await (await wallets()).seed(name);
    if (seed !== undefined) return { seed, book: fileScheme(facts.scheme) };
    return facts.devnet ? { seed: await devnetSeed(name), book: facts.scheme } : undefined;
  };

  const devnetAccount = async (scheme: Scheme, name: string): Promise<AccountId> => {
    const book = await state();
    const known = (scheme === "dual" ? GENESIS_ACCOUNTS.get(name) : undefined) ??
      book.accountOf(scheme, name);
    if (known !== undefined) return known;
    const { account } = await derive(scheme, await devnetSeed(name));
    await book.name(scheme, name, account);
    return account;
  };

  const seedAccount = async (scheme: Scheme, seed: Uint8Array): Promise<AccountId> => {
    const book = await state();
    const known = book.accountOfSeed(scheme, seed);
    if (known !== undefined) return known;
    const { account } = await derive(scheme, seed);
    await book.keepAccountOfSeed(scheme, seed, account);
    return account;
  };

  return {
    backend: backendOf,
    async signer(facts, name) {
      const found = await find(facts, name);
      if (found === undefined) return undefined;
      const { keys, policy, account, salt } = await derive(facts.scheme, found.seed);
      await (await state()).name(found.book, name, account);
      return {
        wallet: name,
        called: name,
        account,
        policy,
        salt,
        sign: async (message) => (await backendOf(facts.scheme)).sign(keys, message, random),
      };
    },
    devnetAccount,
    async account(facts, name) {
      const found = await find(facts, name);
      if (found === undefined) return undefined;
      // A file may hold another seed than last time; a devnet's name always means the same.
      if (found.book === facts.scheme) return await devnetAccount(facts.scheme, name);
      const account = await seedAccount(facts.scheme, found.seed);
      await (await state()).name(found.book, name, account);
      return account;
    },
    accountOfSeed: async (scheme, seed) => (await derive(scheme, seed)).account,
  };
}

/** The seed of a devnet's wallet. Hashing is loaded with it: most commands only read. */
async function devnetSeed(name: string): Promise<Uint8Array> {
  return (await import("#internal/rpc/mod.ts")).devnetWalletSeed(name);
}
