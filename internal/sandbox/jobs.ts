/**
 * Commands that run beside the conversation: a server, a long build. They are started, looked at and
 * ended by number, and die with the sandbox. Nothing they print is lost within bounds, since what was
 * not read yet is kept head and tail.
 */
import type { Readable } from "node:stream";
import type { KeptOutput } from "./output_keeper.ts";
import { OutputKeeper } from "./output_keeper.ts";
import { OUTPUT_BYTES } from "./run_command.ts";
import type { Sandbox, Sandboxed } from "./sandbox.ts";

/** Jobs that run at a time. */
const MOST_RUNNING = 8;
/** Ended jobs that can still be asked about. */
const MOST_ENDED = 32;

/** What a job came to since it was last looked at. */
export interface JobNews {
  readonly job: number;
  readonly command: string;
  /** Missing while it runs. */
  readonly status?: number;
  /** Whether it was ended by a call, not by itself. */
  readonly stopped: boolean;
  /** Both streams in the order they came. */
  readonly output: KeptOutput;
}

/** A job's number and where it stands, without taking its news. */
export interface JobStanding {
  readonly job: number;
  readonly command: string;
  readonly status?: number;
}

/** A job. Its keeper is replaced each time it is read. */
interface Job {
  readonly command: string;
  readonly running: Sandboxed;
  readonly ended: Promise<void>;
  news: OutputKeeper;
  status?: number;
  stopped: boolean;
}

/** The jobs of one sandbox. */
export class BackgroundJobs {
  readonly #sandbox: Sandbox;
  readonly #jobs = new Map<number, Job>();
  #last = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /**
   * Starts a command by the shell; gives its number, or nothing when too many run.
   * @throws {SandboxError} `sandbox-missing` when it could not be started
   */
  async start(command: string): Promise<number | undefined> {
    if (this.standing().filter(({ status }) => status === undefined).length >= MOST_RUNNING) {
      return undefined;
    }
    const running = await this.#sandbox.start({ argv: ["/bin/sh", "-c", command] });
    const job: Job = {
      command,
      running,
      news: new OutputKeeper(OUTPUT_BYTES),
      stopped: false,
      ended: Promise.all([
        hear(running.stdout, () => job),
        hear(running.stderr, () => job),
        running.exited,
      ]).then(([, , { status }]) => {
        job.status = status;
      }),
    };
    this.#jobs.set(++this.#last, job);
    this.#forget();
    return this.#last;
  }

  /** All that is known of, in the order they were started. */
  standing(): readonly JobStanding[] {
    return [...this.#jobs].map(([number, { command, status }]) => ({
      job: number,
      command,
      ...(status === undefined ? {} : { status }),
    }));
  }

  /**
   * What a job printed since the last time; nothing for a number that none has.
   * @param waitMs waits for its end, so long at most
   */
  async read(
    number: number,
    { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<JobNews | undefined> {
    const job = this.#jobs.get(number);
    if (job === undefined) return undefined;
    if (waitMs > 0 && job.status === undefined) await waitForEnd(job, waitMs, signal);
    return news(number, job);
  }

  /** Ends a job with all that it started, and gives what it printed. */
  async stop(number: number): Promise<JobNews | undefined> {
    const job = this.#jobs.get(number);
    if (job === undefined) return undefined;
    if (job.status === undefined) {
      job.stopped = true;
      job.running.kill();
      await job.ended;
    }
    return news(number, job);
  }

  /** Drops the oldest of those that have ended. */
  #forget(): void {
    const ended = this.standing().filter(({ status }) => status !== undefined);
    for (const { job } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) {
      this.#jobs.delete(job);
    }
  }
}

/** The job is there once output is: it is made while its streams are opened. */
async function hear(stream: Readable, job: () => Job): Promise<void> {
  for await (const piece of stream as AsyncIterable<Uint8Array>) job().news.push(piece);
}

function news(number: number, job: Job): JobNews {
  const output = job.news.kept();
  job.news = new OutputKeeper(OUTPUT_BYTES);
  return {
    job: number,
    command: job.command,
    stopped: job.stopped,
    output,
    ...(job.status === undefined ? {} : { status: job.status }),
  };
}

async function waitForEnd(job: Job, waitMs: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    await Promise.race([job.ended, time]);
  } finally {
    clearTimeout(timer);
  }
}
