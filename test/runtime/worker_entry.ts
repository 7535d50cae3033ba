/** A worker that echoes, or fails. */
import { workerTask } from "#internal/runtime/mod.ts";

const port = await workerTask();
if (port?.task === "fail") throw new Error("as asked");
port?.post({ task: port.task, data: port.data });
port?.onMessage((message) => port.post(message));
