/** A chain that stands still: nobody waits for ever for what no Pulse comes to execute. */
import type { Clock, Digest } from "#internal/core/mod.ts";
import { chainStalled } from "./errors.ts";

/** How long a chain may stand still while something is waited for, ms. An idle one moves in 16 s. */
const STANDSTILL_LIMIT_MS = 60_000;
/** What counts at most between two answers, ms: a machine that slept says nothing of the chain. */
const MAX_STEP_MS = 10_000;

/**
 * Watches the chain for one transaction.
 * @returns to be told the newest Pulse of each answer of a node. It throws `stalled` once the answers
 * of a minute named the same one.
 */
export function createStandstill(clock: Clock, digest: Digest): (pulse: number) => void {
  let newest: number | undefined;
  let heardMs = clock.nowMs();
  let stoodMs = 0;
  return (pulse) => {
    const nowMs = clock.nowMs();
    stoodMs = pulse === newest ? stoodMs + Math.min(MAX_STEP_MS, Math.max(0, nowMs - heardMs)) : 0;
    newest = pulse;
    heardMs = nowMs;
    if (stoodMs >= STANDSTILL_LIMIT_MS) throw chainStalled(digest, STANDSTILL_LIMIT_MS / 1_000);
  };
}
