/** One payment at a time through the client, as a wallet makes it, on a devnet with nothing else to do. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#internal/client/mod.ts";
import { createHttpClient, sleep } from "#internal/runtime/mod.ts";
import { percentile } from "./_bench.ts";
import { postJson } from "./_load.ts";

/** Before those that count: keys, connections and compiled code are there then. */
const WARM_UP = 3;
/** Between two payments, so that the next finds a node at rest, ms. */
const PAUSE_MS = 250;
const FINAL_LIMIT_MS = 30_000;
const SYNCS = 60;

/** Milliseconds of each payment, from the call to the client. */
export type LonePayments = {
  /** Its lane certificate was there. */
  readonly finalMs: readonly number[];
  /** The client had the receipt. */
  readonly executedMs: readonly number[];
  /** The Pulse of the last of them. */
  readonly pulse: number;
  /** Those of the warm-up among them. */
  readonly payments: number;
};

/** Pays so often, each after the one before is executed. */
export async function payAlone(
  { node, home }: { readonly node: string; readonly home: string },
  times: number,
): Promise<LonePayments> {
  using client = openClient({ node, home, env: {} });
  using http = createHttpClient();
  let lastPulse = 0;
  const took: { finalMs: number; executedMs: number }[] = [];
  for (let at = 0; at < WARM_UP + times; at += 1) {
    await sleep(PAUSE_MS);
    const startMs = performance.now();
    let certified: Promise<number> | undefined;
    const { status, receipt, pulse } = await client.pay({
      from: "alice",
      to: "bob",
      amount: 1n,
      // Waited for before it is sent, so that nothing is asked while it is under way.
      onSign({ unit }) {
        const asked = { digest: unit, until: "final", wait_ms: FINAL_LIMIT_MS };
        certified = postJson(http, `${node}/rpc/receipt`, asked).then(({ state }) => {
          if (state !== "final") throw new Error(`a payment was not certified: ${String(state)}`);
          return performance.now() - startMs;
        });
        certified.catch(() => {});
      },
    });
    const executedMs = performance.now() - startMs;
    if (status !== "Success") throw new Error(`a payment failed: ${receipt}`);
    const finalMs = await certified as number;
    lastPulse = pulse;
    if (at >= WARM_UP) took.push({ finalMs, executedMs });
  }
  return {
    finalMs: took.map(({ finalMs }) => finalMs),
    executedMs: took.map(({ executedMs }) => executedMs),
    pulse: lastPulse,
    payments: WARM_UP + times,
  };
}

/** What one durable write of a page takes in a folder, ms: the middle of many. */
export function syncCost(folder: string): number {
  const file = openSync(join(folder, "synced"), "w");
  try {
    const page = new Uint8Array(4096).fill(1);
    const took = Array.from({ length: SYNCS }, () => {
      const startMs = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return performance.now() - startMs;
    });
    return percentile(took, 0.5);
  } finally {
    closeSync(file);
  }
}
