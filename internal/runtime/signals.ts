/** Signals that ask a process to end. */
import process from "node:process";

/** A signal that asks a process to end. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** Exit code of a command that a signal ended, as shells have it. */
export const EXIT_CODE_OF: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Calls back for every SIGINT and SIGTERM, instead of ending the process, until disposed. */
export function onStopSignal(callback: (signal: StopSignal) => void): Disposable {
  const onInt = (): void => callback("SIGINT");
  const onTerm = (): void => callback("SIGTERM");
  process.on("SIGINT", onInt);
  process.on("SIGTERM", onTerm);
  return {
    [Symbol.dispose]() {
      process.off("SIGINT", onInt);
      process.off("SIGTERM", onTerm);
    },
  };
}
