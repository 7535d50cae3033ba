/** The commands of an open sandbox: which run, and that none is left when it is closed. */
import type { Sandboxed } from "../sandbox.ts";

/** Keeps account of them. */
export class Commands {
  readonly #running = new Set<Sandboxed>();
  readonly #starting = new Set<Promise<Sandboxed>>();
  #closed = false;

  /** Whether none can be started any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Starts one. @throws {TypeError} when the sandbox is closed */
  start<S extends Sandboxed>(begin: () => Promise<S>): Promise<S> {
    if (this.#closed) throw new TypeError("Cannot start a command: the sandbox is closed");
    const starting = this.#begin(begin);
    this.#starting.add(starting);
    const settled = (): void => void this.#starting.delete(starting);
    starting.then(settled, settled);
    return starting;
  }

  /** Ends all of them, those too that are only being started; resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#starting);
    const running = [...this.#running];
    for (const one of running) one.kill();
    await Promise.all(running.map(({ exited }) => exited));
  }

  async #begin<S extends Sandboxed>(begin: () => Promise<S>): Promise<S> {
    const sandboxed = await begin();
    this.#running.add(sandboxed);
    void sandboxed.exited.finally(() => this.#running.delete(sandboxed));
    return sandboxed;
  }
}

/** Whether a trial command worked. @returns what it said when not @param limitMs of its time */
export async function tryCommand(
  trial: Sandboxed,
  limitMs: number,
): Promise<string | undefined> {
  const timer = setTimeout(() => trial.kill(), limitMs);
  const [out, said, { status }] = await Promise.all([
    textOf(trial.stdout),
    textOf(trial.stderr),
    trial.exited,
  ]);
  clearTimeout(timer);
  if (status === 0 && out.trim() === TRIAL_WORD) return undefined;
  return said.trim() === "" ? `a trial command ended with exit status ${status}` : said;
}

const TRIAL_WORD = "works";
/** What is run to see whether a sandbox does. */
export const TRIAL: readonly string[] = ["/bin/sh", "-c", `echo ${TRIAL_WORD}`];

/** All that a stream says: of programs of the system, who say little. */
export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) text += decoder.decode(piece, { stream: true });
  return text;
}
