/**
 * Units that their owners force in: once such a unit is ordered it must execute or die within a
 * deadline, whatever a minority of validators prefers.
 */
import type { AccountId } from "#internal/core/mod.ts";
import { encode, id, struct, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";
import type { UnitFacts } from "./unit_facts.ts";

/** Pulses for which a forced unit must still be valid when it is admitted. */
const FORCED_VALIDITY_PULSES = 12;
/** Pulses after which its slot is stopped. */
const FORCED_DUE_PULSES = 4;
/** Pulses after which it is overdue. */
const FORCED_DEADLINE_PULSES = 8;

const FORCED_TAG = "sion/forced/v1";
const leafCodec = struct({ unit: id, deadline: u64 });

/** A forced unit. */
export interface ForcedEntry {
  readonly facts: UnitFacts;
  /** The Pulse in which it was ordered. */
  readonly admitted: number;
  /** From then on it leaves only with its slot. */
  readonly due: boolean;
}

/** The forced units of the order, at most one an account. */
export class ForcedSet {
  readonly #ledger: Ledger;
  readonly #chain: string;
  readonly #entries = new Map<AccountId, ForcedEntry>();

  constructor(context: { readonly ledger: Ledger; readonly chain: string }) {
    this.#ledger = context.ledger;
    this.#chain = context.chain;
  }

  /** By account, ascending. */
  entries(): readonly ForcedEntry[] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }

  /** The forced unit of a slot. */
  on(account: AccountId, sequence: bigint): ForcedEntry | undefined {
    const entry = this.#entries.get(account);
    return entry?.facts.slots[0]?.sequence === sequence ? entry : undefined;
  }

  /** Admits a unit if the rules allow it; decided with the state before the Pulse. */
  admit(
    facts: UnitFacts,
    state: LedgerState,
    pulse: number,
    next: (account: AccountId) => bigint | undefined,
  ): void {
    const [slot, ...others] = facts.slots;
    if (slot === undefined || others.length > 0 || this.#entries.has(slot.account)) return;
    if (next(slot.account) !== slot.sequence) return;
    if (facts.signed.unit.validUntil < BigInt(pulse + FORCED_VALIDITY_PULSES)) return;
    const votable = this.#ledger.checkForVote(state, facts.signed, {
      chain: this.#chain,
      head: BigInt(pulse - 1),
      reservedOf: () => 0n,
    });
    if (votable.ok) this.#entries.set(slot.account, { facts, admitted: pulse, due: false });
  }

  slotConsumed(account: AccountId, sequence: bigint): void {
    if (this.on(account, sequence) !== undefined) this.#entries.delete(account);
  }

  /** Those that died leave, unless they are due: then their slot is settled first. */
  afterAnchor(round: number): void {
    for (const [account, { facts, due }] of this.#entries) {
      if (!due && facts.bound <= round) this.#entries.delete(account);
    }
  }

  pulseExecuted(pulse: number): void {
    for (const [account, entry] of this.#entries) {
      if (!entry.due && pulse >= entry.admitted + FORCED_DUE_PULSES) {
        this.#entries.set(account, { ...entry, due: true });
      }
    }
  }

  restore(entries: readonly ForcedEntry[]): void {
    for (const entry of entries) {
      const account = entry.facts.slots[0]?.account;
      if (account !== undefined) this.#entries.set(account, entry);
    }
  }

  /** Those past their deadline when `pulse` is executed. */
  overdue(pulse: number): number {
    return this.entries().filter(({ admitted }) => pulse > admitted + FORCED_DEADLINE_PULSES)
      .length;
  }

  /** RFC 6962 root over the units with their deadlines. */
  root(): Uint8Array {
    return logRoot(
      this.entries().map(({ facts, admitted }) =>
        taggedHash(
          FORCED_TAG,
          encode(leafCodec, {
            unit: facts.digest,
            deadline: BigInt(admitted + FORCED_DEADLINE_PULSES),
          }),
        )
      ),
    );
  }
}
