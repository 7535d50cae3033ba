/** What a patch makes of the files as they are: all of it is checked before anything changes. */
import { posix } from "node:path";
import { linesOf } from "../text/text_file.ts";
import type { TextFile } from "../text/text_file.ts";
import { missSentence } from "../text/quote_lines.ts";
import { applyHunks } from "./apply_hunks.ts";
import type { Misfit } from "./apply_hunks.ts";
import type { FilePatch, Patch, PatchLine } from "./file_patch.ts";

/** A file as it is before the patch. */
export interface Original {
  /** Where it really is, relative to the workspace. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Missing when it is no text. */
  readonly content?: TextFile;
}

/** What a file is to hold: a text, or the bytes of one that only moves. */
export type Content = TextFile | Uint8Array;

/** A file that the patch changes. */
export interface PlannedFile<Found extends Original> {
  readonly path: string;
  /** What is there; missing for a new file. */
  readonly original?: Found;
  /** What is to be there; missing for a file that goes. */
  readonly after?: Content;
  readonly executable?: boolean;
  /** The file that it was before under another name, or that it is a copy of. */
  readonly from?: Found;
}

/** A plan and a line for each change, or what does not fit, a sentence each. */
export type Plan<Found extends Original> =
  | { readonly files: readonly PlannedFile<Found>[]; readonly done: readonly string[] }
  | { readonly misfits: readonly string[] };

/** What is to become of a file, in the midst of a plan. */
interface Standing<Found extends Original> {
  readonly path: string;
  readonly original: Found | undefined;
  after: Content | undefined;
  executable?: boolean;
  from?: Found;
  /** Whether the patch has put a file there: a new one, one that moved, a copy. */
  made: boolean;
  /** Whether the patch takes away what was there before it. */
  vacated: boolean;
}

type FileChange = Exclude<FilePatch, { kind: "add" }>;

/**
 * Plans a patch.
 * @param find reads a file; `undefined` when there is none; what it throws is thrown on
 */
export async function planPatch<Found extends Original>(
  patch: Patch,
  find: (path: string) => Promise<Found | undefined>,
): Promise<Plan<Found>> {
  const files = new Map<string, Standing<Found>>();
  const misfits: string[] = [];
  const done: string[] = [];
  const standing = async (path: string): Promise<Standing<Found>> => {
    const original = await find(path);
    const key = original?.name ?? posix.normalize(path);
    const known = files.get(key);
    if (known !== undefined) return known;
    const after = original === undefined ? undefined : original.content ?? original.bytes;
    const fresh = { path, original, after, made: false, vacated: false };
    files.set(key, fresh);
    return fresh;
  };
  for (const file of patch.files) {
    const own = await standing(file.path);
    if (file.kind === "add") {
      const text = file.lines.map((line) => line.text + (line.unended === true ? "" : "\n")).join(
        "",
      );
      if (!put(own, { mark: false, text }, file.executable)) misfits.push(takenSentence(file.path));
      done.push(`added ${file.path} (${counted(file.lines)})`);
      continue;
    }
    const target = file.kind === "update" && file.to !== undefined ? await standing(file.to) : own;
    const change = changeOf(file, own, target, patch.ofOriginals);
    if ("misfits" in change) misfits.push(...change.misfits);
    else done.push(change.done);
  }
  for (const { path, original, made, vacated } of files.values()) {
    if (made && original !== undefined && !vacated) misfits.push(takenSentence(path));
  }
  if (misfits.length > 0) return { misfits };
  return { files: [...files.values()].filter(isChanged).map(plannedOf), done };
}

/** Puts a file where there is to be none. */
function put<Found extends Original>(
  standing: Standing<Found>,
  after: Content,
  executable: boolean | undefined,
): boolean {
  if (standing.made) return false;
  standing.after = after;
  standing.made = true;
  if (executable !== undefined) standing.executable = executable;
  return true;
}

/** Changes, moves, copies or removes a file of the plan. */
function changeOf<Found extends Original>(
  file: FileChange,
  own: Standing<Found>,
  target: Standing<Found>,
  ofOriginals: boolean,
): { readonly done: string } | { readonly misfits: readonly string[] } {
  const { path, kind, hunks } = file;
  const leaves = kind === "delete" || target !== own;
  const copied = kind === "update" && file.copied === true;
  // Git means the file that was there before the patch, though another has come to its place, and
  // copies it as it was though the patch has changed it.
  const displaced = leaves && ofOriginals && own.original !== undefined && (own.made || copied);
  const before = displaced ? own.original?.content ?? own.original?.bytes : own.after;
  if (before === undefined || (own.vacated && !own.made)) {
    return { misfits: [missingSentence(file, own)] };
  }
  const changed = changedContent(path, before, file);
  if ("misfits" in changed) return changed;
  const { after, counts } = changed;
  if (kind === "delete") {
    const rest = hunks.length > 0 && !(after instanceof Uint8Array) && after.text !== "";
    if (rest) return { misfits: [`${path} holds more than what the patch removes of it`] };
  } else if (target === own) {
    own.after = after;
    if (file.executable !== undefined) own.executable = file.executable;
    return { done: `changed ${path}${counts}` };
  } else {
    const from = displaced ? own.original : own.from ?? own.original;
    if (!put(target, after, file.executable)) return { misfits: [takenSentence(target.path)] };
    if (from !== undefined) target.from = from;
    if (copied) return { done: `copied ${path} to ${target.path}${counts}` };
  }
  own.vacated = true;
  if (!displaced) {
    own.after = undefined;
    own.made = false;
  }
  return {
    done: kind === "delete" ? `removed ${path}` : `moved ${path} to ${target.path}${counts}`,
  };
}

function changedContent(
  path: string,
  before: Content,
  { hunks }: FileChange,
):
  | { readonly after: Content; readonly counts: string }
  | { readonly misfits: readonly string[] } {
  if (hunks.length === 0) return { after: before, counts: "" };
  if (before instanceof Uint8Array) {
    return { misfits: [`${path} is no UTF-8 text, so it cannot be changed by its lines`] };
  }
  const applied = applyHunks(before.text, hunks);
  if ("misfits" in applied) {
    return { misfits: applied.misfits.map((misfit) => misfitSentence(path, before.text, misfit)) };
  }
  return {
    after: { mark: before.mark, text: applied.text },
    counts: ` (+${applied.added} -${applied.removed})`,
  };
}

function misfitSentence(path: string, text: string, misfit: Misfit): string {
  const what = `the change at line ${misfit.hunk.at} of the patch`;
  switch (misfit.why) {
    case "nowhere":
      return missSentence(path, linesOf(text), misfit.wanted, what);
    case "several":
      return `${what} fits ${path} at lines ${misfit.onLines.slice(0, 10).join(", ")}: ` +
        "give more of the lines around it, or an @@ line that stands before it";
    case "no-place":
      return `${what} only adds lines to ${path} and nothing says where: give the lines around it`;
  }
}

function missingSentence<Found extends Original>(file: FileChange, own: Standing<Found>): string {
  return own.original === undefined
    ? `there is no ${file.path} in the workspace`
    : `the patch has taken ${file.path} away before its line ${file.at}`;
}

function takenSentence(path: string): string {
  return `${path} is there already: update it, or give another name`;
}

function isChanged<Found extends Original>(
  { original, after, executable }: Standing<Found>,
): boolean {
  if (original === undefined || after === undefined) {
    return original !== undefined || after !== undefined;
  }
  if (executable !== undefined) return true;
  if (after instanceof Uint8Array) return after !== original.bytes;
  return after.text !== original.content?.text;
}

function plannedOf<Found extends Original>(standing: Standing<Found>): PlannedFile<Found> {
  const { path, original, after, executable, from } = standing;
  return {
    path,
    ...(original === undefined ? {} : { original }),
    ...(after === undefined ? {} : { after }),
    ...(executable === undefined ? {} : { executable }),
    ...(from === undefined ? {} : { from }),
  };
}

function counted(lines: readonly PatchLine[]): string {
  return lines.length === 1 ? "1 line" : `${lines.length} lines`;
}
