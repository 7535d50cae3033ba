/** Clients with more in mind than one payment: each step follows the receipt of the one before. */
import type { Action } from "#internal/ledger/mod.ts";

/** What was sent: the slots it took. */
interface Sent {
  readonly slots: readonly string[];
  readonly isForbidden: boolean;
}

/**
 * What holds of a unit whatever happens. `forbidden`: the ledger must never let it succeed. `certain`:
 * once it is final nothing can make it fail.
 */
export type Promised = "forbidden" | "certain";

/** Signs and submits. */
export type Send = (by: string, actions: readonly Action[], promised?: Promised) => Sent;

/**
 * The steps: each `yield` waits for a success, or for the failure of what is forbidden, and gives the id
 * of what was made, "" of nothing.
 */
export type Steps = Generator<Sent, void, string>;

/** What became of a slot. */
export type SlotFate = "waiting" | "failed" | { readonly made: string };

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
    if (typeof fate === "object") this.#step(fate.made);
    else if (this.#pending.isForbidden) this.#step("");
    else this.isOver = true;
  }

  #step(made: string): void {
    const { done, value } = this.#steps.next(made);
    this.isOver = done === true;
    this.#pending = value ?? undefined;
  }
}
