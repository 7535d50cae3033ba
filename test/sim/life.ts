/** Clients with more in mind than one payment: each step follows the receipt of the one before. */
import type { Action, LedgerState } from "#internal/ledger/mod.ts";
import type { Owner } from "./owner.ts";

/** What was sent: the slots it took, and once that is known the ids of what it made. */
interface Sent {
  readonly slots: readonly string[];
  readonly isForbidden: boolean;
  readonly made: string[];
}

/**
 * What holds of a unit whatever happens. `forbidden`: the ledger must never let it succeed. `certain`:
 * once it is final nothing can make it fail.
 */
export type Promised = "forbidden" | "certain";

/** The newest Pulse that was executed, and the state after it. */
export interface Newest {
  readonly pulse: bigint;
  readonly state: Pick<LedgerState, "at" | "entries"> | undefined;
}

/** Signs and submits; of several owners, one for each action, under one signature. */
export type Send = (
  by: Owner | readonly Owner[],
  actions: readonly Action[],
  promised?: Promised,
) => Sent;

/**
 * The steps: each `yield` waits for a success, or for the failure of what is forbidden, and gives the id
 * of what was made, "" of nothing.
 */
export type Steps = Generator<Sent, void, string>;

/** What became of a slot. */
export type SlotFate = "waiting" | "failed" | { readonly made: readonly string[] };

/** A client in the middle of its steps. */
export class Life {
  readonly #steps: Steps;
  #pending: Sent | undefined;
  isOver = false;

  /** Takes the first step. */
  constructor(steps: Steps) {
    this.#steps = steps;
    this.#step("");
  }

  /** Takes the next step if what the last one waits for has happened. */
  goOn(fateOf: (slot: string) => SlotFate): void {
    if (this.isOver || this.#pending === undefined) return;
    const fate = fateOf(this.#pending.slots[0] ?? "");
    if (fate === "waiting") return;
    if (typeof fate === "object") {
      this.#pending.made.push(...fate.made);
      this.#step(fate.made[0] ?? "");
    } else if (this.#pending.isForbidden) this.#step("");
    else this.isOver = true;
  }

  #step(made: string): void {
    const { done, value } = this.#steps.next(made);
    this.isOver = done === true;
    this.#pending = value ?? undefined;
  }
}
