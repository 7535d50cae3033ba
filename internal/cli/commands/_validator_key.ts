/** A validator's key file that a command hands to the chain it is connected to. */
import { resolve } from "node:path";
import { displayPath } from "#internal/runtime/mod.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";

/** A key that never signed in another chain. */
export interface ValidatorKeyFile {
  /** Its path as messages show it. */
  readonly shown: string;
  /** Secret: what the key derives from. */
  readonly seed: Uint8Array;
}

/** @throws {SionError} when there is no such key, its store is missing, or it signed elsewhere. */
export async function validatorKeyFile(
  context: CommandContext,
  path: string,
): Promise<ValidatorKeyFile> {
  const file = resolve(context.cwd, path);
  const { readKeyWithStore } = await import("#internal/node/mod.ts");
  const shown = displayPath(file, context.env);
  const { seed, chain } = await readKeyWithStore(file, shown);
  const client = await context.client();
  const { chain: current } = await client.rpc.status({}, { signal: context.signal });
  if (chain !== "" && chain !== current) {
    throw usageError(
      `${shown} has signed in another chain: \`sion genesis key <dir>\` makes another key`,
    );
  }
  return { shown, seed };
}
