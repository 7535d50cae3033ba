/**
 * What a chain's identity is the hash of: everything a client needs to begin from 64 digits. It is
 * the genesis without the accounts, which Pulse 0's header has under its state root.
 */
import type { Codec } from "#internal/core/mod.ts";
import { decode, encode, equalBytes, struct, text, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { FORMAT_VERSION } from "#internal/ledger/mod.ts";
import type { Header } from "./header.ts";
import { headerCodec, headerDigest } from "./header.ts";
import type { SessionConfig } from "./session_config.ts";
import {
  committeeIn,
  configHash,
  parametersCodec,
  sessionConfigCodec,
  validatorsCodec,
} from "./session_config.ts";
import type { Committee } from "./validator_set.ts";

const CHAIN_TAG = "sion/chain/v1";
const MAX_CHAIN_ID_BYTES = 64;
/** Bound of an origin's encoding: sixteen keys and a header. */
export const MAX_ORIGIN_BYTES = 1 << 16;

/** A chain's beginning. */
export interface ChainOrigin {
  readonly chainId: string;
  /** Pulse 0's. */
  readonly header: Header;
  /** Of session 0. */
  readonly config: SessionConfig;
}

/** An origin that holds together. */
export interface KnownOrigin extends ChainOrigin {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly committee: Committee;
}

/** The encoding in which nodes serve it. */
export const chainOriginCodec: Codec<ChainOrigin> = struct({
  chainId: text(MAX_CHAIN_ID_BYTES),
  header: headerCodec,
  config: sessionConfigCodec,
});

/** The identity of a chain: H(chain id, genesis, validators' keys and stakes, parameters). */
export function chainIdentity({ chainId, header, config }: ChainOrigin): Uint8Array {
  return taggedHash(
    CHAIN_TAG,
    encode(text(MAX_CHAIN_ID_BYTES), chainId),
    headerDigest(header),
    encode(validatorsCodec, config.validators),
    encode(parametersCodec, config.parameters),
  );
}

/**
 * The origin in these bytes, or what is wrong with it. Which chain it is of is for the caller to
 * compare.
 * @throws {SionError} `codec` unless the bytes are an origin's encoding.
 */
export function readOrigin(bytes: Uint8Array): KnownOrigin | string {
  const origin = decode(chainOriginCodec, bytes);
  const { header, config } = origin;
  if (header.version !== FORMAT_VERSION) {
    return `its formats are version ${header.version}, this sion knows ${FORMAT_VERSION}`;
  }
  if (header.number !== 0n || config.session !== 0 || config.epoch !== 0n) {
    return "it is not a beginning";
  }
  const committee = committeeIn(config);
  if (typeof committee === "string") return committee;
  if (!equalBytes(header.config, configHash(config))) {
    return "its validators and parameters are not those of its first header";
  }
  return { ...origin, chain: toHex(chainIdentity(origin)), committee };
}
