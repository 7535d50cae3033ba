/** What nodes, and the commands that make and reach them, begin with unless they are told otherwise. */

/** Port for clients; of several nodes on one machine the first has it. */
export const DEFAULT_CLIENT_PORT = 8400;
/** Port for other nodes; of several nodes on one machine the first has it. */
export const DEFAULT_PEER_PORT = 8500;
/** Address of a node unless `--node` or `SION_NODE` names another; `sion devnet` listens there. */
export const DEFAULT_NODE_URL = `http://127.0.0.1:${DEFAULT_CLIENT_PORT}`;
/** Stake of a validator, micro-USD. */
export const DEFAULT_STAKE = 100_000_000_000n;
/** Shards of a chain. */
export const DEFAULT_SHARDS = 2;
/**
 * The most shards that a chain is made with. The formats have room for 256; each shard has a tree,
 * whose root every Pulse computes and every World Proof opens, used or not.
 */
export const MAX_CHAIN_SHARDS = 64;
