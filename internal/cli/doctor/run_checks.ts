/** Running checks at once, each within its time. */
import { messageOf } from "#internal/core/mod.ts";
import type { Check, DoctorMachine, Finding } from "./_check.ts";
import { look } from "./_check.ts";

/** So that all of `sion doctor` takes five seconds at most, ms. */
const CHECK_LIMIT_MS = 4_500;

/** A check and what it found. */
export interface Checked extends Finding {
  readonly name: string;
}

/** Runs checks side by side, and keeps their order. One that throws is a fault of sion's. */
export async function runChecks(
  checks: readonly Check[],
  machine: DoctorMachine,
  limitMs: number = CHECK_LIMIT_MS,
): Promise<readonly Checked[]> {
  return await Promise.all(
    checks.map(async (check) => ({ name: check.name, ...await runCheck(check, machine, limitMs) })),
  );
}

async function runCheck(check: Check, machine: DoctorMachine, limitMs: number): Promise<Finding> {
  const stop = new AbortController();
  const signal = AbortSignal.any([machine.signal, stop.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      resolve(look(`no answer within ${limitMs / 1_000} s`, "give it longer with --within 60"));
      stop.abort(new Error("The check took too long"));
    }, limitMs);
  });
  try {
    const found = (async () => await check.run({ ...machine, signal }))();
    found.catch(() => {});
    return await Promise.race([found, late]);
  } catch (error) {
    machine.signal.throwIfAborted();
    return look(`it could not be looked at (${messageOf(error)})`, "report it");
  } finally {
    clearTimeout(timer);
  }
}
