/** The chain of a simulated run, and the keys and signatures of its validators. */
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, START_MS } from "../ledger/_world.ts";
import { MEMORY_WALLETS } from "./memory_life.ts";
import type { Plan } from "./plan.ts";
import { VALIDATORS, WALLETS } from "./plan.ts";
import { SPAWN_WALLETS } from "./spawn_life.ts";
import { STORAGE_WALLETS } from "./storage_life.ts";
import { EXTRA_WALLETS } from "./wallets.ts";

/** The genesis of a plan. */
export function genesisFor({ epochPulses, events, stakes }: Plan): Genesis {
  const operators = Array.from({ length: VALIDATORS }, (_, i) => `operator-${i}`);
  const names = [...WALLETS, ...EXTRA_WALLETS, ...stakes === null ? [] : operators];
  if (events.some(({ type }) => type === "memory")) names.push(...MEMORY_WALLETS);
  if (events.some(({ type }) => type === "spawn")) names.push(...SPAWN_WALLETS);
  if (events.some(({ type }) => type === "storage")) names.push(...STORAGE_WALLETS);
  return {
    chainId: "sion-sim-1",
    version: FORMAT_VERSION,
    shards: 2,
    timeMs: START_MS,
    validators: Array.from({ length: VALIDATORS }, (_, i) => ({
      publicKey: keyOf(i),
      stake: BigInt(stakes?.[i] ?? 100_000),
      operator: accountOf(`operator-${i}`),
    })),
    accounts: names.map((name) => [accountOf(name), FUNDS] as const),
    parameters: epochPulses === null ? {} : { epochPulses: BigInt(epochPulses) },
    insecure: true,
  };
}

/** The public key of a number: validators begin with those of their places. */
export function keyOf(number: number): Uint8Array {
  return taggedHash("sim/validator", Uint8Array.of(number));
}

/** What stands for a validator's signature. */
export function signatureOf(publicKey: Uint8Array, digest: Uint8Array): Uint8Array {
  return taggedHash("sim/signature", publicKey, digest);
}
