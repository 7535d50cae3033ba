/** Signed units of payments, made before a clock starts. Threads sign, one a core. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/** Micro-USD of each payment. */
const AMOUNT = 1n;
/** Pulses for which presigned units hold: the most that a ledger takes, with room for a start. */
const VALID_UNTIL = 9_000n;

/** A signed unit, ready to be sent. */
export type ReadyUnit = {
  /** Digest of its first transaction. */
  readonly digest: string;
  /** Its encoding: the body of the request that hands it in. */
  readonly body: Uint8Array;
};

/** What is to be signed. */
export type UnitPlan = {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Devnet wallets, each a lane of its own. */
  readonly wallets: readonly string[];
  /** Units that each wallet is to have before these: their slots are left out. */
  readonly from: number;
  /** Units of each wallet. */
  readonly units: number;
  /** Payments in each unit. */
  readonly members: number;
  /** Accounts that are paid, one after the other. */
  readonly payees: readonly string[];
};

/** What one thread is handed: wallets of the plan. */
export type UnitTask = UnitPlan & { readonly amount: bigint; readonly validUntil: bigint };

/** Signs a plan's units: for each wallet its units in order. */
export async function signUnits(plan: UnitPlan): Promise<readonly (readonly ReadyUnit[])[]> {
  const threads = Math.min(availableParallelism(), plan.wallets.length);
  const shares = Array.from(
    { length: threads },
    (_, thread) => plan.wallets.filter((_, at) => at % threads === thread),
  );
  const parts = await Promise.all(
    shares.map((wallets) =>
      signInThread({ ...plan, wallets, amount: AMOUNT, validUntil: VALID_UNTIL })
    ),
  );
  // In the plan's order, which no thread kept.
  return plan.wallets.map((_, at) => parts[at % threads]?.[Math.floor(at / threads)] ?? []);
}

function signInThread(task: UnitTask): Promise<readonly (readonly ReadyUnit[])[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./_units_thread.ts", import.meta.url), { workerData: task });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("a thread that signs ended early")));
  });
}
