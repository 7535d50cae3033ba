/**
 * What files were before a session's own tools changed them, so that they can be put back. The bytes
 * lie in `$SION_HOME/agents/before/<session>`, by digest, one folder for all forks; the log says which file each was of.
 */
import { join, posix } from "node:path";
import { messageOf, SionError, toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { ensureFolder, readFileIfThere, writeNewFile } from "#internal/runtime/mod.ts";
import { pruneFolder } from "./bounded_folder.ts";
import type { SessionState } from "./state.ts";
import type { Change, WholeFile, Workspace } from "./workspace.ts";
import { WorkspaceError } from "./workspace.ts";

/** A larger file is not kept, bytes. */
const MOST_FILE_BYTES = 10 << 20;
/** What one session keeps; the oldest goes first, bytes. */
const MOST_SESSION_BYTES = 64 << 20;

const CHANGES = "files-changing";
const ROOT = "session-forked";
const OWN_EXECUTE = 0o100;

/** A file as a call is about to change it. */
export interface ChangingFile {
  readonly path: string;
  /** SHA-256 of what it was, 64 hex digits; missing when there was no file. */
  readonly before?: string;
  /** The same of what it is to be; missing when it is removed. */
  readonly after?: string;
  /** What it was could be run. */
  readonly executable?: boolean;
  /** Why what it was is not kept. */
  readonly lost?: string;
}

/** A change that a call made, or was about to make. */
export type FileChanged = ChangingFile & {
  readonly call: string;
  /** Place in the log. */
  readonly seq: number;
  /** Set once it was put back, or given up. */
  undone: boolean;
};

/** The changes of a session's files in their order, for looking and for events to add to. */
export function changesOf(state: SessionState): FileChanged[] {
  const known = state.extra.get(CHANGES) as FileChanged[] | undefined;
  if (known !== undefined) return known;
  const fresh: FileChanged[] = [];
  state.extra.set(CHANGES, fresh);
  return fresh;
}

/** The session whose journal this one goes on with: its own, or that of the first it was forked from. */
export const journalRoot = {
  of: (state: SessionState): string =>
    (state.extra.get(ROOT) as string | undefined) ?? state.session,
  set: (state: SessionState, root: string): void => void state.extra.set(ROOT, root),
};

/** Where a session and its forks keep what files were. @param session the first of them */
export function beforeFolder(home: string, session: string): string {
  return join(home, "agents", "before", session);
}

/**
 * A workspace that keeps what files were before it changes them. What cannot be kept is changed all
 * the same: the log says then that it cannot be put back.
 * @param record keeps the event; durable when it returns
 */
export function keepingBefore(
  workspace: Workspace,
  folder: string,
  record: (files: readonly ChangingFile[]) => void,
): Workspace {
  return {
    ...workspace,
    async change(changes, options) {
      const files: ChangingFile[] = [];
      for (const change of changes) {
        const file = await keepOne(workspace, folder, change);
        if (file !== undefined) files.push(file);
      }
      if (files.length > 0) record(files);
      await workspace.change(changes, options);
    },
  };
}

async function keepOne(
  workspace: Workspace,
  folder: string,
  change: Change,
): Promise<ChangingFile | undefined> {
  const path = posix.normalize(change.path);
  const to = change.kind === "write" ? { after: digestOf(change.bytes) } : {};
  let was: WholeFile | undefined;
  try {
    was = await wholeFile(workspace, change.path);
  } catch (error) {
    return { path, ...to, lost: messageOf(error) };
  }
  if (was === undefined) return { path, ...to };
  const before = digestOf(was.bytes);
  if (before === to.after) return undefined;
  const executable = (was.mode & OWN_EXECUTE) === 0 ? {} : { executable: true };
  try {
    await keepBytes(folder, before, was.bytes);
    return { path, before, ...to, ...executable };
  } catch (error) {
    return { path, before, ...to, ...executable, lost: messageOf(error) };
  }
}

/** A file of the workspace, or nothing where there is none. @throws {WorkspaceError} */
async function wholeFile(workspace: Workspace, path: string): Promise<WholeFile | undefined> {
  try {
    return await workspace.readWhole(path, MOST_FILE_BYTES);
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "missing") return undefined;
    throw error;
  }
}

async function keepBytes(folder: string, digest: string, bytes: Uint8Array): Promise<void> {
  await ensureFolder(folder);
  try {
    await writeNewFile(join(folder, digest), bytes);
  } catch (error) {
    if (error instanceof SionError && error.code === "file-exists") return;
    throw error;
  }
  await pruneFolder(folder, digest, MOST_SESSION_BYTES);
}

/** What putting files back came to. */
export interface PutBack {
  readonly restored: readonly string[];
  /** Files that stay as they are, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Puts the files back that the session's tools changed behind a place of its log: all that can be, in
 * one set. A file that somebody else changed since stays. Doing it again changes nothing.
 * @param id names the set; unique among all
 */
export async function putBack(
  state: SessionState,
  { workspace, folder, behind, id }: {
    readonly workspace: Workspace;
    readonly folder: string;
    readonly behind: number;
    readonly id: string;
  },
): Promise<PutBack> {
  const all = changesOf(state);
  const firsts = new Map<string, FileChanged>();
  for (const change of all) {
    if (change.seq > behind && !change.undone && !firsts.has(change.path)) {
      firsts.set(change.path, change);
    }
  }
  const changes: Change[] = [];
  const left: { path: string; why: string }[] = [];
  for (const first of firsts.values()) {
    const known = all.filter(({ path }) => path === first.path)
      .flatMap(({ before, after }) => [before, after]);
    const change = await changeBack(workspace, folder, first, known);
    if (typeof change === "string") left.push({ path: first.path, why: change });
    else if (change !== undefined) changes.push(change);
  }
  if (changes.length > 0) await workspace.change(changes, { id });
  return { restored: changes.map(({ path }) => path), left };
}

/** The change that puts a file back; nothing when it is so already; else why it stays. */
async function changeBack(
  workspace: Workspace,
  folder: string,
  { path, before, executable, lost }: FileChanged,
  known: readonly (string | undefined)[],
): Promise<Change | string | undefined> {
  if (lost !== undefined) return `what it was is not kept: ${lost}`;
  let now: WholeFile | undefined;
  try {
    now = await wholeFile(workspace, path);
  } catch (error) {
    return messageOf(error);
  }
  const digest = now === undefined ? undefined : digestOf(now.bytes);
  if (digest === before) return undefined;
  if (!known.includes(digest)) return "somebody else changed it since";
  if (before === undefined) return { kind: "remove", path, ...wasOf(now) };
  const bytes = await readFileIfThere(join(folder, before));
  if (bytes === undefined || digestOf(bytes) !== before) {
    return "what it was is not kept any more";
  }
  return {
    kind: "write",
    path,
    bytes,
    was: now?.version ?? "nothing",
    ...(now === undefined && executable === true ? { executable } : {}),
  };
}

function wasOf(file: WholeFile | undefined): { readonly was?: WholeFile["version"] } {
  return file === undefined ? {} : { was: file.version };
}

function digestOf(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}
