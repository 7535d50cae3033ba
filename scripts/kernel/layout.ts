/**
 * Where things lie in the kernel's memory, in bytes. A "row" is a 16-byte hash as four 32-bit words;
 * "lanes" are four hashes side by side: word 0 of each in one vector, then word 1, and so on.
 */

/** SHA-256's round constants, each four times, for loading as a vector. */
export const ROUND_CONSTANTS = 0;
/** SHA-256's initial state in four lanes. */
export const INITIAL_STATE = 1024;
/** State after the block of PK.seed and 48 zero bytes, with which every SLH-DSA hash begins. */
export const SEEDED_STATE = 1152;
/** Result of the last compression. */
export const OUT = 1280;
/** The block being hashed: sixteen vectors. */
export const BLOCK = 1408;
/** Lanes of SK.seed. */
export const SECRET_LANES = 1664;
/** Two lane buffers for operands. */
export const LEFT = 1728;
export const RIGHT = 1792;
/** Lanes whose values travel along chains: the hash address of each. */
export const CHAIN_HASH = 1856;
/** Sixteen counters for sorting. */
export const COUNTS = 1872;
/** Rows that the caller sets: SK.seed, PK.seed, PK.root. */
export const SECRET_SEED = 1936;
export const PUBLIC_SEED = 1952;
export const PUBLIC_ROOT = 1968;
/** Row of the node being signed or computed. */
export const NODE = 1984;
/** The 33 FORS indices that the caller sets, as words, and three zeros. */
export const INDICES = 2000;
/** The 35 base-16 digits of a message, a byte each, and one of 15. */
export const DIGITS = 2144;
/** Numbers of the 36 chains by rising digit, a byte each. */
export const ORDER = 2180;
/** Message words of a long hash in lanes: up to 140 vectors. */
export const LONG_INPUT = 2304;
/** The same with address and padding: ten blocks. */
export const LONG_BLOCKS = 4608;
/** Lanes of up to 64 FORS nodes. */
export const FORS_NODES = 7168;
/** Lanes of what a FORS signature shows: the secret, then six nodes. */
export const FORS_SHOWN = 11264;
/** Rows of FORS roots or chain ends: 36. */
export const ROWS = 11712;
/** Rows of the eight leaves of an XMSS tree. */
export const LEAVES = 12288;
/** The signature: 17,088 bytes, R first. Rows while in work, bytes when swapped. */
export const SIGNATURE = 12416;
/** Of a chain: the state after the rounds that are the same in every step, and fixed message words. */
export const CHAIN_STATE = 29568;
export const CHAIN_FIXED = 29696;
/** Blocks to hash, 64 bytes each, then hashes, 32 bytes each. */
export const BATCH_IN = 32768;
export const BATCH = 1024;
export const BATCH_OUT = BATCH_IN + 64 * BATCH;
/** Pages of 64 KiB. */
export const PAGES = 2;
