/** What of a project decides how it is checked and tested: the files at its root. */
import { readdir } from "node:fs/promises";
import type { Workspace } from "../workspace.ts";

/** Longer is no manifest, bytes. */
const MANIFEST_BYTES = 1 << 20;

/** A project as checkers and runners see it. */
export interface Project {
  /** Names at its root. */
  readonly names: ReadonlySet<string>;
  /** What `package.json` says, where it is one. */
  readonly manifest?: { readonly scripts?: Readonly<Record<string, unknown>> };
  /** The text of its makefile. */
  readonly makefile?: string;
  /** Whether commands have a network, and may fetch what they miss. */
  readonly online: boolean;
}

/** Looks at a workspace's root. */
export async function readProject(workspace: Workspace, online: boolean): Promise<Project> {
  const names = new Set(await readdir(workspace.root));
  const manifest = names.has("package.json")
    ? manifestOf(await textOf(workspace, "package.json"))
    : undefined;
  const makefileName = ["GNUmakefile", "makefile", "Makefile"].find((name) => names.has(name));
  const makefile = makefileName === undefined ? undefined : await textOf(workspace, makefileName);
  return {
    names,
    online,
    ...(manifest === undefined ? {} : { manifest }),
    ...(makefile === undefined ? {} : { makefile }),
  };
}

/** Whether there are programs in Python at the root, or what Python projects have there. */
export function isPython({ names }: Project): boolean {
  const manifests = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pytest.ini"];
  return manifests.some((name) => names.has(name)) ||
    [...names].some((name) => name.endsWith(".py"));
}

function manifestOf(text: string | undefined): Project["manifest"] {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file's text; nothing for what cannot be read, or is no manifest by its length. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode((await workspace.readWhole(path, MANIFEST_BYTES)).bytes);
  } catch {
    return undefined;
  }
}
