/**
 * How a network of real nodes begins: each operator makes a key, with its store and its public part;
 * one of them makes the genesis of the public parts, and all use the same file. For tests, one
 * command makes all of it, in a folder that a devnet goes on from too.
 *
 * ```
 * <dir>/key.json          secret          <dir>/validator.json    {"operator", "public_key"}: public
 * <dir>/node.sqlite       its store
 * ```
 */
import { join } from "node:path";
import type { AccountId, Random } from "#internal/core/mod.ts";
import {
  messageOf,
  parseJson,
  quoteOddWord,
  stringifyJson,
  toHex,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES } from "#internal/crypto/mod.ts";
import { accountId, createLedger, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, genesisOf, validatorId } from "#internal/proofs/mod.ts";
import { DEVNET_CHAIN_PREFIX, devnetWalletSeed, isDevnet, wire } from "#internal/rpc/mod.ts";
import {
  ensureFolder,
  lockFolder,
  pathExists,
  readFileIfThere,
  removeFile,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";
import { readNodeStateLabel } from "#internal/store/mod.ts";
import type { DevnetShape, ValidatorPlace } from "./devnet_folder.ts";
import { openDevnetFolder } from "./devnet_folder.ts";
import { NodeError } from "./errors.ts";
import {
  backendOf,
  MAX_CHAIN_ID_LENGTH,
  MAX_GENESIS_ACCOUNTS,
  writeGenesis,
} from "./genesis_file.ts";
import { KEY_FILE, makeStore, newKey, STORE_FILE, writeKey } from "./node_key.ts";

/** The public part of a key: what a genesis is made of. */
export interface PublicPart {
  /** Account that may give the validator another key. */
  readonly operator: AccountId;
  readonly publicKey: Uint8Array;
}

const PUBLIC_PART_FILE = "validator.json";
const PUBLIC_FILE = 0o644;

const publicPartShape = wire.record(
  { operator: wire.hex64, public_key: wire.hex(DUAL_PUBLIC_KEY_BYTES) },
  "closed",
);

/** What is made by `makeValidatorKey`. */
export interface MadeKey extends PublicPart {
  /** The validator's id, 64 hex digits. */
  readonly validator: string;
  /** The key file and the file of the public part. */
  readonly key: string;
  readonly publicPart: string;
}

/**
 * Makes a validator's key, its store and its public part in a folder, which has none of them yet.
 * @param operator the account; without it, that of the key itself.
 * @throws {NodeError} `argument` when the folder has a key or a store
 */
export async function makeValidatorKey(
  options: {
    readonly dir: string;
    /** The folder as messages show it. */
    readonly shown: string;
    readonly operator?: AccountId;
    readonly insecure: boolean;
    readonly random: Random;
  },
): Promise<MadeKey> {
  const { dir, shown, random, insecure } = options;
  await dropHalfMade(dir, shown);
  for (const file of [KEY_FILE, STORE_FILE]) {
    if (!await pathExists(join(dir, file))) continue;
    throw new NodeError(
      "argument",
      `${shown} has a ${file} already, which another key must not take the place of: give ` +
        "another folder",
    );
  }
  const key = newKey(random);
  const { publicKey } = await (await backendOf({ insecure })).keysFromSeed(key.seed);
  const operator = options.operator ?? accountId(policyOfKey(publicKey), NO_SALT);
  await ensureFolder(dir);
  // The store first: a key without one would never sign.
  makeStore(dir, shown, key);
  await writeKey(join(dir, KEY_FILE), key);
  const text = stringifyJson({ operator, public_key: toHex(publicKey) }, 2);
  await writeFileAtomic(join(dir, PUBLIC_PART_FILE), utf8(`${text}\n`), { mode: PUBLIC_FILE });
  return {
    operator,
    publicKey,
    validator: validatorId(publicKey),
    key: join(dir, KEY_FILE),
    publicPart: join(dir, PUBLIC_PART_FILE),
  };
}

/** Removes the store of a key that was never written: the making of both was broken off between. */
async function dropHalfMade(dir: string, shown: string): Promise<void> {
  const store = join(dir, STORE_FILE);
  if (!await pathExists(store) || await pathExists(join(dir, KEY_FILE))) return;
  const label = readNodeStateLabel(store, shown);
  if (label !== undefined && (label.chain !== "" || !label.isUnused)) return;
  for (const end of ["-wal", "-shm", ""]) await removeFile(`${store}${end}`);
}

/** The public part in a file. @throws {NodeError} `argument` */
export async function readPublicPart(path: string, shown: string): Promise<PublicPart> {
  const bytes = await readFileIfThere(path, { shownAs: shown });
  try {
    if (bytes === undefined) throw new SyntaxError("it is missing");
    const { operator, public_key } = publicPartShape.parse(
      parseJson(utf8Text(bytes)),
      "validator",
    );
    return { operator, publicKey: public_key };
  } catch (cause) {
    const state = bytes === undefined ? "is missing" : "is no public part of a validator's key";
    throw new NodeError(
      "argument",
      `${shown} ${state}: give a ${PUBLIC_PART_FILE} that \`sion genesis key\` made`,
      { cause },
    );
  }
}

/** What a chain is to begin with. */
export interface NewGenesis {
  readonly chainId: string;
  readonly shards: number;
  readonly epochPulses?: number;
  readonly faucet: boolean;
  readonly insecure: boolean;
  readonly nowMs: number;
  /** Stakes in micro-USD. */
  readonly validators: readonly (PublicPart & { readonly stake: bigint })[];
  /** Micro-USD. */
  readonly accounts: readonly (readonly [AccountId, bigint])[];
}

/**
 * Makes a genesis file.
 * @param shown the file as messages show it.
 * @returns the chain's identity, 64 hex digits.
 * @throws {NodeError} `argument` when there is a file already, or no chain could be like that
 */
export async function makeGenesis(
  path: string,
  shown: string,
  options: NewGenesis,
): Promise<string> {
  const { chainId, shards, faucet, insecure, validators, accounts } = options;
  if (await pathExists(path)) {
    throw new NodeError("argument", `${shown} exists already: give another path, or remove it`);
  }
  if (!/^[a-z\d][a-z\d._-]*$/i.test(chainId) || chainId.length > MAX_CHAIN_ID_LENGTH) {
    throw new NodeError(
      "argument",
      `${
        quoteOddWord(chainId)
      } is no chain id: use up to ${MAX_CHAIN_ID_LENGTH} letters, digits, ` +
        "-, _ and .",
    );
  }
  if (accounts.length > MAX_GENESIS_ACCOUNTS) {
    throw new NodeError(
      "argument",
      `${accounts.length} accounts are too many: give ${MAX_GENESIS_ACCOUNTS} at most`,
    );
  }
  if (faucet && !isDevnet(chainId)) {
    throw new NodeError(
      "argument",
      `a faucet is for devnets, on which everybody knows the operators' wallets: give a chain id ` +
        `that begins with ${DEVNET_CHAIN_PREFIX}, or leave out --faucet`,
    );
  }
  const { publicKeyBytes } = await backendOf({ insecure });
  if (validators.some(({ publicKey }) => publicKey.length !== publicKeyBytes)) {
    throw new NodeError(
      "argument",
      insecure
        ? "a validator's key is made for real signatures: leave out --insecure-signatures"
        : "a validator's key is made with --insecure-signatures: give the genesis the same option",
    );
  }
  const epochPulses = options.epochPulses === undefined ? undefined : BigInt(options.epochPulses);
  const genesis: Genesis = {
    chainId,
    version: FORMAT_VERSION,
    shards,
    timeMs: BigInt(options.nowMs),
    validators,
    accounts,
    parameters: { faucet, ...(epochPulses === undefined ? {} : { epochPulses }) },
    insecure,
  };
  const chain = identityOf(genesis);
  await writeGenesis(path, genesis);
  return chain;
}

/** A network's folder as it was made. */
export interface MadeNetwork {
  readonly chainId: string;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Path of the genesis file. */
  readonly genesis: string;
  /** Path of each validator's key file. */
  readonly keys: readonly string[];
}

/**
 * Makes a whole test network: a devnet's folder, of which each validator's part can also be run by
 * a node of its own.
 * @throws {NodeError} `argument` when there is a folder already
 */
export async function makeTestNetwork(
  options: {
    readonly dir: string;
    readonly shown: string;
    readonly shape: DevnetShape;
    readonly random: Random;
    readonly nowMs: number;
  },
): Promise<MadeNetwork> {
  const { dir, shown, shape, random, nowMs } = options;
  if (await pathExists(dir)) {
    throw new NodeError("argument", `${shown} exists already: give another path, or remove it`);
  }
  await ensureFolder(dir);
  await using _lock = await lockFolder(dir, shown);
  const folder = await openDevnetFolder({ path: dir, shown, shape, random, nowMs });
  const partOf = ({ index }: ValidatorPlace): string => join(dir, `validator-${index}`);
  for (const place of folder.validators) makeStore(partOf(place), shown, place.key);
  await folder.complete();
  return {
    chainId: folder.genesis.chainId,
    chain: identityOf(folder.genesis),
    genesis: join(dir, "genesis.json"),
    keys: folder.validators.map((place) => join(partOf(place), KEY_FILE)),
  };
}

/** The account of a devnet's deterministic wallet. */
export async function devnetAccount(name: string, insecure: boolean): Promise<AccountId> {
  const backend = await backendOf({ insecure });
  const { publicKey } = await backend.keysFromSeed(devnetWalletSeed(name));
  return accountId(policyOfKey(publicKey), NO_SALT);
}

/** @throws {NodeError} `argument` when no chain can begin from it. */
function identityOf(genesis: Genesis): string {
  try {
    return genesisOf(genesis, createLedger()).chain;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const fault = messageOf(cause).replace(/^Cannot [^:]*: /, "");
    throw new NodeError("argument", `no chain can begin so, ${fault}: change it`, { cause });
  }
}
