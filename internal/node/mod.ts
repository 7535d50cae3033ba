/** Validators, nodes, the devnet, and the HTTP that clients use. */
import { workerTask } from "#internal/runtime/mod.ts";
import { VALIDATOR_TASK } from "./protocol.ts";

export type { Address } from "./dialer.ts";
export type { Devnet, DevnetOptions } from "./devnet.ts";
export { readyLine, startDevnet } from "./devnet.ts";
export type { DevnetShape } from "./devnet_folder.ts";
export type { NodeErrorCode } from "./errors.ts";
export { NodeError } from "./errors.ts";
export {
  devnetAccount,
  makeGenesis,
  makeTestNetwork,
  makeValidatorKey,
  readPublicPart,
} from "./make_genesis.ts";
export type { NodeOptions, RunningNode, ShownPath } from "./node.ts";
export { nodeReadyLine, startNode } from "./node.ts";
export { readKeyWithStore } from "./node_key.ts";
export type { EventFeed } from "./event_feed.ts";
export { createEventFeed } from "./event_feed.ts";
export type { Admitted } from "./http_server.ts";
export { startHttpServer } from "./http_server.ts";

/**
 * Does the work of a validator's thread, when this is one. A program that is one file calls this first
 * thing and goes on only when the answer is false.
 */
export async function runNodeWorker(): Promise<boolean> {
  const port = await workerTask();
  if (port === undefined) return false;
  if (port.task !== VALIDATOR_TASK) {
    throw new TypeError(`Cannot run task ${port.task}: there is none of this name`);
  }
  const { runValidatorTask } = await import("./validator_task.ts");
  runValidatorTask(port);
  return true;
}
