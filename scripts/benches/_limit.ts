/**
 * What signatures cost here, and what they alone allow: every payment is signed once and verified by each validator, and two
 * rounds of headers (votes, then confirmations) carry it, each signed by every validator and
 * verified by the others. A wallet's payments follow each other, since a validator votes for one
 * only after the one before is certified; those of different wallets share their rounds. Nothing
 * that does this work on these cores can be faster.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { loadDualBackend, SEED_BYTES } from "#internal/crypto/mod.ts";
import { tenth, timed } from "./_bench.ts";

const VALIDATORS = 4;
const ROUNDS = 2;

/** How many payments are made at once. */
export const AT_ONCE = 32;
/** Wallets that they are made from, each as many as the others: those a devnet starts with. */
export const WALLETS: readonly string[] = ["alice", "bob", "carol", "dana"];

const WARM_UP = 8;
const SAMPLES = 24;

/** Measured cost of one dual signature on one of this machine's cores, ms. */
export type SignatureCosts = {
  readonly backend: string;
  readonly sign_ms: number;
  readonly verify_ms: number;
  readonly cores: number;
};

/** What follows from the cost of one signature for this machine. */
export type SignatureLimit = SignatureCosts & {
  /** Shortest time of a lone payment, from signing to quorum. */
  readonly lone_payment_ms: number;
  /** Payments a second when one follows the other. */
  readonly one_at_a_time_per_second: number;
  /** Payments a second when 32 of 4 wallets are made at once, signer and validators on these cores. */
  readonly at_once_per_second: number;
};

/** Measures signing and verifying in this process, warm. */
export async function signatureCosts(): Promise<SignatureCosts> {
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
  return {
    backend: backend.name,
    sign_ms: Math.min(...signs),
    verify_ms: Math.min(...verifies),
    cores: availableParallelism(),
  };
}

/** Measures signatures and computes the limits of payments that are signed on these cores too. */
export async function signatureLimit(): Promise<SignatureLimit> {
  const costs = await signatureCosts();
  const { sign_ms: signMs, verify_ms: verifyMs, cores } = costs;
  const paymentMs = signMs + VALIDATORS * verifyMs;
  const loneMs = (paymentMs + ROUNDS * roundMs(costs)) / cores;
  const steps = AT_ONCE / WALLETS.length;
  const atOnceMs = (AT_ONCE * paymentMs + steps * ROUNDS * roundMs(costs)) / cores;
  return {
    ...costs,
    lone_payment_ms: tenth(loneMs),
    one_at_a_time_per_second: tenth(1000 / loneMs),
    at_once_per_second: tenth(1000 * AT_ONCE / atOnceMs),
  };
}

/** CPU time of one round's headers: each is signed by its author and verified by the others. */
function roundMs({ sign_ms: signMs, verify_ms: verifyMs }: SignatureCosts): number {
  return VALIDATORS * signMs + VALIDATORS * (VALIDATORS - 1) * verifyMs;
}

/**
 * Payments a second if signatures were all the work and were made beforehand by the client: every
 * validator verifies a unit's signature once, and what rounds take of the cores is gone.
 * @param members payments under one signature.
 * @param roundsPerSecond the pace at which rounds were really made; 0 is the bound without any.
 */
export function presignedLimit(
  costs: SignatureCosts,
  members: number,
  roundsPerSecond: number,
): number {
  const leftMs = 1000 * costs.cores - roundsPerSecond * roundMs(costs);
  return members * leftMs / (VALIDATORS * costs.verify_ms);
}

/** Syncs that a lone payment waits for one after the other: its wallet's, and each round's. */
const SYNCS = 1 + ROUNDS;

/**
 * Least time of a lone payment from wallet to certificate, ms: the client's signature, two rounds of
 * four signers on the cores there are, three verifications one after the other (the unit's, and a
 * header's in each round), and the syncs.
 * @param syncMs one durable commit.
 * @param clientSignMs a signature in the client's runtime. @default as the validators'
 */
export function loneFloor(
  { sign_ms: signMs, verify_ms: verifyMs, cores }: SignatureCosts,
  syncMs: number,
  clientSignMs: number = signMs,
): number {
  const roundOfSigners = VALIDATORS * signMs / Math.min(cores, VALIDATORS);
  return clientSignMs + ROUNDS * roundOfSigners + (1 + ROUNDS) * verifyMs + SYNCS * syncMs;
}
