/** How a devnet or a single node serves clients. */
import type { Logger } from "#internal/core/mod.ts";

/** Where clients reach a node, unless said otherwise. */
export const DEFAULT_HOST = "127.0.0.1";

/** How a process serves clients. */
export interface ServingOptions {
  /** Where clients reach it. @default 127.0.0.1:8400 */
  readonly host?: string;
  /** 0 takes any free port. @default 8400 */
  readonly port?: number;
  /** Names besides the host and localhost that clients may call it by. @default none */
  readonly allowHosts?: readonly string[];
  readonly logger: Logger;
  /**
   * URL of the program file that calls `runNodeWorker` first thing, for programs that are one file.
   * @default the source file of validators' threads
   */
  readonly workerEntry?: string;
}
