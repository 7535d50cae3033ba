/** Faults of the machine under a command: a full or read-only disk, a path that cannot be. */
import { resolve, sep } from "node:path";
import type { Environment } from "#internal/runtime/mod.ts";
import { codeOf, displayPath, sionHome } from "#internal/runtime/mod.ts";
import type { StoreFault } from "#internal/store/mod.ts";
import type { ShownError } from "./error_codes.ts";
import { EXIT } from "./errors.ts";

/** The longest path that a sentence shows whole, characters. */
const MAX_SHOWN = 120;
const ANOTHER_HOME = "set SION_HOME (or --home) to a folder that can be written";
/** Of a path that the command was given: by its argument, or by an option. */
const ANOTHER_PATH = "give a path that can be written, by the argument or --dir";

/** What paths can be, besides what befalls a store's files. */
const PATH_FAULTS: { readonly [code: string]: StoreFault } = {
  EEXIST: { state: "is in the way: a folder is needed there", remedy: ANOTHER_HOME },
  EISDIR: { state: "is a folder, a file is needed there", remedy: "move it away" },
  ELOOP: { state: "goes round in links", remedy: ANOTHER_HOME },
  ENAMETOOLONG: { state: "is too long a path", remedy: ANOTHER_HOME },
  ENOTDIR: { state: "lies under what is no folder", remedy: ANOTHER_HOME },
};

/** The error as it is shown when the machine is to blame; `undefined` for any other. */
export async function environmentFault(
  error: unknown,
  env: Environment,
): Promise<ShownError | undefined> {
  const { storeFault } = await import("#internal/store/mod.ts");
  const { path, syscall } = error as { readonly path?: unknown; readonly syscall?: unknown };
  // A folder on a read-only disk is told as one whose parent is missing.
  const unmade = codeOf(error) === "ENOENT" && syscall === "mkdir"
    ? { state: "cannot be made", remedy: ANOTHER_HOME }
    : undefined;
  const fault = unmade ?? PATH_FAULTS[codeOf(error)] ?? storeFault(error);
  if (fault === undefined) return undefined;
  const { state, remedy: told = "restore it from a copy, or move it away to begin anew" } = fault;
  const isElsewhere = typeof path === "string" && !isOfHome(path, sionHome(env));
  const remedy = told === ANOTHER_HOME && isElsewhere ? ANOTHER_PATH : told;
  const name = typeof path === "string"
    ? displayPath(path, env)
    : `a file in ${displayPath(sionHome(env), env)}`;
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  return { code: "store-failed", sentence: `${shown} ${state}: ${remedy}`, exit: EXIT.error };
}

/** Whether a path lies in the home, or the home in it. */
function isOfHome(path: string, home: string): boolean {
  const [a, b] = [resolve(path) + sep, resolve(home) + sep];
  return a.startsWith(b) || b.startsWith(a);
}
