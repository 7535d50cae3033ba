/** The chain of a simulated run. */
import type { Genesis } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, START_MS } from "../ledger/_world.ts";
import { keyOf, operatorOf } from "./keys.ts";
import { MEMORY_WALLETS } from "./memory_life.ts";
import { accountOfOwner, pocketOf } from "./owner.ts";
import type { Plan } from "./plan.ts";
import { VALIDATORS, WALLETS } from "./plan.ts";
import { SPAWN_WALLETS } from "./spawn_life.ts";
import { STAKE_WALLETS } from "./stake_life.ts";
import { STORAGE_WALLETS } from "./storage_life.ts";
import { TASK_WALLETS } from "./task_life.ts";
import { EXTRA_WALLETS } from "./wallets.ts";

/** How much more validators have at stake in runs in which some is delegated. */
const STAKE_FACTOR = 10_000n;

/** The genesis of a plan. */
export function genesisFor({ epochPulses, events, stakes }: Plan): Genesis {
  const hasStake = events.some(({ type }) => type === "stake");
  const operators = Array.from({ length: VALIDATORS }, (_, i) => operatorOf(i));
  const names = [
    ...WALLETS,
    ...EXTRA_WALLETS,
    ...stakes === null && !hasStake ? [] : operators,
    ...hasStake ? STAKE_WALLETS : [],
  ];
  if (events.some(({ type }) => type === "memory")) names.push(...MEMORY_WALLETS);
  if (events.some(({ type }) => type === "spawn")) names.push(...SPAWN_WALLETS);
  if (events.some(({ type }) => type === "tasks")) names.push(...TASK_WALLETS);
  if (events.some(({ type }) => type === "storage")) names.push(...STORAGE_WALLETS);
  const pockets = events.some(({ type }) => type === "joint") ? WALLETS.map(pocketOf) : [];
  return {
    chainId: "sion-sim-1",
    version: FORMAT_VERSION,
    shards: 2,
    timeMs: START_MS,
    validators: Array.from({ length: VALIDATORS }, (_, i) => ({
      publicKey: keyOf(i),
      stake: BigInt(stakes?.[i] ?? 100_000) * (hasStake ? STAKE_FACTOR : 1n),
      operator: accountOf(operatorOf(i)),
    })),
    accounts: [
      ...names.map((name) => [accountOf(name), FUNDS] as const),
      ...pockets.map((owner) => [accountOfOwner(owner), FUNDS] as const),
    ],
    parameters: epochPulses === null ? {} : { epochPulses: BigInt(epochPulses) },
    insecure: true,
  };
}
