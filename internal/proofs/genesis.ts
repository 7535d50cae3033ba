/** A chain's beginning: its genesis, Pulse 0's header, and the identity that clients pin. */
import type { AccountId } from "#internal/core/mod.ts";
import {
  bool,
  byteString,
  encode,
  id,
  list,
  option,
  struct,
  text,
  toHex,
  u32,
  u64,
} from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import { genesisState } from "#internal/ledger/mod.ts";
import { EMPTY_ROOT, logPeaksRoot } from "#internal/merkle/mod.ts";
import { FORMAT_VERSION } from "./block_header.ts";
import type { Header } from "./header.ts";
import { headerDigest } from "./header.ts";
import type { Committee } from "./validator_set.ts";
import { committeeOf, MAX_VALIDATORS } from "./validator_set.ts";

/** 32 zero bytes: what Pulse 0 has where later ones name something before them. */
export const ZERO_HASH: Uint8Array = new Uint8Array(32);

/** The shortest epoch: in a shorter one nothing contested could be settled. */
export const MIN_EPOCH_PULSES = 4n;

const CHAIN_TAG = "sion/chain/v1";
const CONFIG_TAG = "sion/config/v1";
const MAX_CHAIN_ID_BYTES = 64;

/** A validator of the genesis. */
export interface GenesisValidator {
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** Micro-USD. */
  readonly stake: bigint;
  /** Account that may rotate the validator's key and gets its rewards. */
  readonly operator: AccountId;
}

/** Parameters that stay for the life of a chain. */
export interface ChainParameters {
  /** Pulses in an epoch, at least {@link MIN_EPOCH_PULSES}; without it the first never ends. */
  readonly epochPulses?: bigint;
  /** Whether the faucet may make more USD: on a devnet only. @default false */
  readonly faucet?: boolean;
}

/** Everything that a chain begins from; all validators and clients of a chain have the same. */
export interface Genesis {
  readonly chainId: string;
  /** Format version: {@link FORMAT_VERSION}. */
  readonly version: number;
  readonly shards: number;
  /** Time of Pulse 0, milliseconds since the Unix epoch. */
  readonly timeMs: bigint;
  readonly validators: readonly GenesisValidator[];
  /** Micro-USD that accounts begin with. */
  readonly accounts: readonly (readonly [AccountId, bigint])[];
  readonly parameters: ChainParameters;
  /** The chain's signatures protect nothing: tests and simulations only. */
  readonly insecure: boolean;
}

/** What follows from a genesis. */
export interface GenesisFacts {
  /** Digest of Pulse 0's header, 64 hex digits. */
  readonly genesis: string;
  /** Chain identity: H(chain id, genesis, validators' keys and stakes, parameters), 64 hex digits. */
  readonly chain: string;
  readonly header: Header;
  readonly state: LedgerState;
  readonly committee: Committee;
}

const validatorsCodec = list(
  struct({ publicKey: byteString(DUAL_PUBLIC_KEY_BYTES), stake: u64, weight: u64 }),
  MAX_VALIDATORS,
);
const operatorsCodec = list(id, MAX_VALIDATORS);
const parametersCodec = struct({
  epochPulses: option(u64),
  shards: u32,
  faucet: bool,
  insecure: bool,
});

function parametersBytes(genesis: Genesis): Uint8Array {
  return encode(parametersCodec, {
    epochPulses: genesis.parameters.epochPulses ?? null,
    shards: genesis.shards,
    faucet: genesis.parameters.faucet ?? false,
    insecure: genesis.insecure,
  });
}

/** The header's `config`: H(validators, keys, weights, parameters, session, epoch). */
export function configHash(
  genesis: Genesis,
  committee: Committee,
  at: { readonly session: number; readonly epoch: bigint },
): Uint8Array {
  return taggedHash(
    CONFIG_TAG,
    encode(validatorsCodec, committee.members),
    encode(operatorsCodec, genesis.validators.map(({ operator }) => operator)),
    parametersBytes(genesis),
    encode(struct({ session: u32, epoch: u64 }), at),
  );
}

/** The `config` of a session's last header: that of the session and that of the next. */
export function lastConfigHash(current: Uint8Array, next: Uint8Array): Uint8Array {
  return taggedHash(CONFIG_TAG, current, next);
}

/**
 * Pulse 0 and the identities of a chain.
 * @throws {RangeError} on another format version, too short an epoch, or a committee that cannot be.
 */
export function genesisOf(genesis: Genesis, ledger: Ledger): GenesisFacts {
  if (genesis.version !== FORMAT_VERSION) {
    throw new RangeError(
      `Cannot read genesis: it has format ${genesis.version}, this program has ${FORMAT_VERSION}`,
    );
  }
  const { epochPulses } = genesis.parameters;
  if (epochPulses !== undefined && epochPulses < MIN_EPOCH_PULSES) {
    throw new RangeError(`Cannot read genesis: an epoch has at least ${MIN_EPOCH_PULSES} Pulses`);
  }
  const committee = committeeOf(genesis.validators);
  const state = genesisState(ledger, {
    shards: genesis.shards,
    accounts: genesis.accounts,
    faucet: genesis.parameters.faucet ?? false,
  });
  const header: Header = {
    version: FORMAT_VERSION,
    chain: ZERO_HASH,
    number: 0n,
    previous: ZERO_HASH,
    session: 0,
    sessionEnd: epochPulses ?? null,
    epoch: 0n,
    anchorCount: 0n,
    anchors: [],
    beacon: ZERO_HASH,
    timeMs: genesis.timeMs,
    stateRoot: state.root(),
    knowledgeRoot: logPeaksRoot(state.knowledge),
    knowledgeSize: state.knowledge.size,
    receiptsRoot: EMPTY_ROOT,
    dataRoot: EMPTY_ROOT,
    config: configHash(genesis, committee, { session: 0, epoch: 0n }),
    forcedRoot: EMPTY_ROOT,
    forcedPending: 0,
    forcedOverdue: 0,
    tail: ZERO_HASH,
    leavesRoot: EMPTY_ROOT,
  };
  const genesisDigest = headerDigest(header);
  const chain = taggedHash(
    CHAIN_TAG,
    encode(text(MAX_CHAIN_ID_BYTES), genesis.chainId),
    genesisDigest,
    encode(validatorsCodec, committee.members),
    parametersBytes(genesis),
  );
  return { genesis: toHex(genesisDigest), chain: toHex(chain), header, state, committee };
}
