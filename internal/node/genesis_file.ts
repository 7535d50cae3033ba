/** The file of a genesis, `genesis.json`: what a chain begins from, public, the same for all of it. */
import { messageOf, parseJson, stringifyJson, toHex, utf8, utf8Text } from "#internal/core/mod.ts";
import type { BackendName, DualBackend } from "#internal/crypto/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, loadDualBackend } from "#internal/crypto/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, MAX_COMMITTEE } from "#internal/proofs/mod.ts";
import { MAX_CHAIN_SHARDS, wire } from "#internal/rpc/mod.ts";
import { readFileIfThere, writeFileAtomic } from "#internal/runtime/mod.ts";
import { NodeError } from "./errors.ts";

/** Accounts that a chain begins with. */
export const MAX_GENESIS_ACCOUNTS = 1_024;
/** Characters of a chain's id. */
export const MAX_CHAIN_ID_LENGTH = 64;
/** Everybody may read it. */
const PUBLIC_FILE = 0o644;

const genesisShape = wire.record({
  accounts: wire.list(wire.sequence(wire.hex64, wire.u64), MAX_GENESIS_ACCOUNTS),
  chain_id: wire.string(MAX_CHAIN_ID_LENGTH),
  epoch_pulses: wire.optional(wire.u64),
  faucet: wire.flag,
  format: wire.count(),
  insecure_signatures: wire.flag,
  shards: wire.count(MAX_CHAIN_SHARDS),
  time_ms: wire.u64,
  validators: wire.list(
    wire.record(
      { operator: wire.hex64, public_key: wire.hex(DUAL_PUBLIC_KEY_BYTES), stake: wire.u64 },
      "closed",
    ),
    MAX_COMMITTEE,
  ),
}, "closed");

/** How messages name the file, and what they say to do. */
export interface ShownFile {
  /** What has the format: the file, or the devnet's folder. */
  readonly whole: string;
  /** The file itself. */
  readonly file: string;
  /** As in `give another --dir`. */
  readonly remedy: string;
}

/**
 * The genesis in a file, or undefined when there is none.
 * @throws {NodeError} `other-format`, `folder-damaged`
 */
export async function readGenesis(path: string, shown: ShownFile): Promise<Genesis | undefined> {
  const bytes = await readFileIfThere(path, { shownAs: shown.file });
  return bytes === undefined ? undefined : parseGenesis(bytes, shown);
}

/** Puts a genesis into a file. */
export async function writeGenesis(path: string, genesis: Genesis): Promise<void> {
  const { epochPulses, faucet = false } = genesis.parameters;
  const text = stringifyJson({
    accounts: genesis.accounts,
    chain_id: genesis.chainId,
    epoch_pulses: epochPulses,
    faucet,
    format: genesis.version,
    insecure_signatures: genesis.insecure,
    shards: genesis.shards,
    time_ms: genesis.timeMs,
    validators: genesis.validators.map(({ publicKey, stake, operator }) => ({
      operator,
      public_key: toHex(publicKey),
      stake,
    })),
  }, 2);
  await writeFileAtomic(path, utf8(`${text}\n`), { mode: PUBLIC_FILE });
}

/** The signature backend that a chain's nodes and clients use. */
export function backendOf(genesis: { readonly insecure: boolean }): Promise<DualBackend> {
  return loadDualBackend(genesis.insecure ? "insecure" satisfies BackendName : undefined);
}

function parseGenesis(bytes: Uint8Array, { whole, file, remedy }: ShownFile): Genesis {
  const damaged = (cause: unknown): NodeError =>
    new NodeError("folder-damaged", `${file} is not what sion wrote: ${remedy}`, {
      cause,
      data: { reason: messageOf(cause) },
    });
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
      `${whole} has format ${format}, this sion has ${FORMAT_VERSION}: ${remedy}`,
      { data: { found: format } },
    );
  }
  try {
    const read = genesisShape.parse(value, "genesis");
    return {
      chainId: read.chain_id,
      version: read.format,
      shards: read.shards,
      timeMs: read.time_ms,
      validators: read.validators.map(({ public_key, stake, operator }) => ({
        publicKey: public_key,
        stake,
        operator,
      })),
      accounts: read.accounts,
      parameters: {
        faucet: read.faucet,
        ...(read.epoch_pulses === undefined ? {} : { epochPulses: read.epoch_pulses }),
      },
      insecure: read.insecure_signatures,
    };
  } catch (cause) {
    throw damaged(cause);
  }
}
