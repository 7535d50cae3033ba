/**
 * Budgets of what models cost, in `$SION_HOME/agents/budgets.db`: what any number of processes draw on
 * together. A request is counted at the most it can cost before it is made, and at what it cost once
 * that is known. A process that is gone in between leaves it counted at the most, for good: nobody knows
 * what its provider charged. The bound of one run counts likewise. The file is made with the first budget
 * or bound.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { toHex } from "#internal/core/mod.ts";
import type { Clock, Random } from "#internal/core/mod.ts";
import type { BudgetPeriod, PeriodSpan } from "./budget_period.ts";
import { periodAt } from "./budget_period.ts";
import { closeDatabase, openDatabase, transaction } from "./database.ts";
import type { ProcessMark } from "./process_mark.ts";
import { isAlive, ownMark } from "./process_mark.ts";

/** The budget that every run of this machine draws on, where there is one. */
export const EVERYONES_BUDGET = "all";
/** The most that models may cost by any budget or price, micro-USD: a thousand million USD. */
export const MOST_BUDGET_MICRO = 1_000_000_000_000_000n;

/** What may be spent under a name in each period. */
export interface Budget {
  readonly name: string;
  /** Micro-USD. */
  readonly limitMicro: bigint;
  readonly per: BudgetPeriod;
  /** The time zone whose midnights begin periods, as `UTC` or `Europe/Berlin`. */
  readonly zone: string;
}

/** A budget and where it stands in its period. Amounts in micro-USD. */
export interface BudgetStanding extends Budget, PeriodSpan {
  /** All that counts: what requests cost, what those under way can cost, and `unknownMicro`. */
  readonly spentMicro: bigint;
  /** Of it: the most that requests can cost that processes wait for. */
  readonly openMicro: bigint;
  /** Of it: the most that requests can have cost whose processes ended before they knew. */
  readonly unknownMicro: bigint;
  /** Set where it is the bound of the asking session's run. */
  readonly ofRun?: true;
}

/** What one run of a session may cost; nothing else draws on it. */
export interface RunBound {
  /** Tells the runs of a session apart. */
  readonly run: number;
  /** Micro-USD. */
  readonly limitMicro: bigint;
}

/** A request that is about to be made. */
export interface CostAsked {
  /** The budgets it draws on, besides everyone's; those that there are not do not matter. */
  readonly names: readonly string[];
  /** The most it can cost, micro-USD; missing where its price is not known. */
  readonly mostMicro?: bigint;
  readonly session: string;
  /** The bound of its run; a price that is not known is let pass there. @default none */
  readonly bound?: RunBound;
}

/** What became of it. */
export type CostReserved =
  /** It may be made; `settle` takes `id`. Without budgets nothing is kept, and there is none. */
  | { readonly how: "reserved"; readonly id?: string }
  /** There is not enough left. */
  | { readonly how: "exceeded"; readonly budget: BudgetStanding }
  /** There is not enough left while requests of processes are under way. */
  | { readonly how: "busy"; readonly budget: BudgetStanding }
  /** A budget holds, and nobody knows what the request would cost. */
  | { readonly how: "unpriced"; readonly budget: BudgetStanding };

/** The budgets of a home. One owner, who closes it. */
export interface Budgets {
  /** Makes one, or changes it; what was spent stays counted. */
  set(budget: Budget): void;
  /** Forgets one and what was spent of it. False when there is none. */
  remove(name: string): boolean;
  /** Sorted by name. @param names only these and everyone's. @default all */
  list(names?: readonly string[]): readonly BudgetStanding[];
  /** Counts a request at the most it can cost, in all its budgets or in none. Durable on return. */
  reserve(asked: CostAsked): CostReserved;
  /** Counts it at what it cost. Twice is once. */
  settle(id: string, costMicro: bigint): void;
  /** Forgets what a session's runs cost against their bounds; budgets keep it. */
  endRun(session: string): void;
  close(): void;
}

/** What the store needs of the machine. */
export interface BudgetsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** This process. @default the real one */
  readonly self?: ProcessMark;
  /** False when it is certain that the process is gone. @default asks the machine */
  readonly alive?: (mark: ProcessMark) => boolean;
}

const SCHEMA = `
CREATE TABLE budgets (
  name TEXT PRIMARY KEY, limit_micro INTEGER NOT NULL, per TEXT NOT NULL, zone TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE costs (
  budget TEXT NOT NULL, at_ms INTEGER NOT NULL, id TEXT NOT NULL, micro INTEGER NOT NULL,
  session TEXT NOT NULL, open INTEGER NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
  PRIMARY KEY (budget, at_ms, id)
) WITHOUT ROWID;
CREATE INDEX costs_open ON costs (id) WHERE open = 1;
`;
const VERSION = 1;

/** The budgets of a home folder. */
export function openBudgets(home: string, options: BudgetsOptions): Budgets {
  return new BudgetFile(home, options);
}

class BudgetFile implements Budgets {
  readonly #home: string;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #self: ProcessMark;
  readonly #alive: (mark: ProcessMark) => boolean;
  #database: DatabaseSync | undefined;

  constructor(home: string, { clock, random, self, alive }: BudgetsOptions) {
    this.#home = home;
    this.#path = join(home, "agents", "budgets.db");
    this.#clock = clock;
    this.#random = random;
    this.#self = self ?? ownMark();
    this.#alive = alive ?? isAlive;
  }

  set({ name, limitMicro, per, zone }: Budget): void {
    this.#made().prepare("INSERT OR REPLACE INTO budgets VALUES (?, ?, ?, ?)")
      .run(name, limitMicro, per, zone);
  }

  remove(name: string): boolean {
    const database = this.#there();
    if (database === undefined) return false;
    return transaction(database, () => {
      database.prepare("DELETE FROM costs WHERE budget = ?").run(name);
      const { changes } = database.prepare("DELETE FROM budgets WHERE name = ?").run(name);
      return Number(changes) > 0;
    });
  }

  list(names?: readonly string[]): readonly BudgetStanding[] {
    const database = this.#there();
    if (database === undefined) return [];
    const nowMs = this.#clock.nowMs();
    return this.#named(database, names).map((budget) => this.#standing(database, budget, nowMs));
  }

  reserve({ names, mostMicro, session, bound }: CostAsked): CostReserved {
    const database = bound === undefined ? this.#there() : this.#made();
    if (database === undefined) return { how: "reserved" };
    return transaction(database, (): CostReserved => {
      const nowMs = this.#clock.nowMs();
      const standing = (budget: Budget) => this.#standing(database, budget, nowMs);
      const shared = this.#named(database, names).map(standing);
      const [first] = shared;
      if (mostMicro === undefined) {
        return first === undefined ? { how: "reserved" } : { how: "unpriced", budget: first };
      }
      const budgets: BudgetStanding[] = bound === undefined
        ? shared
        : [{ ...standing(budgetOfRun(session, bound)), ofRun: true }, ...shared];
      if (budgets.length === 0) return { how: "reserved" };
      const missing = budgets.map((budget) => ({
        budget,
        by: budget.spentMicro + mostMicro - budget.limitMicro,
      })).filter(({ by }) => by > 0n);
      // What is under way may turn out to leave enough; what is certain does not.
      const [over] = missing.filter(({ budget, by }) => by > budget.openMicro);
      if (over !== undefined) return { how: "exceeded", budget: over.budget };
      const [late] = missing;
      if (late !== undefined) return { how: "busy", budget: late.budget };
      const id = toHex(this.#random(16));
      const insert = database.prepare("INSERT INTO costs VALUES (?, ?, ?, ?, ?, 1, ?, ?)");
      const { pid, started } = this.#self;
      for (const { name } of budgets) {
        insert.run(name, nowMs, id, mostMicro, session, pid, started);
      }
      return { how: "reserved", id };
    });
  }

  settle(id: string, costMicro: bigint): void {
    this.#there()?.prepare("UPDATE costs SET micro = ?, open = 0 WHERE id = ? AND open = 1")
      .run(costMicro, id);
  }

  endRun(session: string): void {
    this.#there()?.prepare("DELETE FROM costs WHERE budget >= ? AND budget < ?")
      .run(`run ${session} `, `run ${session}!`);
  }

  close(): void {
    if (this.#database !== undefined) closeDatabase(this.#database);
    this.#database = undefined;
  }

  /** The file, if somebody has made it. */
  #there(): DatabaseSync | undefined {
    return this.#database ?? (existsSync(this.#path) ? this.#made() : undefined);
  }

  #made(): DatabaseSync {
    return this.#database ??= openDatabase(this.#path, {
      schema: SCHEMA,
      version: VERSION,
      shown: this.#home,
    });
  }

  #named(database: DatabaseSync, names: readonly string[] | undefined): Budget[] {
    const wanted = names === undefined ? undefined : new Set([EVERYONES_BUDGET, ...names]);
    return database.prepare("SELECT * FROM budgets ORDER BY name").all().map((row) => ({
      name: String(row["name"]),
      limitMicro: BigInt(row["limit_micro"] as number),
      per: row["per"] as BudgetPeriod,
      zone: String(row["zone"]),
    })).filter(({ name }) => wanted?.has(name) ?? true);
  }

  #standing(database: DatabaseSync, budget: Budget, nowMs: number): BudgetStanding {
    const span = periodAt(budget.per, budget.zone, nowMs);
    const row = database.prepare(
      "SELECT coalesce(sum(micro), 0) AS micro FROM costs WHERE budget = ? AND at_ms >= ?",
    ).get(budget.name, span.fromMs);
    let openMicro = 0n;
    let unknownMicro = 0n;
    for (const open of openCosts(database, budget.name, span.fromMs)) {
      if (this.#alive(open)) openMicro += open.micro;
      else unknownMicro += open.micro;
    }
    const spentMicro = BigInt(row?.["micro"] as number);
    return { ...budget, ...span, spentMicro, openMicro, unknownMicro };
  }
}

/** The bound of a run, under a name that no budget can have. */
function budgetOfRun(session: string, { run, limitMicro }: RunBound): Budget {
  return { name: `run ${session} ${run}`, limitMicro, per: "total", zone: "UTC" };
}

/** What is counted at its most, by the processes that wait for it. */
function openCosts(
  database: DatabaseSync,
  budget: string,
  fromMs: number,
): (ProcessMark & { readonly micro: bigint })[] {
  return database.prepare(
    "SELECT pid, started, sum(micro) AS micro FROM costs WHERE open = 1 AND budget = ? " +
      "AND at_ms >= ? GROUP BY pid, started",
  ).all(budget, fromMs).map((row) => ({
    pid: Number(row["pid"]),
    started: String(row["started"]),
    micro: BigInt(row["micro"] as number),
  }));
}
