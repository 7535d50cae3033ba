import { newestSessionMs } from "#internal/store/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** What a clock may be off unnoticed, ms. */
const SLACK_MS = 30_000;
/** No sion is older. */
const LEAST_MS = Date.UTC(2026, 0, 1);

/** The clock has not gone back. Ledger time is counted in Pulses; the clock is for logs and limits. */
export const clock: Check = {
  name: "clock",
  ofAgents: true,
  run({ clock: { nowMs }, home }) {
    const now = nowMs();
    const newest = Math.max(LEAST_MS, newestSessionMs(home));
    const says = `it is ${new Date(now).toISOString().slice(0, 16)}Z`;
    if (now >= newest - SLACK_MS) return fine(says);
    return look(
      `${says}, before something that was kept at ${new Date(newest).toISOString().slice(0, 16)}Z`,
      "have the system keep its time (`timedatectl set-ntp true`)",
    );
  },
};
