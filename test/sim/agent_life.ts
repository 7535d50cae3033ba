/** An agent of a run: made, given a charter and money, pays, tries to pay too much, loses its money. */
import { agentPay, charter, fund, reclaim, register, resume, suspend } from "../ledger/_agents.ts";
import { accountOf, usd } from "../ledger/_world.ts";
import type { SentUnit, Wallets, Wish } from "./wallets.ts";

/** Who makes the agent. */
export const PRINCIPAL = "principal";
/** The agent's own wallet. */
export const ROBOT = "robot";

/** What became of a slot. */
export type SlotFate = "waiting" | "failed" | { readonly made: string };

/** The steps of an agent, each once the one before has its receipt. */
export class AgentLife {
  readonly #wallets: Wallets;
  readonly #wish: Wish;
  #step = 0;
  #pending: SentUnit | undefined;
  #ids = { agent: "", charter: "", allotment: "" };
  isOver = false;

  constructor(wallets: Wallets, wish: Wish) {
    this.#wallets = wallets;
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
        this.#pending = this.#wallets.send(PRINCIPAL, [register(ROBOT)], this.#wish);
        return;
      case 1:
        this.#ids.agent = made;
        this.#pending = this.#wallets.send(
          PRINCIPAL,
          [charter(made, { maxPayment: usd(5) })],
          this.#wish,
        );
        return;
      case 2:
        this.#ids.charter = made;
        this.#pending = this.#wallets.send(PRINCIPAL, [fund(made, usd(10))], this.#wish);
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
    const wallets = this.#wallets;
    const pay = (amount: number) => agentPay(ids, accountOf("bob"), usd(amount));
    wallets.send(ROBOT, [pay(1)], this.#wish);
    wallets.send(ROBOT, [pay(6)], { ...this.#wish, forbidden: true });
    wallets.send(PRINCIPAL, [suspend(ids.agent)], this.#wish);
    wallets.send(ROBOT, [pay(2)], this.#wish);
    wallets.send(PRINCIPAL, [resume(ids.agent)], this.#wish);
    this.#pending = wallets.send(PRINCIPAL, [reclaim(ids.allotment)], this.#wish);
  }
}
