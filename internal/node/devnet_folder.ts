/**
 * The folder of a devnet: its genesis and, for each validator, a key file and a store. It is made
 * once; afterwards the devnet goes on from it.
 *
 * ```
 * <dir>/genesis.json          what the chain begins from
 * <dir>/validator-0/key.json  {"seed", "store"}: secret; `store` is the id that the store holds too
 * <dir>/validator-0/node.sqlite
 * <dir>/making                there while the folder is made: what is left of a broken start goes
 * ```
 *
 * Keys and stores are made together, before the chain begins: a store that is missing later was
 * lost, and its key must not sign again.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "#internal/core/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, MAX_COMMITTEE } from "#internal/proofs/mod.ts";
import {
  DEFAULT_SHARDS,
  DEFAULT_STAKE,
  DEVNET_CHAIN_ID,
  DEVNET_NAMES,
  devnetWalletSeed,
  MAX_CHAIN_SHARDS,
  operatorName,
} from "#internal/rpc/mod.ts";
import { pathExists, removeFile, writeFileAtomic } from "#internal/runtime/mod.ts";
import { NodeError } from "./errors.ts";
import type { ShownFile } from "./genesis_file.ts";
import { backendOf, readGenesis, writeGenesis } from "./genesis_file.ts";
import type { NodeKey, NodePlace } from "./node_key.ts";
import { KEY_FILE, newKey, readKey, STORE_FILE, writeKey } from "./node_key.ts";
import { DEFAULT_VALIDATORS, GENESIS_FILE } from "./validator_count.ts";

/** What a devnet is asked to be; what is not given is as the folder has it, or the default. */
export interface DevnetShape {
  /** 1 to 16. @default 4 */
  readonly validators?: number;
  /** 1 to 64. @default 2 */
  readonly shards?: number;
  /** Pulses in an epoch. @default epochs never end */
  readonly epochPulses?: number;
  /** Signatures that protect nothing, for tests. @default false */
  readonly insecureSignatures?: boolean;
}

/** One validator's place in the folder. */
export interface ValidatorPlace extends NodePlace {
  readonly index: number;
  readonly key: NodeKey;
}

/** A devnet's folder, ready to start from. */
export interface DevnetFolder {
  readonly genesis: Genesis;
  readonly validators: readonly ValidatorPlace[];
  /** True when the validators' stores are still to be made, and `complete` called afterwards. */
  readonly fresh: boolean;
  /** The stores are made: from now on the folder is whole. Before that nobody may sign. */
  complete(): Promise<void>;
}

/** Wallets with money from the start, in micro-USD. */
const RICH_AMOUNT = 10_000_000_000n;
/** Operators pay the fees of faucet transactions: operator-0 to operator-3, and more if needed. */
const OPERATOR_AMOUNT = 100_000_000n;
const LEAST_OPERATORS = 4;

const REMEDY = "give another --dir";

/** What opening a folder needs. */
export interface OpenFolderOptions {
  readonly path: string;
  /** The folder as messages show it. */
  readonly shown: string;
  readonly shape: DevnetShape;
  readonly random: Random;
  readonly nowMs: number;
}

/**
 * Reads a devnet's folder, or makes it. The caller holds the folder's lock.
 * @throws {NodeError} `other-format`, `other-chain`, `folder-damaged`, `argument`
 */
export async function openDevnetFolder(options: OpenFolderOptions): Promise<DevnetFolder> {
  checkShape(options.shape);
  const path = join(options.path, GENESIS_FILE);
  const genesis = await readGenesis(path, shownGenesis(options.shown));
  if (genesis === undefined) {
    await clearBrokenStart(options);
    return await makeFolder(options, path);
  }
  checkSame(options.shape, genesis, options.shown);
  const validators = genesis.validators.map(async (_, index) => {
    const shown = `${options.shown}/validator-${index}/${KEY_FILE}`;
    return placeOf(options, index, await readKey(keyPath(options.path, index), shown, REMEDY));
  });
  return {
    genesis,
    validators: await Promise.all(validators),
    fresh: false,
    complete: () => Promise.resolve(),
  };
}

function checkShape(
  { validators = DEFAULT_VALIDATORS, shards = DEFAULT_SHARDS, epochPulses = 12 }: DevnetShape,
): void {
  const within = (value: number, max: number): boolean =>
    Number.isSafeInteger(value) && value >= 1 && value <= max;
  const fault = !within(validators, MAX_COMMITTEE)
    ? `--validators ${validators} is not 1 to ${MAX_COMMITTEE}`
    : !within(shards, MAX_CHAIN_SHARDS)
    ? `--shards ${shards} is not 1 to ${MAX_CHAIN_SHARDS}`
    : !within(epochPulses, Number.MAX_SAFE_INTEGER)
    ? `--epoch-pulses ${epochPulses} is not a number of Pulses`
    : undefined;
  if (fault !== undefined) throw new NodeError("argument", `${fault}: give a number in the range`);
}

/** Options that would change a chain that exists are refused: it keeps what it began with. */
function checkSame(shape: DevnetShape, genesis: Genesis, shown: string): void {
  const { parameters } = genesis;
  const faults = [
    shape.validators !== undefined && shape.validators !== genesis.validators.length
      ? ["--validators", `${genesis.validators.length} validators`]
      : undefined,
    shape.shards !== undefined && shape.shards !== genesis.shards
      ? ["--shards", `${genesis.shards} shards`]
      : undefined,
    shape.epochPulses !== undefined && BigInt(shape.epochPulses) !== parameters.epochPulses
      ? ["--epoch-pulses", `epochs of ${parameters.epochPulses ?? "endless"} Pulses`]
      : undefined,
    shape.insecureSignatures === true && !genesis.insecure
      ? ["--insecure-signatures", "real signatures"]
      : undefined,
  ];
  const [option, has] = faults.find((fault) => fault !== undefined) ?? [];
  if (option === undefined) return;
  throw new NodeError(
    "other-chain",
    `${shown} has a chain with ${has}: leave out ${option}, or give another --dir`,
  );
}

async function clearBrokenStart({ path, shown }: OpenFolderOptions): Promise<void> {
  if (await pathExists(join(path, "making"))) {
    for (let index = 0; index < MAX_COMMITTEE; index++) {
      await rm(join(path, `validator-${index}`), { recursive: true, force: true });
    }
  } else if (await pathExists(join(path, "validator-0"))) {
    throw new NodeError(
      "folder-damaged",
      `${shown} has validators but no genesis.json: give another --dir`,
    );
  }
  await writeFileAtomic(join(path, "making"), new Uint8Array());
}

async function makeFolder(options: OpenFolderOptions, path: string): Promise<DevnetFolder> {
  const { shape, random } = options;
  const insecure = shape.insecureSignatures ?? false;
  const backend = await backendOf({ insecure });
  const account = async (name: string): Promise<string> => {
    const keys = await backend.keysFromSeed(devnetWalletSeed(name));
    return accountId(policyOfKey(keys.publicKey), NO_SALT);
  };
  const count = shape.validators ?? DEFAULT_VALIDATORS;
  const operators = [];
  for (let index = 0; index < Math.max(count, LEAST_OPERATORS); index++) {
    operators.push(await account(operatorName(index)));
  }
  const validators = Array.from(
    { length: count },
    (_, index) => placeOf(options, index, newKey(random)),
  );
  const written = Promise.all(
    validators.map(({ index, key }) => writeKey(keyPath(options.path, index), key)),
  );
  const members = [];
  for (const { index, key } of validators) {
    const { publicKey } = await backend.keysFromSeed(key.seed);
    members.push({ publicKey, stake: DEFAULT_STAKE, operator: operators[index] as string });
  }
  const accounts: [string, bigint][] = [];
  for (const name of DEVNET_NAMES) accounts.push([await account(name), RICH_AMOUNT]);
  for (const operator of operators) accounts.push([operator, OPERATOR_AMOUNT]);
  const genesis: Genesis = {
    chainId: DEVNET_CHAIN_ID,
    version: FORMAT_VERSION,
    shards: shape.shards ?? 2,
    timeMs: BigInt(options.nowMs),
    validators: members,
    accounts,
    parameters: {
      faucet: true,
      ...(shape.epochPulses === undefined ? {} : { epochPulses: BigInt(shape.epochPulses) }),
    },
    insecure,
  };
  await written;
  return {
    genesis,
    validators,
    fresh: true,
    async complete() {
      await writeGenesis(path, genesis);
      await removeFile(join(options.path, "making"));
    },
  };
}

/** How messages name the genesis of a devnet's folder. */
function shownGenesis(shown: string): ShownFile {
  return { whole: shown, file: `${shown}/${GENESIS_FILE}`, remedy: REMEDY };
}

function placeOf(
  { path, shown }: Pick<OpenFolderOptions, "path" | "shown">,
  index: number,
  key: NodeKey,
): ValidatorPlace {
  const folder = `validator-${index}`;
  return {
    index,
    name: `validator ${index}`,
    key,
    database: join(path, folder, STORE_FILE),
    shown: `${shown}/${folder}/${STORE_FILE}`,
  };
}

function keyPath(folder: string, index: number): string {
  return join(folder, `validator-${index}`, KEY_FILE);
}
