/**
 * Who the validators of a session are and what the chain's parameters are: what a header's `config`
 * is the hash of. A light client goes from the genesis' to any later one by certificates.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import {
  bool,
  byteString,
  encode,
  id,
  list,
  option,
  struct,
  u32,
  u64,
} from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import type { Committee } from "./validator_set.ts";
import { committeeOf, cutWeights, MAX_COMMITTEE, validatorId } from "./validator_set.ts";

const CONFIG_TAG = "sion/config/v1";

/** A validator as a session has it. */
export interface SessionValidator {
  /** Hash of its keys, 64 hex digits. */
  readonly id: string;
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** Micro-USD. */
  readonly stake: bigint;
  /** The stake, cut so that nobody has a third. */
  readonly weight: bigint;
}

/** Parameters as they are hashed. */
export interface ParameterFields {
  /** Pulses of an epoch; null: the first never ends. */
  readonly epochPulses: bigint | null;
  readonly shards: number;
  readonly faucet: boolean;
  readonly insecure: boolean;
}

/** A session's validators and the chain's parameters. */
export interface SessionConfig {
  readonly validators: readonly SessionValidator[];
  /** One a validator. */
  readonly operators: readonly AccountId[];
  readonly parameters: ParameterFields;
  readonly session: number;
  readonly epoch: bigint;
}

/** The validators as the chain identity and every `config` have them: their ids follow. */
export const validatorsCodec: Codec<readonly Omit<SessionValidator, "id">[]> = list(
  struct({ publicKey: byteString(DUAL_PUBLIC_KEY_BYTES), stake: u64, weight: u64 }),
  MAX_COMMITTEE,
);
const operatorsCodec: Codec<readonly AccountId[]> = list(id, MAX_COMMITTEE);
const placeCodec = struct({ session: u32, epoch: u64 });

/** The encoding of the parameters. */
export const parametersCodec: Codec<ParameterFields> = struct({
  epochPulses: option(u64),
  shards: u32,
  faucet: bool,
  insecure: bool,
});

/** The encoding in which nodes serve it. */
export const sessionConfigCodec: Codec<SessionConfig> = struct({
  validators: list(
    struct({ id, publicKey: byteString(DUAL_PUBLIC_KEY_BYTES), stake: u64, weight: u64 }),
    MAX_COMMITTEE,
  ),
  operators: operatorsCodec,
  parameters: parametersCodec,
  session: u32,
  epoch: u64,
});

/** A header's `config`: H(validators, keys, weights, parameters, session, epoch). */
export function configHash(config: SessionConfig): Uint8Array {
  return taggedHash(
    CONFIG_TAG,
    encode(validatorsCodec, config.validators),
    encode(operatorsCodec, config.operators),
    encode(parametersCodec, config.parameters),
    encode(placeCodec, config),
  );
}

/** The `config` of a session's last header: that of the session and that of the next. */
export function lastConfigHash(current: Uint8Array, next: Uint8Array): Uint8Array {
  return taggedHash(CONFIG_TAG, current, next);
}

/**
 * The committee of a config that somebody claims, or what is wrong with it: ids have to be derived
 * from the keys, weights from the stakes.
 */
export function committeeIn(config: SessionConfig): Committee | string {
  const { validators, operators } = config;
  if (operators.length !== validators.length) return "it has not one operator a validator";
  if (validators.some(({ id, publicKey }) => id !== validatorId(publicKey))) {
    return "a validator's identifier is not that of its keys";
  }
  const weights = cutWeights(validators.map(({ stake }) => stake));
  if (validators.some(({ weight }, i) => weight !== weights[i])) {
    return "a validator's weight is not that of its stake";
  }
  try {
    return committeeOf(validators);
  } catch (error) {
    if (error instanceof RangeError) return "its validators cannot be a committee";
    throw error;
  }
}
