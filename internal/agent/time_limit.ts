/** How long one call may take. */
import { SionError } from "#internal/core/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";

/** How long a tool may take to stop once its time is up, ms. */
const GRACE_MS = 5_000;

/** A time limit: first the signal, then, for who ignores it, a promise. */
export interface Limit {
  readonly signal: AbortSignal;
  readonly ignored: Promise<void>;
  /** Ends the limit, so that nothing of it keeps the process. */
  clear(): void;
}

/** Starts a limit. Whoever starts it clears it. */
export function startLimit(limitMs: number): Limit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const ignored = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new SionError("timeout", `no answer within ${seconds(limitMs)} s`));
      timer = setTimeout(resolve, GRACE_MS);
    }, limitMs);
  });
  return { signal: controller.signal, ignored, clear: () => clearTimeout(timer) };
}

/** What a call came to that did not stop in time: nobody knows what it did. */
export function tooLate(limitMs: number): ToolResult {
  const message = `no answer within ${seconds(limitMs)} s`;
  return { ok: false, code: "timeout", message, noEffect: false };
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
