/** Faults of a validator's store, as whoever runs the node or the devnet reads them. */
import { storeFault } from "#internal/store/mod.ts";
import { NodeError } from "./errors.ts";
import type { NodePlace } from "./node_key.ts";

/**
 * The error to tell of: one of the store names the node and the file and says what to do, any other
 * is as it is.
 */
export function namedFault(
  error: unknown,
  { name, shown }: Pick<NodePlace, "name" | "shown">,
): unknown {
  const fault = storeFault(error);
  if (fault === undefined) return error;
  const { state, remedy = "give another --dir" } = fault;
  return new NodeError(
    "store-failed",
    `the store of ${name}, ${shown}, ${state}: ${remedy}`,
    { cause: error },
  );
}
