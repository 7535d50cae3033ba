/**
 * Says what a command waits for, once that takes more than a second: on a terminal one line that is
 * redrawn each second and gone at the end, elsewhere a line at the start and one every ten seconds.
 */
import type { TextSink } from "./text_sink.ts";

const SILENT_MS = 1_000;
const REDRAW_MS = 1_000;
const PLAIN_MS = 10_000;

/** The one waiting line of a command. */
export interface Progress {
  /** What is waited for; `undefined`: nothing any more. */
  waiting(what: string | undefined): void;
  /** Takes the line away before other text is written. */
  clear(): void;
}

/** Time for `createProgress`; timers never keep the process alive. */
export interface ProgressClock {
  nowMs(): number;
  /** Calls back after `ms` until the answer is called. */
  every(ms: number, callback: () => void): () => void;
}

/** @param redraw whether the line may be redrawn: a terminal, and not `--plain`. */
export function createProgress(sink: TextSink, redraw: boolean, clock: ProgressClock): Progress {
  let what: string | undefined;
  let sinceMs = 0;
  let saidMs = -Infinity;
  let shown = false;
  let stop = (): void => {};

  const clear = (): void => {
    if (shown) sink.write("\r\x1b[2K");
    shown = false;
  };
  const tick = (): void => {
    if (what === undefined) return;
    const waitedMs = clock.nowMs() - sinceMs;
    if (waitedMs < SILENT_MS) return;
    const text = `waiting for ${what}, ${Math.round(waitedMs / 1_000)} s`;
    if (redraw) {
      clear();
      sink.write(text.slice(0, Math.max(1, sink.columns - 1)));
      shown = true;
    } else if (clock.nowMs() - saidMs >= PLAIN_MS) {
      saidMs = clock.nowMs();
      sink.write(`${text}\n`);
    }
  };
  return {
    clear,
    waiting(next) {
      if (next === undefined) {
        stop();
        clear();
        what = undefined;
        saidMs = -Infinity;
        return;
      }
      if (what === undefined) {
        sinceMs = clock.nowMs();
        stop = clock.every(REDRAW_MS, tick);
      }
      what = next;
    },
  };
}
