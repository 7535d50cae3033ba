/**
 * Whom a validator saw contradict itself, with what shows it: made durable with the next block or Pulse,
 * and kept, within bounds, until an operator shows it to the ledger.
 */
import { decode, encode } from "#internal/core/mod.ts";
import type { Accusation } from "#internal/proofs/mod.ts";
import { accusationCodec, MAX_ACCUSATION_BYTES } from "#internal/proofs/mod.ts";
import type { OwnState } from "./own_state.ts";
import type { OwnRow } from "./records.ts";

const TABLE = "accused";
/** One for each validator and session; beyond it those of the oldest session go. */
const MAX_ACCUSED = 64;
/** Bytes of all. */
const MAX_ACCUSED_BYTES = 2 << 20;

interface Kept {
  readonly session: number;
  readonly accusation: Accusation;
  readonly bytes: number;
}

/** Accusations of all sessions, by session and author. */
export class Accusations {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  list(): readonly Accusation[] {
    return [...this.#kept.values()].map(({ accusation }) => accusation);
  }

  /**
   * Keeps what shows an offence, unless it is too large, or the author is accused for the session already: it
   * is slashed once for it.
   * @param own whose rows become durable next.
   * @returns whether it is new.
   */
  note(session: number, author: number, accusation: Accusation, own: OwnState): boolean {
    const key = `${session}/${author}`;
    if (this.#kept.has(key)) return false;
    const value = encode(accusationCodec, accusation);
    if (value.length > MAX_ACCUSATION_BYTES) return true;
    this.#keep(key, { session, accusation, bytes: value.length });
    own.keep({ op: "put", table: TABLE, key, value });
    while (this.#kept.size > MAX_ACCUSED || this.#bytes > MAX_ACCUSED_BYTES) this.#dropOldest(own);
    return true;
  }

  /** Takes back what an earlier run kept; other rows are passed over. */
  restore({ table, key, value }: Pick<OwnRow & { op: "put" }, "table" | "key" | "value">): void {
    if (table !== TABLE) return;
    const session = Number(key.split("/")[0]);
    const accusation = decode(accusationCodec, value);
    this.#keep(key, { session, accusation, bytes: value.length });
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
  }

  #dropOldest(own: OwnState): void {
    const [oldest] = [...this.#kept].sort(([, a], [, b]) => a.session - b.session);
    if (oldest === undefined) return;
    const [key, { bytes }] = oldest;
    this.#kept.delete(key);
    this.#bytes -= bytes;
    own.keep({ op: "delete", table: TABLE, key });
  }
}
