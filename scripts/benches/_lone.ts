/** One payment at a time through the client, as a wallet makes it, on a devnet with nothing else to do. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { HttpClient } from "#internal/runtime/mod.ts";
import { createHttpClient, sleep } from "#internal/runtime/mod.ts";
import { percentile } from "./_bench.ts";
import { postJson } from "./_load.ts";

/** Before those that count: keys, connections and compiled code are there then. */
const WARM_UP = 3;
/** From when all is settled to the next payment, so that it finds a node at rest, ms. */
const PAUSE_MS = 250;
const FINAL_LIMIT_MS = 30_000;
const SYNCS = 60;

/** How lone payments are made. */
export type LoneOptions = {
  /** How many that find a node at rest, and how many right behind another's receipt. */
  readonly times: number;
  /** Resolves when the node has nothing left to do. */
  readonly settled: () => Promise<void>;
};

/** Milliseconds of each payment, from the call to the client. */
export type LonePayments = {
  /** Its lane certificate was there. */
  readonly finalMs: readonly number[];
  /** The same of payments that are made while the Pulse of the one before is being certified. */
  readonly nextFinalMs: readonly number[];
  /** The client had the receipt. */
  readonly executedMs: readonly number[];
  /** The Pulse of the last of them. */
  readonly pulse: number;
  /** Those of the warm-up among them. */
  readonly payments: number;
};

type Took = { readonly finalMs: number; readonly executedMs: number; readonly pulse: number };

/** Pays so often on a node at rest, and so often without waiting for that, each after the one before. */
export async function payAlone(
  { node, home }: { readonly node: string; readonly home: string },
  { times, settled }: LoneOptions,
): Promise<LonePayments> {
  using client = openClient({ node, home, env: {} });
  using http = createHttpClient();
  const atRest: Took[] = [];
  for (let at = 0; at < WARM_UP + times; at += 1) {
    await settled();
    await sleep(PAUSE_MS);
    atRest.push(await payOnce(client, http, node));
  }
  const inARow: Took[] = [];
  for (let at = 0; at < times; at += 1) inARow.push(await payOnce(client, http, node));
  const counted = atRest.slice(WARM_UP);
  return {
    finalMs: counted.map(({ finalMs }) => finalMs),
    executedMs: counted.map(({ executedMs }) => executedMs),
    nextFinalMs: inARow.map(({ finalMs }) => finalMs),
    pulse: counted.at(-1)?.pulse ?? 0,
    payments: atRest.length + inARow.length,
  };
}

async function payOnce(client: Client, http: HttpClient, node: string): Promise<Took> {
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
  return { finalMs: await certified as number, executedMs, pulse };
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
