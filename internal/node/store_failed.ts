/** Faults of a validator's store, as whoever runs the devnet reads them. */
import { storeFault } from "#internal/store/mod.ts";
import type { ValidatorPlace } from "./devnet_folder.ts";
import { NodeError } from "./errors.ts";

/**
 * The error to tell of: one of the store names the validator and the file and says what to do, any
 * other is as it is.
 * @param shown the devnet's folder as messages show it.
 */
export function namedFault(
  error: unknown,
  { index }: Pick<ValidatorPlace, "index">,
  shown: string,
): unknown {
  const fault = storeFault(error);
  if (fault === undefined) return error;
  const { state, remedy = "give another --dir" } = fault;
  return new NodeError(
    "store-failed",
    `the store of validator ${index}, ${shown}/validator-${index}/node.sqlite, ${state}: ${remedy}`,
    { cause: error },
  );
}
