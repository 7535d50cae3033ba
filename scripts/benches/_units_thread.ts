/** The thread that signs units for `_units.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { createLedger } from "#internal/ledger/mod.ts";
import type { ReadyUnit, UnitTask } from "./_units.ts";
import { unitOfPayments, walletNamed } from "./_wallets.ts";

/** Steps through the payees' list, so that the payments of one Pulse touch many accounts. */
const STRIDE = 7919;

const ledger = createLedger();
const task = workerData as UnitTask;
let paid = 0;

function nextPayee(): string {
  paid += STRIDE;
  return task.payees[paid % task.payees.length] as string;
}

async function signLane(name: string): Promise<ReadyUnit[]> {
  const { chain, members, amount, validUntil } = task;
  const wallet = await walletNamed(name);
  const lane: ReadyUnit[] = [];
  for (let at = task.from; at < task.from + task.units; at += 1) {
    const payees = Array.from({ length: members }, nextPayee);
    const sequence = BigInt(at * members);
    const unit = unitOfPayments(ledger, wallet, { chain, validUntil, sequence, payees, amount });
    const body = await wallet.sign(ledger, unit);
    const [digest] = ledger.memberDigests(unit) as [string];
    lane.push({ digest, body });
  }
  return lane;
}

const lanes: ReadyUnit[][] = [];
for (const name of task.wallets) lanes.push(await signLane(name));
parentPort?.postMessage(lanes);
