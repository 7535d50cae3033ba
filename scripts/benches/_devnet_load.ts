/** One devnet under everything that is measured of a running one, in a fixed order. */
import { join } from "node:path";
import { openClient } from "#internal/client/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import type { Devnet, Place } from "../_sion.ts";
import type { Failures } from "./_bench.ts";
import { attempt, percentile, progress } from "./_bench.ts";
import type { Chain } from "./_chain.ts";
import { startCopy } from "./_chain.ts";
import type { SignatureCosts } from "./_limit.ts";
import { loneFloor, presignedLimit } from "./_limit.ts";
import { putLoad } from "./_load.ts";
import { payAlone, syncCost } from "./_lone.ts";
import { checkPulse } from "./_pulse_check.ts";
import type { ReadyUnit } from "./_units.ts";
import type { StoredBytes } from "./_usage.ts";
import { cpuMs, megabytes, residentMb, storedBytes } from "./_usage.ts";

/** Names of figures and what was found; null is not measured. */
export type Figures = Record<string, number | null>;

/** How much of everything. */
export type Sizes = {
  readonly starts: number;
  readonly lonePayments: number;
  readonly warmUpMs: number;
  readonly loadMs: number;
  readonly idleMs: number;
  /** Payments after which memory is looked at, and again after twice as many. */
  readonly memoryPayments: number;
};

/** What a devnet is loaded with: payments under one signature → each wallet's units. */
export type Loads = ReadonlyMap<number, readonly (readonly ReadyUnit[])[]>;

/** Units in flight at once: with them the signatures, not the round trips, are the limit. */
export const IN_FLIGHT = 32;

/** Whether one of the figures is wanted. */
export type Wants = (...keys: readonly string[]) => boolean;

/** How the measurements are made. */
export type DevnetLoadOptions = {
  readonly place: Place & { readonly folder: string };
  readonly chain: Chain;
  readonly sizes: Sizes;
  /** Of the runtime that runs the devnet. */
  readonly costs: SignatureCosts;
  /** Of the runtime of this process, which is the client. */
  readonly clientCosts: SignatureCosts;
  readonly loads: Loads;
  readonly wants: Wants;
  /** Where what is found goes, as it is found. */
  readonly figures: Figures;
  /** Where parts that could not measure are noted, under names that begin with this. */
  readonly failures: Failures;
  readonly runtime: string;
};

/** Measures one devnet; the loads' units can be used once in each copy of their chain. */
export async function devnetFigures(options: DevnetLoadOptions): Promise<void> {
  const { place, chain } = options;
  await using devnet = await startCopy(place, chain, join(place.folder, "devnet"));
  using client = openClient({ node: devnet.node, home: place.home, env: {} });
  const run = new Run(options, devnet, client);
  await run.begin();
  const part = (name: string, work: () => Promise<void>): Promise<void> =>
    attempt(options.failures, `${options.runtime}: ${name}`, work);
  await part("lone payments", () => run.lone());
  for (const members of options.loads.keys()) {
    await part(`units of ${members}`, () => run.load(members));
  }
  await part("idle", () => run.idle());
}

/** The measurements of one devnet, and what it has executed since it was started. */
class Run {
  readonly figures: Figures;
  readonly #options: DevnetLoadOptions;
  readonly #devnet: Devnet & { readonly folder: string };
  readonly #client: Client;
  /** Payments that the chain had before. */
  #before = 0;
  /** Payments that were sent. */
  #sent = 0;

  constructor(
    options: DevnetLoadOptions,
    devnet: Devnet & { readonly folder: string },
    client: Client,
  ) {
    this.#options = options;
    this.figures = options.figures;
    this.#devnet = devnet;
    this.#client = client;
  }

  async begin(): Promise<void> {
    const { executed } = await this.#client.status();
    this.#before = executed[0];
    await sleep(1_000);
    this.figures["rss_idle_mb"] = residentMb(this.#devnet.pid);
  }

  async lone(): Promise<void> {
    const { sizes, wants, place, clientCosts, costs } = this.#options;
    if (!wants("lone_p50_ms", "lone_floor_ms")) return;
    progress("lone payments");
    const stored = storedBytes(this.#devnet.folder);
    const { finalMs, executedMs, nextFinalMs, pulse, payments } = await payAlone(
      { node: this.#devnet.node, home: place.home },
      { times: sizes.lonePayments, settled: () => this.#allCertified() },
    );
    this.#sent += payments;
    await this.#allExecuted();
    const syncMs = syncCost(place.folder);
    Object.assign(this.figures, {
      lone_p50_ms: percentile(finalMs, 0.5),
      lone_p95_ms: percentile(finalMs, 0.95),
      lone_in_a_row_p50_ms: percentile(nextFinalMs, 0.5),
      lone_floor_ms: loneFloor(costs, syncMs, clientCosts.sign_ms),
      lone_executed_p50_ms: percentile(executedMs, 0.5),
      sync_ms: syncMs,
      ...this.#diskOf("lone", stored, payments),
      ...await this.#pulseCheck("lone", pulse),
    });
  }

  /** Units of so many payments, 32 in flight. */
  async load(members: number): Promise<void> {
    const { sizes, loads, costs } = this.#options;
    progress(`units of ${members}, ${IN_FLIGHT} in flight`);
    const pulses: number[] = [];
    const rounds: { readonly round: number; readonly atMs: number }[] = [];
    const stored = storedBytes(this.#devnet.folder);
    const memory = members === 16 ? this.#watchMemory() : undefined;
    const load = await putLoad({
      node: this.#devnet.node,
      lanes: loads.get(members) ?? [],
      inFlight: IN_FLIGHT,
      warmUpMs: sizes.warmUpMs,
      forMs: sizes.loadMs,
      goOn: () => memory?.done() === false,
      onWindow: async () => {
        const { round, pulse } = await this.#client.status();
        rounds.push({ round, atMs: performance.now() });
        pulses.push(pulse);
      },
    });
    this.#sent += load.sent * members;
    await this.#allExecuted();
    const [first, last] = rounds;
    if (first === undefined || last === undefined) throw new Error("no rounds were looked at");
    const pace = 1000 * (last.round - first.round) / (last.atMs - first.atMs);
    Object.assign(this.figures, {
      [`limit_${members}`]: presignedLimit(costs, members, pace),
      [`limit_${members}_without_rounds`]: presignedLimit(costs, members, 0),
      [`rate_${members}`]: 1000 * load.counted * members / load.overMs,
      [`rounds_per_second_${members}`]: pace,
      [`seconds_${members}`]: load.overMs / 1000,
      [`p50_ms_${members}`]: percentile(load.tookMs, 0.5),
      ...this.#diskOf(`${members}`, stored, load.sent * members),
      ...await memory?.figures(),
      ...(members === 1 ? await this.#pulseCheck("busy", pulses[1] ?? 1) : {}),
    });
  }

  /** Memory after so many payments, and after twice as many. */
  #watchMemory() {
    const { memoryPayments } = this.#options.sizes;
    const found: number[] = [];
    let stopped = false;
    const look = async (): Promise<void> => {
      while (!stopped && found.length < 2) {
        const { executed } = await this.#client.status();
        if (executed[0] - this.#before >= memoryPayments * (found.length + 1)) {
          found.push(residentMb(this.#devnet.pid));
        }
        await sleep(100);
      }
    };
    const watching = look();
    watching.catch(() => {});
    return {
      done: () => found.length === 2,
      figures: async (): Promise<Figures> => {
        stopped = true;
        await watching;
        return { rss_after_10k_mb: found[0] ?? null, rss_after_20k_mb: found[1] ?? null };
      },
    };
  }

  /** Growth of all four stores for 1,000 payments: until old data is pruned, and what stays of it. */
  #diskOf(name: string, before: StoredBytes, payments: number): Figures {
    const now = storedBytes(this.#devnet.folder);
    const per1k = (bytes: number): number => megabytes(bytes) * 1000 / payments;
    return {
      [`disk_mb_per_1k_${name}`]: per1k(now.all - before.all),
      [`disk_lasting_mb_per_1k_${name}`]: per1k(now.lasting - before.lasting),
    };
  }

  async #pulseCheck(name: string, pulse: number): Promise<Figures> {
    const { place, clientCosts } = this.#options;
    const { checkMs, signatures } = await checkPulse(this.#devnet.node, place.home, pulse);
    return {
      [`pulse_check_${name}_ms`]: checkMs,
      [`pulse_check_${name}_signatures`]: signatures,
      [`pulse_check_${name}_over_signatures`]: checkMs / (signatures * clientCosts.verify_ms),
    };
  }

  async idle(): Promise<void> {
    const { sizes, wants } = this.#options;
    this.figures["rss_end_mb"] = residentMb(this.#devnet.pid);
    if (!wants("idle_core")) return;
    progress(`idle for ${sizes.idleMs / 1000} s`);
    await this.#allExecuted();
    const { pid } = this.#devnet;
    const [startMs, usedMs] = [performance.now(), cpuMs(pid)];
    await sleep(sizes.idleMs);
    this.figures["idle_core"] = (cpuMs(pid) - usedMs) / (performance.now() - startMs);
  }

  /** The newest Pulse is certified: there is nothing left to do. */
  async #allCertified(): Promise<void> {
    for (;;) {
      const status = await this.#client.status();
      if (status.certified_pulse >= status.pulse) return;
      await sleep(20);
    }
  }

  /** Everything sent is executed, none of it failed, and the last Pulse of it is certified. */
  async #allExecuted(): Promise<void> {
    for (let certified = 0, needed = 1; certified < needed; await sleep(50)) {
      const status = await this.#client.status();
      const [succeeded, failed, voided] = status.executed;
      if (failed + voided > 0) throw new Error(`${failed} payments failed, ${voided} are void`);
      certified = status.certified_pulse;
      needed = succeeded - this.#before < this.#sent ? certified + 1 : status.pulse;
    }
  }
}
