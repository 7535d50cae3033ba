/** Entry of threads that search, when the program runs from source. */
import { workerTask } from "#internal/runtime/mod.ts";
import { runSearchTask } from "./search_folder.ts";

const port = await workerTask();
if (port !== undefined) await runSearchTask(port);
