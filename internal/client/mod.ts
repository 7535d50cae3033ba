/** A client of a node: wallets of this machine, the node's answers, what signs and waits. */
export { checkClientOptions, openClient } from "./client.ts";
export type { ClientErrorCode } from "./errors.ts";
export { atPlace, badArgument } from "./errors.ts";
export type { PaidErrorCode } from "./paid_errors.ts";
export { nodeAddress } from "./http_transport.ts";
export type * from "./memory_types.ts";
export type * from "./staking_types.ts";
export type * from "./storage_types.ts";
export type * from "./task_types.ts";
export type * from "./types.ts";
