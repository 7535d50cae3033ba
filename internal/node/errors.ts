/** What can keep a node from starting or make it stop. */
import { SionError } from "#internal/core/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";

/**
 * - `other-format`: the folder was made under another version of the formats; data `{found}`.
 * - `other-chain`: the folder's chain has other parameters than those asked for.
 * - `folder-damaged`: a file of the folder is missing or is not what sion wrote.
 * - `store-failed`: a validator's store cannot be read or written.
 * - `argument`: an option is out of range.
 * - `node-stopped`: a validator ended by a fault; the devnet is stopped.
 */
export type NodeErrorCode =
  | "other-format"
  | "other-chain"
  | "folder-damaged"
  | "store-failed"
  | "argument"
  | "node-stopped";

/** An error of a node; its message is the sentence that a person reads. */
export class NodeError extends SionError<NodeErrorCode> {}

/** What clients are answered while the node goes down: nothing was taken. */
export function stoppingError(): RpcError {
  return new RpcError("stopping", "The node is going down: ask again in a moment, or another node");
}
