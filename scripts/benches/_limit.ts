/**
 * What signatures alone allow: every payment is signed once and verified by each validator, and two
 * rounds of headers (votes, then confirmations) carry it, each signed by every validator and
 * verified by the others. A wallet's payments follow each other, since a validator votes for one
 * only after the one before is certified; those of different wallets share their rounds. Nothing
 * that does this work on these cores can be faster.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { loadDualBackend, SEED_BYTES } from "#internal/crypto/mod.ts";
import { spread, tenth, timed } from "./_bench.ts";

const VALIDATORS = 4;
const ROUNDS = 2;

/** How many payments are made at once. */
export const AT_ONCE = 32;
/** Wallets that they are made from, each as many as the others: those a devnet starts with. */
export const WALLETS: readonly string[] = ["alice", "bob", "carol", "dana"];

const WARM_UP = 8;
const SAMPLES = 24;

/** Measured cost of one signature, and what follows from it for this machine. */
export type SignatureLimit = {
  readonly backend: string;
  readonly sign_ms: number;
  readonly verify_ms: number;
  readonly cores: number;
  /** Shortest time of a lone payment, from signing to quorum. */
  readonly lone_payment_ms: number;
  /** Payments a second when one follows the other. */
  readonly one_at_a_time_per_second: number;
  /** Payments a second when 32 of 4 wallets are made at once, signer and validators on these cores. */
  readonly at_once_per_second: number;
};

/** Measures signing and verifying in this process, warm, and computes the limits. */
export async function signatureLimit(): Promise<SignatureLimit> {
  const backend = await loadDualBackend();
  const keys = await backend.keysFromSeed(randomBytes(SEED_BYTES));
  const random = (length: number): Uint8Array => randomBytes(length);
  const signs: number[] = [];
  const verifies: number[] = [];
  for (let index = 0; index < WARM_UP + SAMPLES; index += 1) {
    const message = randomBytes(32);
    let signature: Uint8Array = new Uint8Array();
    const signMs = await timed(async () => signature = await backend.sign(keys, message, random));
    let valid = false;
    const verifyMs = await timed(async () =>
      valid = await backend.verify(keys.publicKey, message, signature)
    );
    if (!valid) throw new Error("Cannot measure signatures: one of its own does not verify");
    if (index < WARM_UP) continue;
    signs.push(signMs);
    verifies.push(verifyMs);
  }
  // The fastest of each: a limit is what nothing can beat, whatever else the machine did meanwhile.
  return limitOf(backend.name, spread(signs).min, spread(verifies).min);
}

function limitOf(backend: string, signMs: number, verifyMs: number): SignatureLimit {
  const cores = availableParallelism();
  const roundMs = VALIDATORS * signMs + VALIDATORS * (VALIDATORS - 1) * verifyMs;
  const paymentMs = signMs + VALIDATORS * verifyMs;
  const loneMs = (paymentMs + ROUNDS * roundMs) / cores;
  const steps = AT_ONCE / WALLETS.length;
  const atOnceMs = (AT_ONCE * paymentMs + steps * ROUNDS * roundMs) / cores;
  return {
    backend,
    sign_ms: signMs,
    verify_ms: verifyMs,
    cores,
    lone_payment_ms: tenth(loneMs),
    one_at_a_time_per_second: tenth(1000 / loneMs),
    at_once_per_second: tenth(1000 * AT_ONCE / atOnceMs),
  };
}
