/** Validators, nodes, the devnet, and the HTTP that clients use. */
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
export { runNodeWorker } from "./run_worker.ts";
export type { EventFeed } from "./event_feed.ts";
export { createEventFeed } from "./event_feed.ts";
export type { Admitted } from "./http_server.ts";
export { startHttpServer } from "./http_server.ts";
