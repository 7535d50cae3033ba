/**
 * A virtual disk with one validator's file on it. A transaction is durable once it is synced; a crash
 * before that keeps some of those that were begun, whole and in order, as a journal with checksums
 * does: a torn one is as if it had never been. What only waits in memory is lost.
 */
import type { ObjectId } from "#internal/core/mod.ts";
import type { OwnRow, PulseEffect, Restored, StoredBlock } from "#internal/consensus/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import { restoreState } from "#internal/ledger/mod.ts";
import { EMPTY_LOG, logAppend } from "#internal/merkle/mod.ts";
import type { GenesisFacts, Header } from "#internal/proofs/mod.ts";

/** What one commit writes, besides the others' blocks and certificates that wait. */
export interface Write {
  readonly rows: readonly OwnRow[];
  readonly own?: StoredBlock;
  readonly pulse?: PulseEffect;
}

interface Transaction extends Write {
  readonly blocks: readonly StoredBlock[];
  readonly certified: number;
}

/** A validator's store. */
export class Disk {
  readonly #blocks = new Map<string, StoredBlock>();
  readonly #rows = new Map<string, { table: string; key: string; value: Uint8Array }>();
  readonly #objects = new Map<ObjectId, Uint8Array>();
  readonly #knowledge: Uint8Array[] = [];
  readonly #headers: Header[] = [];
  #own: StoredBlock | undefined;
  #tail: { readonly bytes: Uint8Array; readonly keepFrom: number } | undefined;
  #certified = 0;
  /** In memory: others' blocks and the newest certificate, written with the next transaction. */
  #waiting: StoredBlock[] = [];
  #waitingCertified = 0;
  /** Begun, not durable. */
  #begun: Transaction[] = [];

  constructor(state: LedgerState) {
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

  addBlocks(blocks: readonly StoredBlock[]): void {
    this.#waiting.push(...blocks);
  }
  addCertificate(number: number): void {
    this.#waitingCertified = Math.max(this.#waitingCertified, number);
  }

  /** Begins a transaction. */
  begin(write: Write): void {
    this.#begun.push({ ...write, blocks: this.#waiting, certified: this.#waitingCertified });
    this.#waiting = [];
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
    this.#waitingCertified = this.#certified;
  }

  #apply({ rows, own, pulse, blocks, certified }: Transaction): void {
    for (const block of blocks) this.#blocks.set(block.id, block);
    this.#certified = Math.max(this.#certified, certified);
    if (own !== undefined) {
      this.#blocks.set(own.id, own);
      this.#own = own;
    }
    for (const row of rows) {
      const at = `${row.table}/${row.key}`;
      if (row.op === "delete") this.#rows.delete(at);
      else this.#rows.set(at, { table: row.table, key: row.key, value: row.value });
    }
    if (pulse === undefined) return;
    this.#headers.push(pulse.header);
    this.#tail = { bytes: pulse.tail, keepFrom: pulse.keepFrom };
    this.#knowledge.push(...pulse.knowledge);
    for (const [id, bytes] of pulse.changed) this.#objects.set(id, bytes);
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
      ...(this.#own === undefined ? {} : { own: this.#own }),
      rows: this.#rows.values(),
      certified: this.#certified,
      uncertified: this.#headers.filter(({ number }) => Number(number) > this.#certified),
    };
  }
}
