/**
 * Signed units whose authorizations hold, by their forms: those that held blocks name, for as long as
 * ordering may ask for them, and those that no block names yet, bounded for each who sent them.
 */
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import type { StoredUnit } from "./records.ts";
import { UNIT_ROUNDS } from "./records.ts";

/** Bytes of one sender's units that no held block names; the oldest are forgotten beyond it. */
const MAX_LOOSE_BYTES = 8 << 20;

/** Stands for this validator where units are told apart by who sent them. */
export const OWN = -1;

/** A unit that can be carried. */
export interface PooledUnit {
  /** The unit's digest. */
  readonly digest: string;
  /** Bytes of the signed unit. */
  readonly size: number;
  /** Undefined once the unit is decided and the blocks that named it are long ordered. */
  signed: SignedUnit | undefined;
}

interface NamedUnit extends PooledUnit {
  /** The store keeps it as long as blocks of this round. */
  until: number;
}

interface Sender {
  readonly forms: Map<string, SignedUnit>;
  bytes: number;
}

/** The units of one session. */
export class UnitPool {
  readonly #ledger: Pick<Ledger, "formOf" | "encodeSigned" | "unitDigest">;
  readonly #named = new Map<string, NamedUnit>();
  /** Units that no held block names, by who sent them. */
  readonly #loose = new Map<number, Sender>();
  readonly #senderOf = new Map<string, number>();

  constructor(ledger: Pick<Ledger, "formOf" | "encodeSigned" | "unitDigest">) {
    this.#ledger = ledger;
  }

  /** Number of units that no held block names. */
  get looseCount(): number {
    return this.#senderOf.size;
  }

  has(form: string): boolean {
    return this.#named.has(form) || this.#senderOf.has(form);
  }

  get(form: string): PooledUnit | undefined {
    const named = this.#named.get(form);
    if (named !== undefined) return named;
    const signed = this.#looseUnit(form);
    return signed && this.#pooled(signed);
  }

  /** Canonical bytes, as far as they are in memory. */
  bytesOf(form: string): Uint8Array | undefined {
    const signed = this.#named.get(form)?.signed ?? this.#looseUnit(form);
    return signed && this.#ledger.encodeSigned(signed);
  }

  /** Takes a unit whose authorization holds. @param from who sent it, or {@link OWN} */
  add(signed: SignedUnit, from: number): string {
    const form = this.#ledger.formOf(signed);
    if (this.has(form)) return form;
    const sender = this.#loose.get(from) ?? { forms: new Map(), bytes: 0 };
    this.#loose.set(from, sender);
    sender.forms.set(form, signed);
    sender.bytes += this.#ledger.encodeSigned(signed).length;
    this.#senderOf.set(form, from);
    for (const oldest of sender.forms.keys()) {
      if (sender.bytes <= MAX_LOOSE_BYTES || sender.forms.size === 1) break;
      this.#loosen(oldest);
    }
    return form;
  }

  /**
   * A block of this round that is taken in names the unit.
   * @param isStored the store has it with an earlier run's blocks.
   * @returns what the store is to keep of it, if that is new.
   * @throws {RangeError} when it is not here.
   */
  name(form: string, round: number, isStored = false): StoredUnit | undefined {
    const known = this.#named.get(form);
    if (known !== undefined) {
      if (round <= known.until) return undefined;
      known.until = isStored ? round : round + UNIT_ROUNDS;
      return { form, bytes: undefined, until: known.until };
    }
    const signed = this.#loosen(form);
    if (signed === undefined) throw new RangeError(`Cannot name unit ${form}: it is not here`);
    const until = isStored ? round : round + UNIT_ROUNDS;
    this.#named.set(form, { ...this.#pooled(signed), until });
    return { form, bytes: this.#ledger.encodeSigned(signed), until };
  }

  /** Units that are decided: their bytes are the store's alone. */
  strip(forms: Iterable<string>): void {
    for (const form of forms) {
      const named = this.#named.get(form);
      if (named !== undefined) named.signed = undefined;
    }
  }

  /** No held block names them any more. */
  forget(forms: Iterable<string>): void {
    for (const form of forms) this.#named.delete(form);
  }

  /** No held block names them any more, but they wait to be carried: the store is given them anew with the next. */
  unname(forms: Iterable<string>): void {
    for (const form of forms) {
      const signed = this.#named.get(form)?.signed;
      this.#named.delete(form);
      if (signed !== undefined) this.add(signed, OWN);
    }
  }

  /** Takes over what is held of the session before: what it left undecided is carried again. */
  inherit(before: UnitPool): void {
    for (const { signed } of before.#named.values()) {
      if (signed !== undefined) this.add(signed, OWN);
    }
    for (const [from, { forms }] of before.#loose) {
      for (const signed of forms.values()) this.add(signed, from);
    }
  }

  #pooled(signed: SignedUnit): PooledUnit {
    const { unitDigest, encodeSigned } = this.#ledger;
    return { digest: unitDigest(signed.unit), size: encodeSigned(signed).length, signed };
  }

  #looseUnit(form: string): SignedUnit | undefined {
    const from = this.#senderOf.get(form);
    return from === undefined ? undefined : this.#loose.get(from)?.forms.get(form);
  }

  /** Takes a unit out of those that no block names. */
  #loosen(form: string): SignedUnit | undefined {
    const from = this.#senderOf.get(form);
    const sender = from === undefined ? undefined : this.#loose.get(from);
    const signed = sender?.forms.get(form);
    if (from === undefined || sender === undefined || signed === undefined) return undefined;
    this.#senderOf.delete(form);
    sender.forms.delete(form);
    sender.bytes -= this.#ledger.encodeSigned(signed).length;
    if (sender.forms.size === 0) this.#loose.delete(from);
    return signed;
  }
}
