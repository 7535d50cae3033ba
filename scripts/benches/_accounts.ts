/** What a payment costs a devnet with many accounts beside one with few, in turns. */
import process from "node:process";
import { join } from "node:path";
import type { Place } from "../_sion.ts";
import { percentile, progress } from "./_bench.ts";
import type { Chain } from "./_chain.ts";
import { startCopy } from "./_chain.ts";
import { putLoad } from "./_load.ts";
import type { ReadyUnit } from "./_units.ts";
import { cpuMs } from "./_usage.ts";

/** Units in flight: enough that the cores are full, few enough that a turn ends at once. */
const IN_FLIGHT = 8;

/** One chain and what is paid on it. */
export type AccountsLoad = {
  readonly chain: Chain;
  /** Each wallet's units. */
  readonly lanes: readonly (readonly ReadyUnit[])[];
  /** Payments in each. */
  readonly members: number;
};

/** CPU time of a payment, ms, in all four validators together. */
export type AccountsCost = { readonly fewMs: number; readonly manyMs: number };

/**
 * Both devnets execute the same number of payments in turns, the other stopped meanwhile; the first
 * turn of each does not count.
 */
export async function accountsCost(
  place: Place & { readonly folder: string },
  loads: { readonly few: AccountsLoad; readonly many: AccountsLoad },
  turns: number,
): Promise<AccountsCost> {
  progress(`payments among ${loads.many.chain.accounts.length} accounts`);
  await using few = await Side.start(place, "few", loads.few, turns);
  await using many = await Side.start(place, "many", loads.many, turns);
  for (let turn = 0; turn <= turns; turn += 1) {
    await few.turn(turn);
    await many.turn(turn);
  }
  return { fewMs: few.costMs(), manyMs: many.costMs() };
}

class Side {
  readonly #devnet: Awaited<ReturnType<typeof startCopy>>;
  readonly #load: AccountsLoad;
  readonly #turns: number;
  readonly #costs: number[] = [];

  private constructor(
    devnet: Awaited<ReturnType<typeof startCopy>>,
    load: AccountsLoad,
    turns: number,
  ) {
    this.#devnet = devnet;
    this.#load = load;
    this.#turns = turns;
    process.kill(devnet.pid, "SIGSTOP");
  }

  static async start(
    place: Place & { readonly folder: string },
    name: string,
    load: AccountsLoad,
    turns: number,
  ): Promise<Side> {
    return new Side(await startCopy(place, load.chain, join(place.folder, name)), load, turns);
  }

  /** The turn's share of each wallet's units, until all are executed. */
  async turn(turn: number): Promise<void> {
    const { pid, node } = this.#devnet;
    const { lanes, members } = this.#load;
    process.kill(pid, "SIGCONT");
    const each = Math.floor((lanes[0]?.length ?? 0) / (this.#turns + 1));
    const share = lanes.map((units) => units.slice(turn * each, (turn + 1) * each));
    const usedMs = cpuMs(pid);
    const { sent } = await putLoad({
      node,
      lanes: share,
      inFlight: IN_FLIGHT,
      warmUpMs: 0,
      forMs: Infinity,
      until: "executed",
    });
    if (turn > 0) this.#costs.push((cpuMs(pid) - usedMs) / (sent * members));
    process.kill(pid, "SIGSTOP");
  }

  costMs(): number {
    return percentile(this.#costs, 0.5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(this.#devnet.pid, "SIGCONT");
    await this.#devnet[Symbol.asyncDispose]();
  }
}
