/** What is checked of a folder that an agent, or a program of its, is to work in. */
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { displayPath, pathExists } from "#internal/runtime/mod.ts";
import { AgentError } from "./errors.ts";

/** What a folder is for. */
export interface FolderUse {
  /** In sentences, with what it is of: `workspace`, `directory of MCP server notes`. */
  readonly name: string;
  /** The option that gives it. */
  readonly option: string;
}

const WORKSPACE: FolderUse = { name: "workspace", option: "--workspace" };

/** Where the paths are to be judged and how they are shown. */
export interface WorkspaceCheck {
  /** What it is to be. @default a session's workspace */
  readonly use?: FolderUse;
  /** As the person gave it. */
  readonly folder: string;
  readonly cwd: string;
  /** `$SION_HOME`. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parts of `$SION_HOME` that may be links to other disks. */
const PARTS = [
  "wallets",
  "agents",
  "agents/skills",
  "agents/releases",
  "devnet",
  "client.db",
  "logs",
  "sandbox",
];

/**
 * The folder's absolute path. It must be one that neither holds nor lies in `$SION_HOME` or a devnet's
 * folder, links followed: whoever works in it could read wallets' and validators' keys there, or
 * change a skill without what skills are checked for.
 * @throws {AgentError} `workspace`
 */
export async function checkWorkspace(check: WorkspaceCheck): Promise<string> {
  const { folder, cwd, home, env, use: { name, option } = WORKSPACE } = check;
  const shown = displayPath(folder, env);
  const path = resolve(cwd, folder);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new AgentError(
      "workspace",
      found === undefined
        ? `there is no folder ${shown}: make it, or give another ${option}`
        : `${shown} is no folder: give one as ${option}`,
    );
  }
  const real = await realpath(path);
  const kept = await keptPaths(resolve(cwd, home));
  const apart = `give a ${name === WORKSPACE.name ? name : "directory"} apart from it`;
  if (kept.some((part) => holds(real, part) || holds(part, real))) {
    throw new AgentError(
      "workspace",
      `the ${name} ${shown} and ${displayPath(home, env)} (wallets, sessions, skills) overlap: ` +
        apart,
    );
  }
  if (await touchesDevnet(real)) {
    throw new AgentError(
      "workspace",
      `the ${name} ${shown} and a devnet's folder (validators' keys) overlap: ${apart}`,
    );
  }
  return real;
}

/** Where the home's parts and its wallets really are: nothing may show them. `home` is absolute. */
export async function keptPaths(home: string): Promise<readonly string[]> {
  const wallets = await readdir(join(home, "wallets")).catch(() => []);
  const parts = [home, ...PARTS.map((part) => join(home, part))];
  const files = wallets.map((name) => join(home, "wallets", name));
  return await Promise.all([...parts, ...files].map(realPathOf));
}

/** Whether a folder is a devnet's, lies in one, or has one as a child. */
async function touchesDevnet(folder: string): Promise<boolean> {
  const above: string[] = [];
  for (let path = folder; above.at(-1) !== path; path = dirname(path)) above.push(path);
  const below = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
  return (await Promise.all([...above, ...below].map(isDevnet))).includes(true);
}

async function isDevnet(folder: string): Promise<boolean> {
  const there = (...names: string[]): Promise<boolean> =>
    pathExists(join(folder, ...names)).catch(() => false);
  return await there("genesis.json") && await there("validator-0", "key.json");
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
