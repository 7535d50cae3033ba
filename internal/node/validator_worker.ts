/** Entry of validators' threads when the program runs from source. */
import { workerTask } from "#internal/runtime/mod.ts";
import { runValidatorTask } from "./validator_task.ts";

const port = await workerTask();
if (port !== undefined) runValidatorTask(port);
