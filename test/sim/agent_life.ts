/** An agent of a run: made, given a charter and money, pays, tries to pay too much, loses its money. */
import type { Action } from "#internal/ledger/mod.ts";
import { agentPay, charter, fund, reclaim, register, resume, suspend } from "../ledger/_agents.ts";
import { accountOf, usd } from "../ledger/_world.ts";

/** Who makes the agent. */
export const PRINCIPAL = "principal";
/** The agent's own wallet. */
export const ROBOT = "robot";

/** Signs and submits, and says which slots it took. */
export type Send<Wish> = (
  by: string,
  actions: readonly Action[],
  wish: Wish & { readonly forbidden?: boolean },
) => { readonly slots: readonly string[] };

/** What became of a slot. */
export type SlotFate = "waiting" | "failed" | { readonly made: string };

/** The steps of an agent, each once the one before has its receipt. */
export class AgentLife<Wish extends object> {
  readonly #send: Send<Wish>;
  readonly #wish: Wish;
  #step = 0;
  #pending: { readonly slots: readonly string[] } | undefined;
  #ids = { agent: "", charter: "", allotment: "" };
  isOver = false;

  constructor(send: Send<Wish>, wish: Wish) {
    this.#send = send;
    this.#wish = wish;
  }

  goOn(fateOf: (slot: string) => SlotFate): void {
    if (this.isOver) return;
    const fate = this.#pending === undefined ? { made: "" } : fateOf(this.#pending.slots[0] ?? "");
    if (fate === "waiting") return;
    if (fate === "failed") {
      this.isOver = true;
      return;
    }
    const { made } = fate;
    switch (this.#step++) {
      case 0:
        this.#pending = this.#send(PRINCIPAL, [register(ROBOT)], this.#wish);
        return;
      case 1:
        this.#ids.agent = made;
        this.#pending = this.#send(
          PRINCIPAL,
          [charter(made, { maxPayment: usd(5) })],
          this.#wish,
        );
        return;
      case 2:
        this.#ids.charter = made;
        this.#pending = this.#send(PRINCIPAL, [fund(made, usd(10))], this.#wish);
        return;
      case 3:
        this.#ids.allotment = made;
        this.#spend();
        return;
      default:
        this.isOver = true;
    }
  }

  /** Payments of the robot among its principal's changes of mind; one of them is never allowed. */
  #spend(): void {
    const ids = { ...this.#ids };
    const send = this.#send;
    const pay = (amount: number) => agentPay(ids, accountOf("bob"), usd(amount));
    send(ROBOT, [pay(1)], this.#wish);
    send(ROBOT, [pay(6)], { ...this.#wish, forbidden: true });
    send(PRINCIPAL, [suspend(ids.agent)], this.#wish);
    send(ROBOT, [pay(2)], this.#wish);
    send(PRINCIPAL, [resume(ids.agent)], this.#wish);
    this.#pending = send(PRINCIPAL, [reclaim(ids.allotment)], this.#wish);
  }
}
