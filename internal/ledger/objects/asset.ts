/** An asset: what it is called, how much was ever issued, and what of it belongs to the chain. */
import { MAX_AMOUNT, text, toHex, u64, utf8 } from "#internal/core/mod.ts";
import { bool, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

const ASSET_TAG = "sion/asset/v1";
const MAX_SYMBOL_BYTES = 12;

/** The id of the asset of a symbol, the same on every chain. */
export function assetId(symbol: string): string {
  return toHex(taggedHash(ASSET_TAG, utf8(symbol)));
}

/** The asset that fees are paid in. */
export const USD: string = assetId("USD");

/** The most of an asset that can exist, in micro-units, so that no balance can overflow. */
export const MAX_SUPPLY: bigint = MAX_AMOUNT;

const codec = struct({
  symbol: text(MAX_SYMBOL_BYTES),
  /** Whether the faucet may make more of it: on a devnet only. */
  faucetAllowed: bool,
  /** Issued at genesis. */
  genesis: u64,
  /** Issued by the faucet. */
  faucet: u64,
  /** Fees taken and not shared out. */
  fees: u64,
  treasury: u64,
});

/** Amounts are micro-units. */
export type Asset = ValueOf<typeof codec>;

export const assetKind = defineObjectKind({
  name: "asset",
  tag: 2,
  codec,
  holds: (value: Asset, add) => add(assetId(value.symbol), value.fees + value.treasury),
  issued: (value: Asset, add) => add(assetId(value.symbol), value.genesis + value.faucet),
  view: (value: Asset) => ({
    symbol: value.symbol,
    faucet_allowed: value.faucetAllowed,
    genesis: value.genesis,
    faucet: value.faucet,
    fees: value.fees,
    treasury: value.treasury,
  }),
});
