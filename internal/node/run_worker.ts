/** Entry of validators' threads where the program is one file; imports next to nothing before it knows. */
import { workerTask } from "#internal/runtime/mod.ts";
import { VALIDATOR_TASK } from "./protocol.ts";

/** Does the work of a validator's thread. @returns whether this is one. */
export async function runNodeWorker(): Promise<boolean> {
  const port = await workerTask();
  if (port?.task !== VALIDATOR_TASK) return false;
  const { runValidatorTask } = await import("./validator_task.ts");
  runValidatorTask(port);
  return true;
}
