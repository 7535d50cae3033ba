/** The deals that a provider has something to do about: when each is looked at, and again after a failure. */
import { SionError } from "#internal/core/mod.ts";
import { codeOf } from "#internal/runtime/mod.ts";

/** Pulses until what failed is tried again, doubled each time. */
const FIRST_RETRY_PULSES = 1;
const MAX_RETRY_PULSES = 64;
/** A round that is not proven yet is tried at least so often: what is missed costs collateral. */
const TRIES_PER_ROUND = 8;
/** What stops a provider: nothing that waiting would mend. */
const FATAL: ReadonlySet<string> = new Set(["other-chain", "wallet-unknown", "file-exposed"]);

/** A deal that there is something to do about. */
export interface Job {
  readonly id: string;
  /** What is done about it now. */
  running: boolean;
  /** Failures in a row. */
  failures: number;
  /** The Pulse before which there is nothing to do, and the one that was looked at last. */
  notBefore: number;
  lookedAt: number;
  /** The round that is to be proven: its length and the first Pulse after it. */
  round: { readonly length: number; readonly end: number } | undefined;
  /** It found no free place to fetch at: looked at again when there is one. */
  isCrowdedOut: boolean;
  /** The last round whose proof the ledger did not take: it would not take another either. */
  refusedRound: number;
}

/** What the jobs of a provider need of it. */
interface JobsOptions {
  /** Does what there is to do about a deal at this Pulse, if there is something. */
  readonly work: (job: Job) => Promise<void>;
  /** The provider is to stop: what fails then is given up. */
  readonly isStopped: () => boolean;
  /** Told of what is tried again. */
  readonly onFailed: (job: Job, error: unknown) => void;
}

/** Jobs by their deals' ids; each runs once at a time. */
export class ProviderJobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  /** Deals that do not meet the terms. */
  readonly #passedOver = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #pulse = 0;
  /** What ends the provider, thrown as it was. */
  #fatal: { readonly error: unknown } | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Looks at a deal at the next turn. */
  wake(id: string): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) job.notBefore = 0;
    else if (!this.#passedOver.has(id)) {
      const fresh = { failures: 0, notBefore: 0, lookedAt: 0, refusedRound: 0, round: undefined };
      this.#jobs.set(id, { id, running: false, isCrowdedOut: false, ...fresh });
    }
  }

  /** There is nothing more to do about a deal. */
  drop(id: string): void {
    this.#jobs.delete(id);
  }

  /** A deal is not taken by the terms, now or later. */
  passOver(id: string): void {
    this.#passedOver.add(id);
  }

  /** A place to fetch at is free. */
  lookAtCrowdedOut(): void {
    for (const job of this.#jobs.values()) if (job.isCrowdedOut) job.lookedAt = 0;
  }

  /** Starts what there is to do at a Pulse. */
  startAll(pulse: number): void {
    this.#pulse = pulse;
    // A host that keeps failing its files does not stand before those that were not asked yet.
    const jobs = [...this.#jobs.values()].sort((a, b) => a.failures - b.failures);
    for (const job of jobs) this.#start(job);
  }

  /** Throws what ended the provider, if something did. */
  throwFatal(): void {
    if (this.#fatal !== undefined) throw this.#fatal.error;
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #start(job: Job): void {
    if (job.running || this.#pulse < job.notBefore || this.#pulse === job.lookedAt) return;
    job.running = true;
    job.lookedAt = this.#pulse;
    const work = this.#options.work(job).catch((error: unknown) => this.#failed(job, error))
      .finally(() => {
        job.running = false;
        this.#running.delete(work);
      });
    this.#running.add(work);
  }

  #failed(job: Job, error: unknown): void {
    if (this.#options.isStopped()) return;
    if (!isPassing(error)) {
      this.#fatal = { error };
      return;
    }
    job.notBefore = this.#pulse + retryPulses(job, this.#pulse);
    job.failures++;
    this.#options.onFailed(job, error);
  }
}

/** Whether waiting may mend it: what nodes, other machines and disks do, and not a fault of sion's. */
export function isPassing(error: unknown): boolean {
  return error instanceof SionError ? !FATAL.has(error.code) : /^E[A-Z\d]+$/.test(codeOf(error));
}

/** Pulses until a deal is tried again: soon while a round waits for its proof. */
function retryPulses({ failures, round }: Job, pulse: number): number {
  const most = round === undefined
    ? MAX_RETRY_PULSES
    : Math.min(Math.floor(round.length / TRIES_PER_ROUND), round.end - pulse);
  return Math.max(1, Math.min(most, MAX_RETRY_PULSES, FIRST_RETRY_PULSES * 2 ** failures));
}
