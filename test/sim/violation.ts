/** A broken promise. */

/** What of the promises is broken. */
export type Broken =
  | "fork"
  | "lost-payment"
  | "double-spend"
  | "money"
  | "claims"
  | "tasks"
  | "session"
  | "stake"
  | "receipt"
  | "memory"
  | "storage"
  | "agents"
  | "certificate"
  | "wrong-answer"
  | "equivocation"
  | "slashable"
  | "refused-honest"
  | "alarm"
  | "no-progress"
  | "damaged-store"
  | "crash";

/** Thrown by an oracle; ends the run. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly broken: Broken;

  constructor(broken: Broken, text: string, options?: ErrorOptions) {
    super(`${broken}: ${text}`, options);
    this.broken = broken;
  }
}
