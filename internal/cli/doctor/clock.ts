import { openClient } from "#internal/client/mod.ts";
import { serverTimeMs } from "#internal/runtime/mod.ts";
import { newestSessionMs } from "#internal/store/mod.ts";
import type { Check, DoctorMachine } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** What a clock may be off unnoticed, ms. */
const SLACK_MS = 30_000;
/** No sion is older. */
const LEAST_MS = Date.UTC(2026, 0, 1);
const FIX = "have the system keep its time (`timedatectl set-ntp true`)";

/**
 * The clock has not gone back, and is about that of the node. Ledger time is counted in Pulses; the clock
 * is for logs, limits and budgets.
 */
export const clock: Check = {
  name: "clock",
  ofAgents: true,
  async run(machine) {
    const now = machine.clock.nowMs();
    const newest = Math.max(LEAST_MS, newestSessionMs(machine.home));
    const says = `it is ${minute(now)}`;
    if (now < newest - SLACK_MS) {
      return look(`${says}, before something that was kept at ${minute(newest)}`, FIX);
    }
    const theirs = await nodeTimeMs(machine);
    if (theirs === undefined) return fine(says);
    const ahead = Math.round((machine.clock.nowMs() - theirs) / 1_000);
    if (Math.abs(ahead) * 1_000 <= SLACK_MS) return fine(`${says}, as at the node`);
    const off = `${Math.abs(ahead)} s ${ahead > 0 ? "ahead of" : "behind"} the node's`;
    return look(`${says}, ${off}: one of the two is wrong`, FIX);
  },
};

/** The node's clock, where one is to be asked and answers. */
async function nodeTimeMs(
  { offline, clientOptions, signal }: DoctorMachine,
): Promise<number | undefined> {
  if (offline) return undefined;
  try {
    using client = openClient(clientOptions);
    return await serverTimeMs(client.node, signal);
  } catch {
    // Whether it answers is another check's.
    signal.throwIfAborted();
    return undefined;
  }
}

function minute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
