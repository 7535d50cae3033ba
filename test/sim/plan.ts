/**
 * What happens in a run: a list of events, each of which can be left out, and a few numbers. The same
 * plan always gives the same run.
 */
import type { Weather } from "./network.ts";
import type { Random } from "./random.ts";

/** Validators of a run. One of them may lie. */
export const VALIDATORS = 4;
/** Wallets whose owners pay; the last also signs two units for one slot. */
export const WALLETS = ["alice", "bob", "carol", "dana"] as const;

/** Ways of a lying validator. */
export const HABITS = [
  "two-blocks",
  "vote-all",
  "stop-at-will",
  "withhold",
  "withhold-units",
  "garbage",
  "stale-session",
  "replay",
  "wrong-roots",
  "wrong-time",
  "no-answers",
  "forge",
] as const;
/** What only sessions' ends are about: the others' plans stay what they were. */
const LEAVING_HABITS = ["last-vote-to-one", "close-to-one", "stay-behind"] as const;
/** Snapshots are asked for in plans about a long absence only. */
export type Habit =
  | (typeof HABITS)[number]
  | (typeof LEAVING_HABITS)[number]
  | "false-snapshots";

/** One thing that happens; times in ms from the start. */
export type PlanEvent =
  & { readonly atMs: number }
  & (
    | {
      /** A payment in the next slots of the wallet, or of its pocket. */
      readonly type: "pay";
      readonly wallet: number;
      readonly pocket?: true;
      readonly to: number;
      readonly members: number;
      /** Pulses that it is valid from the newest. */
      readonly validFor: number;
      /** Validators that get it. */
      readonly at: readonly number[];
    }
    | {
      /** One unit of payments in the next slots of a wallet and of its pocket, under one signature. */
      readonly type: "joint";
      readonly wallet: number;
      readonly to: number;
      /** Of each account. */
      readonly members: number;
      readonly validFor: number;
      readonly at: readonly number[];
    }
    | {
      /** Another unit for a slot that the wallet, or its pocket, has used already. */
      readonly type: "rival";
      readonly wallet: number;
      readonly pocket?: true;
      readonly to: number;
      readonly validFor: number;
      readonly at: readonly number[];
    }
    | { readonly type: "forced"; readonly wallet: number; readonly at: readonly number[] }
    /** An agent begins its life: made, given a charter and money, pays. */
    | { readonly type: "agent"; readonly at: readonly number[] }
    /** An agent spawns others, which pay together. */
    | { readonly type: "spawn"; readonly at: readonly number[] }
    /** A claim is made, backed, relied on and disputed, and found false or not. */
    | { readonly type: "claims"; readonly isFalse: boolean; readonly at: readonly number[] }
    /** Tasks are posted, handed in, paid or given back, and the result found false or not. */
    | { readonly type: "tasks"; readonly isFalse: boolean; readonly at: readonly number[] }
    /** Memory logs are opened, grow and are lied about. */
    | { readonly type: "memory"; readonly at: readonly number[] }
    /** Stake is delegated, earns, and is asked for by others. */
    | { readonly type: "stake"; readonly at: readonly number[] }
    /** A file is kept under a storage deal, and its rounds are proven. */
    | {
      readonly type: "storage";
      /** The provider does not prove the first round. */
      readonly misses: boolean;
      readonly at: readonly number[];
    }
    | {
      readonly type: "crash";
      readonly validator: number;
      readonly forMs: number;
      /** Share of the unsynced writes that survive. */
      readonly kept: number;
    }
    /** Validators of different numbers do not hear each other. */
    | { readonly type: "cut"; readonly parts: readonly number[]; readonly forMs: number }
    | {
      readonly type: "lag";
      readonly validator: number;
      readonly byMs: number;
      readonly forMs: number;
    }
    | {
      readonly type: "slow-disk";
      readonly validator: number;
      readonly commitMs: number;
      readonly forMs: number;
    }
    | { readonly type: "clock"; readonly validator: number; readonly byMs: number }
    | {
      /** The validator's operator gives it another key, with a store of its own. */
      readonly type: "rotate";
      readonly validator: number;
      /** Its store is lost at once; else the old key signs until its session is over. */
      readonly lost: boolean;
      /** Validators that get the transaction. */
      readonly at: readonly number[];
    }
    /** From now on somebody shows the ledger whom validators accuse. */
    | { readonly type: "report"; readonly at: readonly number[] }
    | { readonly type: "habit"; readonly habit: Habit; readonly forMs: number }
  );

/** All of a run. */
export interface Plan {
  readonly seed: number;
  /** Time before everything heals, ms. */
  readonly stormMs: number;
  readonly weather: Weather;
  /** What each clock is ahead at the start, ms. */
  readonly skewMs: readonly number[];
  /**
   * Chance that an honest validator leaves out a kind of statement once; `late`: chance that of a unit
   * nothing is said before its last rounds.
   */
  readonly lazy: Readonly<Record<"vote" | "confirm" | "stop" | "late", number>>;
  readonly epochPulses: number | null;
  /** Stakes of the validators, whose operators have money then; null: equal ones. */
  readonly stakes: readonly number[] | null;
  /** Rounds for which blocks are kept below the oldest of use. @default for ever */
  readonly keptRounds?: number;
  /** The lying validator; null when all are honest. */
  readonly liar: number | null;
  readonly events: readonly PlanEvent[];
}

/** One validator, two or all of them. */
export function someValidators(random: Random): number[] {
  return random.shuffled([0, 1, 2, 3]).slice(0, random.pick([1, 1, 2, 2, 4]));
}
