/** What can be wrong with a path in the workspace, as sentences for a model. */
import { SionError } from "#internal/core/mod.ts";

/**
 * `outside`: the path leads out of the workspace. `missing`: nothing is there. `not-a-file`: a
 * folder, device, pipe or socket. `path`: no path at all. `denied`: the system does not allow it.
 * `exists`: something is there already. `changed`: it is not what it was when it was read.
 * `too-large`: more than is read at once.
 */
export type WorkspaceErrorCode =
  | "outside"
  | "missing"
  | "not-a-file"
  | "path"
  | "denied"
  | "exists"
  | "changed"
  | "too-large";

/** A path cannot be used; the message is a sentence for the model. */
export class WorkspaceError extends SionError<WorkspaceErrorCode> {}

/** The path leads out. */
export function outside(path: string): WorkspaceError {
  return new WorkspaceError(
    "outside",
    `${path} is outside the workspace: give a path inside it, like src/a.txt`,
  );
}

/** Nothing is there. */
export function missing(path: string): WorkspaceError {
  return new WorkspaceError("missing", `there is no ${path} in the workspace`);
}

/** What is there has no text. */
export function notAFile(path: string, kind: string): WorkspaceError {
  return new WorkspaceError("not-a-file", `${path} is ${kind}, not a file`);
}

/** The code of a system's error, or "". */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Takes an error of that code for none; others are thrown on. */
export function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error))) throw error;
    return undefined;
  };
}

const SENTENCES: Readonly<Record<string, string>> = {
  EACCES: "the system does not allow it",
  EPERM: "the system does not allow it",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "a name in it is too long",
  EISDIR: "it is a folder",
  ENOTEMPTY: "it is a folder",
  EINVAL: "the file system does not take that name",
  EBUSY: "it is in use",
  ELOOP: "it goes round in links",
  EMFILE: "too many files are open",
  ENOENT: "it went away meanwhile",
  ENOTDIR: "a part of it is no folder",
};

/** The system's refusals as sentences; bugs stay what they are. */
export function explained(error: unknown, path: string): unknown {
  if (error instanceof SionError) return error;
  const sentence = SENTENCES[codeOf(error)];
  if (sentence === undefined) return error;
  return new WorkspaceError("denied", `cannot use ${path}: ${sentence}`, { cause: error });
}
