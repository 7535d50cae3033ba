/** Keys of a devnet's wallets, which everybody knows. */
import { utf8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";

/**
 * The seed (32 bytes) of a devnet's deterministic wallet: a function of the name alone, the same on
 * every devnet, known to everybody. Its account is that of the one key of this seed, without salt.
 */
export function devnetWalletSeed(name: string): Uint8Array {
  return taggedHash("sion/devnet-wallet/v1", utf8(name));
}
