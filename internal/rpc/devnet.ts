/** The facts about a devnet that node and client must agree on without asking each other. */

/** The chain id of a devnet. */
export const DEVNET_CHAIN_ID = "sion-devnet-1";
/** Chain ids that begin so are devnets: names without a wallet file have deterministic wallets. */
export const DEVNET_CHAIN_PREFIX = "sion-devnet-";

/** True when names stand for deterministic wallets on this chain. */
export function isDevnet(chainId: string): boolean {
  return chainId.startsWith(DEVNET_CHAIN_PREFIX);
}

/** Wallets that every devnet's genesis gives 10,000 USD each. */
export const DEVNET_NAMES: readonly string[] = ["alice", "bob", "carol", "dana"];

/** The operator wallet of a devnet's validator, by its index. */
export function operatorName(index: number): string {
  return `operator-${index}`;
}
