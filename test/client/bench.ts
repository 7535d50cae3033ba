/** A fake chain, a home and a client of both, for tests of the client. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import { FakeChain } from "./fake_chain.ts";

export const USD = 1_000_000n;

/** What each test gets anew. */
export interface Bench {
  home: string;
  chain: FakeChain;
  client: Client;
  /** What the clients noted. */
  notes: string[];
  /** Another client of the same home and chain. */
  open(options?: Partial<ClientOptions>): Client;
}

/** Makes the bench before each test and clears it away after. */
export function useBench(): Bench {
  const opened: Client[] = [];
  const bench = {
    open(options = {}) {
      const client = openClient({
        env: {},
        home: bench.home,
        transport: bench.chain.transport,
        onNote: (note) => bench.notes.push(note),
        ...options,
      });
      opened.push(client);
      return client;
    },
  } as Bench;
  beforeEach(async () => {
    bench.home = mkdtempSync(join(tmpdir(), "sion-client-"));
    bench.chain = await FakeChain.start();
    bench.notes = [];
    bench.client = bench.open();
  });
  afterEach(() => {
    for (const client of opened.splice(0)) client[Symbol.dispose]();
    rmSync(bench.home, { recursive: true, force: true });
  });
  return bench;
}

/** Resolves once the condition holds. */
export async function waitFor(condition: () => boolean): Promise<void> {
  for (let left = 45_000; !condition(); left--) {
    if (left === 0) throw new Error("it did not come to pass");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Pays bob from alice on a chain that executes nothing more. @returns the transaction's digest */
export async function payWhileStalled({ chain, client }: Bench): Promise<string> {
  chain.stalled = true;
  const { tx, digest } = await client.signOffline({ from: "alice", to: "bob", amount: USD });
  await client.submitHex(tx, { wait: false });
  return digest;
}
