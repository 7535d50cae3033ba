/** Snapshots at a host: the product's own ways of showing and taking them, over its virtual disk. */
import { fromHex } from "#internal/core/mod.ts";
import type { Message, ShownPulse, TakenSnapshot, Validator } from "#internal/consensus/mod.ts";
import { SnapshotClient, SnapshotShelf } from "#internal/consensus/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import type { ClaimedSignature, Committee, Genesis, GenesisFacts } from "#internal/proofs/mod.ts";
import type { Disk } from "./disk.ts";

/** The chain that snapshots are of. */
export interface SnapshotChain {
  readonly ledger: Ledger;
  readonly genesis: Genesis;
  readonly origin: GenesisFacts;
  readonly keptRounds: number;
  readonly retryMs: number;
  /** Whether a signature is the author's. */
  readonly holds: (signature: ClaimedSignature) => boolean;
}

/** What a host's snapshots work with. */
export interface HostSnapshotsOptions extends SnapshotChain {
  readonly self: number;
  readonly validator: () => Validator;
  readonly disk: Disk;
  readonly nowMs: () => number;
  readonly wake: (atMs: number) => void;
  readonly send: (to: number, message: Message) => void;
  readonly refused: (peer: number, reason: string) => void;
  readonly taken: (snapshot: TakenSnapshot) => void;
}

/** A host's shelf and client. */
export class HostSnapshots {
  readonly shelf: SnapshotShelf;
  readonly client: SnapshotClient;
  readonly #options: HostSnapshotsOptions;
  readonly #recent = new Map<number, { state: LedgerState; tail: Uint8Array }>();

  constructor(options: HostSnapshotsOptions) {
    this.#options = options;
    const { genesis, origin, ledger, disk, validator, self } = options;
    this.shelf = new SnapshotShelf({
      keptRounds: options.keptRounds,
      newest: () => this.#newest(),
      leaves: (from) => disk.leaves(from),
      steps: (session) => disk.steps(session),
    });
    this.client = new SnapshotClient({
      ledger,
      chain: fromHex(origin.chain),
      shards: genesis.shards,
      retryMs: options.retryMs,
      known: () => {
        const config = validator().session();
        return { config, committee: validator().committeeOf(config.session) as Committee };
      },
      pulse: () => Number(validator().header().number),
      peers: () => genesis.validators.map((_, i) => i).filter((i) => i !== self),
      isHeld: (id) => disk.block(id) !== undefined,
      isUnitHeld: (form) => disk.unit(form) !== undefined,
      nowMs: options.nowMs,
      wake: options.wake,
      send: options.send,
      verify: (signatures, done) => done(signatures.every(options.holds)),
      refused: options.refused,
      taken: (snapshot) => {
        this.#recent.clear();
        options.taken(snapshot);
      },
    });
  }

  executed(number: number, state: LedgerState, tail: Uint8Array): void {
    this.#recent.set(number, { state, tail });
    this.shelf.executed(number);
  }
  certified(number: number): void {
    for (const known of this.#recent.keys()) if (known < number) this.#recent.delete(known);
  }

  #newest(): ShownPulse | undefined {
    const { disk, validator } = this.#options;
    const certificate = disk.newestCertificate();
    const number = certificate?.header.number;
    if (certificate === undefined || number === undefined) return undefined;
    const known = this.#recent.get(Number(number));
    if (known !== undefined) return { certificate, ...known };
    const { tail } = disk;
    if (number !== validator().header().number || tail === undefined) return undefined;
    return { certificate, state: validator().state(), tail };
  }
}
