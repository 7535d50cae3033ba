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
import { messageOf, parseJson, stringifyJson, toHex, utf8, utf8Text } from "#internal/core/mod.ts";
import type { BackendName, DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend, SEED_BYTES } from "#internal/crypto/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import type { ChainParameters, Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, MAX_VALIDATORS } from "#internal/proofs/mod.ts";
import {
  DEVNET_CHAIN_ID,
  DEVNET_NAMES,
  devnetWalletSeed,
  operatorName,
  wire,
} from "#internal/rpc/mod.ts";
import {
  ensureFolder,
  pathExists,
  readFileIfThere,
  readPrivateFile,
  removeFile,
  writeFileAtomic,
} from "#internal/runtime/mod.ts";
import { NodeError } from "./errors.ts";

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
export interface ValidatorPlace {
  readonly index: number;
  /** Secret: 32 bytes that its keys derive from. */
  readonly seed: Uint8Array;
  /** The id that its store must hold. */
  readonly store: string;
  /** Path of its store. */
  readonly database: string;
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
/** Stake of each validator, micro-USD. */
const STAKE = 100_000_000_000n;
const MAX_SHARDS = 64;
const DEFAULT_VALIDATORS = 4;

const genesisFile = wire.record({
  accounts: wire.list(wire.sequence(wire.hex64, wire.u64), 1024),
  chain_id: wire.string(64),
  epoch_pulses: wire.optional(wire.u64),
  format: wire.count(),
  insecure_signatures: wire.flag,
  shards: wire.count(MAX_SHARDS),
  time_ms: wire.u64,
  validators: wire.list(
    wire.record({ operator: wire.hex64, public_key: wire.hex(2048), stake: wire.u64 }, "closed"),
    MAX_VALIDATORS,
  ),
}, "closed");

const keyFile = wire.record({ seed: wire.hex(SEED_BYTES), store: wire.string(64) }, "closed");

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
  const path = join(options.path, "genesis.json");
  const bytes = await readFileIfThere(path);
  if (bytes === undefined) {
    await clearBrokenStart(options);
    return await makeFolder(options, path);
  }
  const genesis = readGenesis(bytes, options.shown);
  checkSame(options.shape, genesis, options.shown);
  const validators = genesis.validators.map((_, index) => readKey(options, index));
  return {
    genesis,
    validators: await Promise.all(validators),
    fresh: false,
    complete: () => Promise.resolve(),
  };
}

/**
 * How many validators the folder has or, if it is to be made, will have: told before it is read
 * whole, so that their threads can start meanwhile. A guess where `openDevnetFolder` will refuse.
 */
export async function countValidators(path: string, shape: DevnetShape): Promise<number> {
  const asked = Math.min(Math.max(shape.validators ?? DEFAULT_VALIDATORS, 1), MAX_VALIDATORS);
  const bytes = await readFileIfThere(join(path, "genesis.json"));
  if (bytes === undefined) return asked;
  const listed = new TextDecoder().decode(bytes).match(/"public_key"/g);
  return Math.min(listed?.length ?? asked, MAX_VALIDATORS);
}

/** The signature backend that a chain's nodes and clients use. */
export function backendOf(genesis: { readonly insecure: boolean }): Promise<DualBackend> {
  return loadDualBackend(genesis.insecure ? "insecure" satisfies BackendName : undefined);
}

function checkShape(
  { validators = DEFAULT_VALIDATORS, shards = 2, epochPulses = 12 }: DevnetShape,
): void {
  const within = (value: number, max: number): boolean =>
    Number.isSafeInteger(value) && value >= 1 && value <= max;
  const fault = !within(validators, MAX_VALIDATORS)
    ? `--validators ${validators} is not 1 to ${MAX_VALIDATORS}`
    : !within(shards, MAX_SHARDS)
    ? `--shards ${shards} is not 1 to ${MAX_SHARDS}`
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
    for (let index = 0; index < MAX_VALIDATORS; index++) {
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
  const validators = Array.from({ length: count }, (_, index): ValidatorPlace => ({
    index,
    seed: random(SEED_BYTES),
    store: toHex(random(16)),
    database: storePath(options.path, index),
  }));
  const written = Promise.all(validators.map((place) => writeKey(options.path, place)));
  const members = [];
  for (const { index, seed } of validators) {
    const { publicKey } = await backend.keysFromSeed(seed);
    members.push({ publicKey, stake: STAKE, operator: operators[index] as string });
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
    parameters: parametersOf(
      shape.epochPulses === undefined ? undefined : BigInt(shape.epochPulses),
    ),
    insecure,
  };
  await written;
  return {
    genesis,
    validators,
    fresh: true,
    async complete() {
      await writeFileAtomic(path, writeGenesis(genesis));
      await removeFile(join(options.path, "making"));
    },
  };
}

function parametersOf(epochPulses: bigint | undefined): ChainParameters {
  return { faucet: true, ...(epochPulses === undefined ? {} : { epochPulses }) };
}

function writeGenesis(genesis: Genesis): Uint8Array {
  return utf8(`${
    stringifyJson({
      accounts: genesis.accounts,
      chain_id: genesis.chainId,
      epoch_pulses: genesis.parameters.epochPulses,
      format: genesis.version,
      insecure_signatures: genesis.insecure,
      shards: genesis.shards,
      time_ms: genesis.timeMs,
      validators: genesis.validators.map(({ publicKey, stake, operator }) => ({
        operator,
        public_key: toHex(publicKey),
        stake,
      })),
    }, 2)
  }\n`);
}

function readGenesis(bytes: Uint8Array, shown: string): Genesis {
  const damaged = (cause: unknown): NodeError =>
    new NodeError(
      "folder-damaged",
      `${shown}/genesis.json is not what sion wrote: give another --dir`,
      { cause, data: { reason: messageOf(cause) } },
    );
  let value;
  try {
    value = parseJson(utf8Text(bytes));
  } catch (cause) {
    throw damaged(cause);
  }
  // The format is looked at first: of another one nothing else can be told.
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format !== FORMAT_VERSION) {
    throw new NodeError(
      "other-format",
      `${shown} has format ${format}, this sion has ${FORMAT_VERSION}: give another --dir`,
      { data: { found: format } },
    );
  }
  try {
    const file = genesisFile.parse(value, "genesis");
    return {
      chainId: file.chain_id,
      version: file.format,
      shards: file.shards,
      timeMs: file.time_ms,
      validators: file.validators.map(({ public_key, stake, operator }) => ({
        publicKey: public_key,
        stake,
        operator,
      })),
      accounts: file.accounts,
      parameters: parametersOf(file.epoch_pulses),
      insecure: file.insecure_signatures,
    };
  } catch (cause) {
    throw damaged(cause);
  }
}

async function writeKey(folder: string, { index, seed, store }: ValidatorPlace): Promise<void> {
  await ensureFolder(join(folder, `validator-${index}`));
  const key = stringifyJson({ seed: toHex(seed), store });
  await writeFileAtomic(keyPath(folder, index), utf8(`${key}\n`));
}

async function readKey(options: OpenFolderOptions, index: number): Promise<ValidatorPlace> {
  const path = keyPath(options.path, index);
  const shown = `${options.shown}/validator-${index}/key.json`;
  const bytes = await readPrivateFile(path, shown);
  try {
    if (bytes === undefined) throw new SyntaxError("it is missing");
    const { seed, store } = keyFile.parse(parseJson(utf8Text(bytes)), "key");
    if (seed.length !== SEED_BYTES) throw new SyntaxError(`the seed is not ${SEED_BYTES} bytes`);
    return { index, seed, store, database: storePath(options.path, index) };
  } catch (cause) {
    throw new NodeError(
      "folder-damaged",
      `${shown} is not what sion wrote: give another --dir`,
      { cause },
    );
  }
}

function keyPath(folder: string, index: number): string {
  return join(folder, `validator-${index}`, "key.json");
}

function storePath(folder: string, index: number): string {
  return join(folder, `validator-${index}`, "node.sqlite");
}
