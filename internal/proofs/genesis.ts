/** A chain's beginning: its genesis, Pulse 0's header, and the identity that clients pin. */
import type { AccountId } from "#internal/core/mod.ts";
import { toHex } from "#internal/core/mod.ts";
import type { Ledger, LedgerState, SessionMember } from "#internal/ledger/mod.ts";
import { genesisState } from "#internal/ledger/mod.ts";
import { EMPTY_ROOT, logPeaksRoot } from "#internal/merkle/mod.ts";
import { FORMAT_VERSION } from "#internal/ledger/mod.ts";
import type { ChainOrigin } from "./chain_origin.ts";
import { chainIdentity } from "./chain_origin.ts";
import type { Header } from "./header.ts";
import { headerDigest } from "./header.ts";
import type { SessionConfig } from "./session_config.ts";
import { configHash } from "./session_config.ts";
import type { Committee } from "./validator_set.ts";
import { committeeOf } from "./validator_set.ts";

/** 32 zero bytes: what Pulse 0 has where later ones name something before them. */
export const ZERO_HASH: Uint8Array = new Uint8Array(32);

/** The shortest epoch: in a shorter one nothing contested could be settled. */
export const MIN_EPOCH_PULSES = 4n;

/** A validator of the genesis. */
export interface GenesisValidator {
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** Micro-USD. */
  readonly stake: bigint;
  /** Account that may give the validator another key. */
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
  /** What the identity is the hash of. */
  readonly origin: ChainOrigin;
  readonly header: Header;
  readonly state: LedgerState;
  readonly committee: Committee;
}

/** The members of a committee, in its order, as the genesis or the state has them. */
type Members = readonly Pick<SessionMember, "key" | "stake" | "operator">[];

/** The config of a session. @throws {RangeError} unless its members can be a committee. */
export function configOf(
  genesis: Pick<Genesis, "parameters" | "shards" | "insecure">,
  members: Members,
  at: { readonly session: number; readonly epoch: bigint },
): SessionConfig {
  const { parameters, shards, insecure } = genesis;
  const committee = committeeOf(members.map(({ key, stake }) => ({ publicKey: key, stake })));
  return {
    validators: committee.members,
    operators: members.map(({ operator }) => operator),
    parameters: {
      epochPulses: parameters.epochPulses ?? null,
      shards,
      faucet: parameters.faucet ?? false,
      insecure,
    },
    session: at.session,
    epoch: at.epoch,
  };
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
  const members = genesis.validators.map(({ publicKey, stake, operator }) => {
    return { key: publicKey, stake, operator };
  });
  const config = configOf(genesis, members, { session: 0, epoch: 0n });
  const state = genesisState(ledger, {
    shards: genesis.shards,
    accounts: genesis.accounts,
    faucet: genesis.parameters.faucet ?? false,
    validators: genesis.validators,
    ...(epochPulses === undefined ? {} : { epochPulses }),
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
    config: configHash(config),
    forcedRoot: EMPTY_ROOT,
    forcedPending: 0,
    forcedOverdue: 0,
    tail: ZERO_HASH,
    leavesRoot: EMPTY_ROOT,
  };
  const origin: ChainOrigin = { chainId: genesis.chainId, header, config };
  return {
    genesis: toHex(headerDigest(header)),
    chain: toHex(chainIdentity(origin)),
    origin,
    header,
    state,
    committee,
  };
}
