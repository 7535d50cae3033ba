/** What is checked of a workspace before a session starts. */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { displayPath } from "#internal/runtime/mod.ts";
import { AgentError } from "./errors.ts";

/** Where the paths are to be judged and how they are shown. */
export interface WorkspaceCheck {
  /** As the person gave it. */
  readonly folder: string;
  readonly cwd: string;
  /** `$SION_HOME`. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The workspace's absolute path. It must be a folder that neither holds nor lies in `$SION_HOME`,
 * links followed: file tools could read wallets' keys there.
 * @throws {AgentError} `workspace`
 */
export async function checkWorkspace(check: WorkspaceCheck): Promise<string> {
  const { folder, cwd, home, env } = check;
  const shown = displayPath(folder, env);
  const path = resolve(cwd, folder);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new AgentError(
      "workspace",
      found === undefined
        ? `there is no folder ${shown}: make it, or give another --workspace`
        : `${shown} is no folder: give one as --workspace`,
    );
  }
  const [real, realHome] = await Promise.all([realpath(path), realPathOf(resolve(cwd, home))]);
  if (holds(real, realHome) || holds(realHome, real)) {
    throw new AgentError(
      "workspace",
      `the workspace ${shown} and ${displayPath(home, env)} (wallets, sessions, skills) overlap: ` +
        "give a workspace apart from it",
    );
  }
  return real;
}

function holds(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer === sep ? sep : outer + sep);
}

/** A path without links, also where its last parts are not there yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), path.slice(parent.length));
  }
}
