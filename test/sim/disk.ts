/**
 * A virtual disk with one validator's file on it. A transaction is durable once it is synced; a crash
 * before that keeps some of those that were begun, whole and in order, as a journal with checksums
 * does: a torn one is as if it had never been. What only waits in memory is lost.
 */
import type { ObjectId } from "#internal/core/mod.ts";
import type {
  OwnRow,
  PulseEffect,
  Restored,
  StoredBlock,
  TakenSnapshot,
} from "#internal/consensus/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import { restoreState } from "#internal/ledger/mod.ts";
import { EMPTY_LOG, logAppend } from "#internal/merkle/mod.ts";
import type {
  GenesisFacts,
  Header,
  PulseCertificate,
  SessionConfig,
  SessionStep,
} from "#internal/proofs/mod.ts";

/** What one commit writes, besides the others' blocks and certificates that wait. */
export interface Write {
  readonly rows: readonly OwnRow[];
  readonly own?: StoredBlock;
  readonly pulse?: PulseEffect;
  readonly snapshot?: TakenSnapshot;
}

interface Transaction extends Write {
  readonly blocks: readonly StoredBlock[];
  readonly certificates: readonly PulseCertificate[];
}

/** A validator's store. */
export class Disk {
  readonly #keptRounds: number;
  readonly #blocks = new Map<string, StoredBlock>();
  /** Units that blocks name, by form. */
  readonly #units = new Map<string, { readonly bytes: Uint8Array; readonly until: number }>();
  /** Ids of own blocks, in the order they were made. */
  readonly #ownIds = new Set<string>();
  readonly #rows = new Map<string, { table: string; key: string; value: Uint8Array }>();
  readonly #objects = new Map<ObjectId, Uint8Array>();
  #knowledge: Uint8Array[] = [];
  readonly #headers: Header[] = [];
  readonly #certificates = new Map<number, PulseCertificate>();
  /** By session: its last Pulse, and who signs after it. */
  readonly #ends = new Map<number, { readonly number: number; readonly next: SessionConfig }>();
  #own: StoredBlock | undefined;
  #tail: { readonly bytes: Uint8Array; readonly keepFrom: number } | undefined;
  #certified = 0;
  /** In memory: others' blocks and certificates, written with the next transaction. */
  #waiting: StoredBlock[] = [];
  #waitingCertificates: PulseCertificate[] = [];
  /** Begun, not durable. */
  #begun: Transaction[] = [];

  /** @param keptRounds blocks so far below the oldest of use are kept. */
  constructor(state: LedgerState, keptRounds: number = Number.POSITIVE_INFINITY) {
    this.#keptRounds = keptRounds;
    for (const [id] of state.entries()) this.#objects.set(id, state.bytes(id) as Uint8Array);
  }

  /** The newest own block that is durable. */
  get own(): StoredBlock | undefined {
    return this.#own;
  }
  /** Durable blocks. */
  blocks(): Iterable<StoredBlock> {
    return this.#blocks.values();
  }
  block(id: string): StoredBlock | undefined {
    return this.#blocks.get(id);
  }
  unit(form: string): Uint8Array | undefined {
    return this.#units.get(form)?.bytes;
  }
  /** The lowest round from which on all blocks of others are here. */
  lowestRound(): number | undefined {
    let lowest: number | undefined;
    for (const { id, round } of this.#blocks.values()) {
      if (!this.#ownIds.has(id) && (lowest === undefined || round < lowest)) lowest = round;
    }
    return lowest;
  }
  get tail(): Uint8Array | undefined {
    return this.#tail?.bytes;
  }
  leaves(from: number): Iterable<Uint8Array> {
    return this.#knowledge.slice(from);
  }
  /** The newest certificate, durable or not. */
  newestCertificate(): PulseCertificate | undefined {
    return this.#waitingCertificates.at(-1) ?? this.#certificates.get(this.#certified);
  }
  /** The ends of sessions that are over, from one on. */
  *steps(session: number): Iterable<SessionStep> {
    for (let at = session;; at++) {
      const end = this.#ends.get(at);
      const certificate = end && this.#certificate(end.number);
      if (end === undefined || certificate === undefined) return;
      yield { certificate, next: end.next };
    }
  }

  #certificate(number: number): PulseCertificate | undefined {
    return this.#certificates.get(number) ??
      this.#waitingCertificates.find(({ header }) => Number(header.number) === number);
  }

  addBlocks(blocks: readonly StoredBlock[]): void {
    this.#waiting.push(...blocks);
  }
  addCertificate(certificate: PulseCertificate): void {
    this.#waitingCertificates.push(certificate);
  }

  /** Begins a transaction. */
  begin(write: Write): void {
    this.#begun.push({
      ...write,
      blocks: this.#waiting,
      certificates: this.#waitingCertificates,
    });
    this.#waiting = [];
    this.#waitingCertificates = [];
  }
  /** Makes the oldest transaction that was begun durable. */
  sync(): void {
    const next = this.#begun.shift();
    if (next !== undefined) this.#apply(next);
  }
  /** @param share of the transactions begun that reached the disk all the same, 0 to 1. */
  crash(share: number): void {
    for (let kept = Math.floor(share * (this.#begun.length + 1)); kept > 0; kept--) this.sync();
    this.#begun = [];
    this.#waiting = [];
    this.#waitingCertificates = [];
  }

  #apply({ rows, own, pulse, snapshot, blocks, certificates }: Transaction): void {
    for (const block of blocks) this.#keep(block);
    for (const certificate of certificates) this.#certify(certificate);
    if (own !== undefined) {
      this.#keep(own);
      this.#ownIds.add(own.id);
      this.#own = own;
    }
    for (const row of rows) {
      const at = `${row.table}/${row.key}`;
      if (row.op === "delete") this.#rows.delete(at);
      else this.#rows.set(at, { table: row.table, key: row.key, value: row.value });
    }
    if (snapshot !== undefined) this.#import(snapshot);
    if (pulse === undefined) return;
    this.#headers.push(pulse.header);
    const { header: { session }, number, nextSession } = pulse;
    if (nextSession !== null) this.#ends.set(session, { number, next: nextSession });
    this.#tail = { bytes: pulse.tail, keepFrom: pulse.keepFrom };
    this.#knowledge.push(...pulse.knowledge);
    for (const [id, bytes] of pulse.changed) this.#objects.set(id, bytes);
    const below = pulse.keepFrom - this.#keptRounds;
    for (const { id, round } of this.#blocks.values()) {
      if (round < below && id !== this.#own?.id) this.#blocks.delete(id);
    }
    for (const [form, { until }] of this.#units) if (until < below) this.#units.delete(form);
  }

  #keep({ units = [], ...block }: StoredBlock): void {
    this.#blocks.set(block.id, block);
    for (const { form, until, ...unit } of units) {
      const known = this.#units.get(form);
      const bytes = unit.bytes ?? known?.bytes;
      if (bytes === undefined) throw new Error(`Unit ${form} was never given to the disk`);
      this.#units.set(form, { bytes, until: Math.max(until, known?.until ?? 0) });
    }
  }

  #certify(certificate: PulseCertificate): void {
    const number = Number(certificate.header.number);
    this.#certificates.set(number, certificate);
    this.#certified = Math.max(this.#certified, number);
  }

  #import(snapshot: TakenSnapshot): void {
    this.#objects.clear();
    for (const [key, bytes] of snapshot.objects) this.#objects.set(key, bytes);
    this.#knowledge = [...snapshot.leaves];
    this.#headers.push(snapshot.certificate.header);
    this.#tail = { bytes: snapshot.tail, keepFrom: snapshot.keepFrom };
    for (const { certificate, next } of snapshot.steps) {
      const { session, number } = certificate.header;
      this.#certify(certificate);
      this.#ends.set(session, { number: Number(number), next });
    }
    this.#certify(snapshot.certificate);
    for (const { id, round } of this.#blocks.values()) {
      if (round < snapshot.wholeFrom && !this.#ownIds.has(id)) this.#blocks.delete(id);
    }
    for (const block of snapshot.blocks) {
      if (!this.#blocks.has(block.id)) this.#keep(block);
    }
  }

  /** What the next run of the validator goes on from, read back from bytes. */
  restored(origin: GenesisFacts, ledger: Ledger, shards: number): Restored {
    const from = this.#tail?.keepFrom ?? 0;
    return {
      header: this.#headers.at(-1) ?? origin.header,
      state: restoreState(ledger, {
        shards,
        objects: this.#objects,
        knowledge: this.#knowledge.reduce(logAppend, EMPTY_LOG),
      }),
      ...(this.#tail === undefined ? {} : { tail: this.#tail.bytes }),
      blocks: [...this.#blocks.values()].filter(({ round }) => round >= from),
      unit: (form) => this.unit(form),
      ...(this.#own === undefined ? {} : { own: this.#own }),
      rows: this.#rows.values(),
      certified: this.#certified,
      uncertified: this.#headers.filter(({ number }) => Number(number) > this.#certified),
    };
  }
}
