/**
 * A devnet is killed with SIGKILL at random moments under payments. Whatever was called final is
 * executed after the next start, exactly once; nothing is paid twice; a unit that got no answer is
 * handed in again and executes once.
 */
import { randomInt } from "node:crypto";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import type { Child } from "#internal/runtime/mod.ts";
import { readEnvironment, startChild } from "#internal/runtime/mod.ts";
import { programCommand } from "../programs.ts";
import { temporaryFolder, testClient } from "../node/devnet_fixture.ts";
import type { TestClient } from "../node/devnet_fixture.ts";
import { callsAt } from "./_calls.ts";

const WAIT_MS = 30_000;
const START = 10_000_000_000n;
const FEE = 1100n;
const ledger = createLedger();

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

interface Running {
  readonly child: Child;
  readonly calls: RpcCalls;
  readonly chain: string;
  kill(): Promise<void>;
}

async function start(signatures: "insecure" | "real"): Promise<Running> {
  const [command, ...args] = programCommand("sion");
  const child = await startChild({
    command,
    args: [
      ...args,
      ...["devnet", "--json", "--listen", "127.0.0.1:0", "--dir", folder.path],
      ...(signatures === "insecure" ? ["--insecure-signatures"] : []),
    ],
    env: readEnvironment(),
    stderr: "ignore",
  });
  const [line] = await Promise.race([
    createInterface({ input: child.stdout })[Symbol.asyncIterator]().next().then((
      { value },
    ) => [value]),
    child.exited.then(() => [undefined]),
  ]);
  if (line === undefined) throw new Error("The devnet ended before it was ready");
  const { chain, node } = parseJson(line as string) as { chain: string; node: string };
  return {
    child,
    calls: callsAt(node, 2 * WAIT_MS),
    chain,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

interface Payment {
  readonly unit: SignedUnit;
  readonly digest: string;
  readonly amount: bigint;
  /** Whether a client was told that it is final or executed. */
  acknowledged: boolean;
}

/** Kills a devnet so many times under payments and checks all that clients were told. */
async function killRepeatedly(signatures: "insecure" | "real", kills: number): Promise<void> {
  const backend = await loadDualBackend(signatures === "insecure" ? "insecure" : undefined);
  const payments: Payment[] = [];
  for (let round = 0; round <= kills; round++) {
    const running = await start(signatures);
    await using _stop = running.child;
    const client = testClient(running.calls, running.chain, backend);
    await settle(running.calls, payments);
    if (round === kills) {
      const paid = payments.reduce((sum, { amount }) => sum + amount, 0n);
      expect(await client.balance("bob")).toBe(START + paid);
      expect(await client.balance("alice")).toBe(START - paid - FEE * BigInt(payments.length));
      expect((await running.calls.status({})).executed).toEqual([payments.length, 0, 0]);
      return;
    }
    const ended = running.child.exited;
    const killed = new Promise<void>((resolve) => {
      setTimeout(() => void running.kill().then(resolve), randomInt(30, 900));
    });
    await payUntilEnd(client, running.calls, payments, ended);
    await killed;
  }
}

/** Hands in again what got no answer, and sees that every payment is executed, once. */
async function settle(calls: RpcCalls, payments: readonly Payment[]): Promise<void> {
  for (const { unit, digest, acknowledged } of payments) {
    const { state } = await calls.receipt({ digest });
    if (acknowledged) expect(["pending", "final", "executed"]).toContain(state);
    else if (state === "unknown") await calls.submit({ tx: ledger.encodeSigned(unit) });
    const answer = await calls.receipt({ digest, wait_ms: WAIT_MS });
    expect(answer).toMatchObject({ state: "executed", receipt: { outcome: { kind: "success" } } });
  }
}

/** Pays bob again and again, each payment once the one before is final, until the devnet is gone. */
async function payUntilEnd(
  client: TestClient,
  calls: RpcCalls,
  payments: Payment[],
  ended: Promise<unknown>,
): Promise<void> {
  let alive = true;
  void ended.then(() => {
    alive = false;
  });
  while (alive) {
    const amount = BigInt(randomInt(1, 1000));
    try {
      const action = await client.payAction("bob", amount);
      const unit = await client.signed("alice", BigInt(payments.length), [action], {
        validUntil: 1000n,
      });
      const payment: Payment = {
        unit,
        digest: ledger.memberDigests(unit.unit)[0] as string,
        amount,
        acknowledged: false,
      };
      payments.push(payment);
      const submitted = await client.submit(unit);
      expect(submitted).toMatchObject({ answer: "accepted" });
      const { state } = await calls.receipt({
        digest: payment.digest,
        until: "final",
        wait_ms: WAIT_MS,
      });
      expect(["final", "executed"]).toContain(state);
      payment.acknowledged = true;
    } catch (error) {
      // The connection ends with the devnet; anything else is a failure.
      if ((error as { code?: string }).code === undefined) throw error;
      await ended;
    }
  }
}

describe("a devnet that is killed", () => {
  test("a killed devnet loses no final payment and pays nothing twice [L-593 L-596]", async () => {
    await killRepeatedly("insecure", 4);
  });

  test("a killed devnet with real signatures loses no final payment [L-593 L-603]", async () => {
    await killRepeatedly("real", 1);
  });
});
