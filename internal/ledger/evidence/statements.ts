/**
 * The statements that clients and light clients meet in certificates. In a block each is written as
 * its tag and its fields; `consensus` holds the rules of when they may be made and how they count.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import { bytes32, encode, id, option, struct, u64, u8 } from "#internal/core/mod.ts";

/** Tags of statements; never reused. */
export const STATEMENT_TAGS = { vote: 1, confirm: 2, stop: 3, pulseVote: 4 } as const;

/** `Vote` and `Confirm`: about a unit, by its digest. */
export interface UnitStatement {
  readonly unit: string;
}

/** `PulseVote`: I executed this Pulse, its header has this digest, and I hold its data. */
export interface PulseStatement {
  readonly pulse: bigint;
  readonly header: Uint8Array;
}

/** `Stop`: I vote no more on this slot; `named` is the unit that had its vote quorum. */
export interface StopStatement {
  readonly account: AccountId;
  readonly sequence: bigint;
  readonly named: string | null;
}

export const unitStatementCodec: Codec<UnitStatement> = struct({ unit: id });
export const pulseStatementCodec: Codec<PulseStatement> = struct({ pulse: u64, header: bytes32 });

export const stopStatementCodec: Codec<StopStatement> = struct({
  account: id,
  sequence: u64,
  named: option(id),
});

/** A statement as blocks and certificates hold it: one byte of tag, then the fields. */
export function encodeStatement<T>(tag: number, codec: Codec<T>, body: T): Uint8Array {
  return encode(struct({ tag: u8, body: codec }), { tag, body });
}
