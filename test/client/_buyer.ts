/** Who pays over HTTP in tests, and what they come to. */
import type { FetchedResource, PaidFetch } from "#internal/client/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { Bench } from "./bench.ts";

/** What alice fetches and pays for, 1 USD at most. */
export function buyerOf(bench: Bench): {
  readonly fetchPaid: (url: string, more?: Partial<PaidFetch>) => Promise<FetchedResource>;
  /** Payments that the chain has executed. */
  readonly paymentsMade: () => number;
} {
  return {
    fetchPaid: (url, more = {}) =>
      bench.client.fetchPaid({ url, wallet: "alice", most: 1_000_000n, ...more }),
    paymentsMade: () =>
      [...bench.chain.receipts.values()].filter(({ kind }) => /pay/.test(String(kind))).length,
  };
}

/** The error that a promise rejects with. @throws {Error} when it is none of sion's */
export async function errorOf(promise: Promise<unknown>): Promise<SionError> {
  const error: unknown = await promise.then(() => undefined, (thrown: unknown) => thrown);
  if (!(error instanceof SionError)) throw new Error(`No SionError: ${String(error)}`);
  return error;
}
