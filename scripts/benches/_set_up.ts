/** What the ledger's benchmark makes before it measures: chains to start from and signed units. */
import { join } from "node:path";
import type { Place } from "../_sion.ts";
import type { AccountsSizes } from "./_accounts.ts";
import { progress } from "./_bench.ts";
import type { Chain } from "./_chain.ts";
import { makeChain, startCopy, walletNames } from "./_chain.ts";
import type { Loads, Sizes, Wants } from "./_devnet_load.ts";
import { IN_FLIGHT } from "./_devnet_load.ts";
import { putLoad } from "./_load.ts";
import { signUnits } from "./_units.ts";

/** Wallets of each load: more than are in flight, so that the next one is never waited for. */
export const WALLETS = 40;

/** Payments under one signature, of each load. */
const LOADS = [1, 16, 128];
/**
 * Units that each wallet has to find out how many more are worth signing: so many times as many as
 * the load would use up at the pace of these. A load that has none left is measured over the time
 * they lasted.
 */
const PROBE_UNITS = 3;
const PROBE_MARGIN = 1.8;
const MEMORY_MARGIN = 1.1;

/** Figures of a devnet at work, besides those of the loads. */
export const LONE_KEYS = ["lone_p50_ms", "lone_floor_ms", "idle_core"];

/** How much of everything the whole benchmark takes. */
export type FullSizes = Sizes & {
  readonly hardhatMs: number;
  readonly hardhatTransfers: number;
  /** Accounts that the chain under load has. */
  readonly loadedAccounts: number;
  readonly accounts: AccountsSizes;
};

/** Chains and signed units that both runtimes are measured with. */
export type SetUp = {
  readonly folder: string;
  readonly chain: Chain | undefined;
  readonly loads: Loads;
};

/** Makes what the wanted figures need. */
export async function prepare(
  place: Place & { readonly folder: string },
  sizes: FullSizes,
  wants: Wants,
): Promise<SetUp> {
  const { folder } = place;
  const wanted = LOADS.filter((members) =>
    wants(`limit_${members}`, `rate_${members}`) || (members === 16 && wants("rss_after_10k_mb"))
  );
  if (wanted.length === 0 && !wants(...LONE_KEYS)) {
    return { folder, chain: undefined, loads: new Map() };
  }
  const chain = await makeChain(place, {
    folder: join(folder, "chain"),
    wallets: wanted.flatMap(walletsOf),
    accounts: sizes.loadedAccounts,
  });
  return { folder, chain, loads: await signLoads(place, chain, wanted, sizes) };
}

function walletsOf(members: number): readonly string[] {
  return walletNames(`load${members}`, WALLETS);
}

/** Signs what the loads will use up, and not much more: a devnet tells its pace first. */
async function signLoads(
  place: Place & { readonly folder: string },
  chain: Chain,
  wanted: readonly number[],
  { warmUpMs, loadMs, memoryPayments }: FullSizes,
): Promise<Loads> {
  const loads = new Map<number, Awaited<ReturnType<typeof signUnits>>>();
  if (wanted.length === 0) return loads;
  const planOf = (members: number) => ({
    chain: chain.chain,
    wallets: walletsOf(members),
    members,
    payees: chain.accounts,
  });
  for (const members of wanted) {
    loads.set(members, await signUnits({ ...planOf(members), from: 0, units: PROBE_UNITS }));
  }
  const paces = await probe(place, chain, loads);
  for (const [members, lanes] of loads) {
    const seconds = (warmUpMs + loadMs) / 1000;
    // However slow the machine is, memory is looked at after so many payments.
    const least = members === 16 ? MEMORY_MARGIN * memoryPayments / members : 0;
    const used = PROBE_MARGIN * seconds * (paces.get(members) ?? 0);
    const units = Math.ceil(Math.max(used, least) / WALLETS);
    progress(`signing ${units * WALLETS} units of ${members}`);
    const more = await signUnits({ ...planOf(members), from: PROBE_UNITS, units });
    loads.set(members, lanes.map((lane, at) => [...lane, ...more[at] ?? []]));
  }
  return loads;
}

/** Units a second of each load, roughly. */
async function probe(
  place: Place & { readonly folder: string },
  chain: Chain,
  loads: Loads,
): Promise<ReadonlyMap<number, number>> {
  await using devnet = await startCopy(place, chain, join(place.folder, "probe"));
  const paces = new Map<number, number>();
  for (const [members, lanes] of loads) {
    progress(`trying units of ${members}`);
    const { sent, takenMs } = await putLoad({
      node: devnet.node,
      lanes,
      inFlight: IN_FLIGHT,
      warmUpMs: 0,
      forMs: Infinity,
    });
    paces.set(members, 1000 * sent / takenMs);
  }
  return paces;
}
