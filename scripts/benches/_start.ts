/** From the start of `sion devnet` in an empty folder to the first payment of a fresh `sion pay`. */
import { join } from "node:path";
import type { Ledger } from "#internal/ledger/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { HttpClient } from "#internal/runtime/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import { sion, startDevnet } from "../_sion.ts";
import { freshPlace } from "./_folder.ts";
import { postJson } from "./_load.ts";
import type { BenchWallet } from "./_wallets.ts";
import { unitOfPayments, walletNamed } from "./_wallets.ts";

/** When the first payment came how far, ms after the devnet's process was started. */
export type FirstPayment = {
  readonly readyMs: number;
  /** Its lane certificate was there. */
  readonly finalMs: number;
  /** `sion pay` had the receipt and ended. */
  readonly executedMs: number;
  /** How long `sion pay` ran. */
  readonly payMs: number;
};

/** Pulses that the payment is valid for, and in how many of the first Pulses it may be signed. */
const VALID_FOR = 20;
const FIRST_PULSES = 8;
const FINAL_LIMIT_MS = 30_000;
/** Micro-USD, as the command is told. */
const AMOUNT = 1_000_000n;

/**
 * Starts both programs once.
 * @param program what stands for `sion`. @default the clone's
 */
export async function firstPaymentOf(program?: readonly string[]): Promise<FirstPayment> {
  using fresh = freshPlace();
  const place = { ...fresh, ...(program === undefined ? {} : { program }) };
  using http = createHttpClient();
  await prepared();
  const startMs = performance.now();
  await using devnet = await startDevnet(place, "--dir", join(fresh.folder, "devnet"));
  const readyMs = performance.now() - startMs;
  const paying = sion(
    { ...place, node: devnet.node },
    ...["pay", "alice", "bob", "1", "--valid-for", `${VALID_FOR}`, "--json"],
  );
  // Others of the units never come to be: waiting for them ends with the node.
  const waits = (await unitsOf(devnet.chain)).map((unit) => isFinal(http, devnet.node, unit));
  for (const wait of waits) wait.catch(() => {});
  const certified = Promise.any(waits).then(() => performance.now() - startMs);
  certified.catch(() => {});
  const paid = await paying;
  const executedMs = performance.now() - startMs;
  if (paid.code !== 0) throw new Error(`the payment failed: ${paid.stderr}${paid.stdout}`);
  const finalMs = await certified;
  return { readyMs, finalMs, executedMs, payMs: executedMs - readyMs };
}

/** The units that the command may sign: which one depends on the Pulse that it finds. */
async function unitsOf(chain: string): Promise<readonly string[]> {
  const { ledger, payer, payee } = await prepared();
  return Array.from(
    { length: FIRST_PULSES },
    (_, pulse) =>
      ledger.unitDigest(unitOfPayments(ledger, payer, {
        chain,
        validUntil: BigInt(pulse + VALID_FOR),
        sequence: 0n,
        payees: [payee.account],
        amount: AMOUNT,
      })),
  );
}

let known: Promise<{ ledger: Ledger; payer: BenchWallet; payee: BenchWallet }> | undefined;

/** The wallets' keys, derived before a clock starts. */
function prepared(): NonNullable<typeof known> {
  return known ??= (async () => ({
    ledger: createLedger(),
    payer: await walletNamed("alice"),
    payee: await walletNamed("bob"),
  }))();
}

/** Resolves when a quorum has confirmed the unit; rejects when that has not come in time. */
async function isFinal(http: HttpClient, node: string, unit: string): Promise<void> {
  const { state } = await postJson(http, `${node}/rpc/receipt`, {
    digest: unit,
    until: "final",
    wait_ms: FINAL_LIMIT_MS,
  });
  if (state !== "final") throw new Error("the payment was not certified in time");
}
