/** Applies a patch to files of the workspace: all of it or nothing. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";
import { PatchError } from "../patch/file_patch.ts";
import { planPatch } from "../patch/plan_patch.ts";
import type { Content, Plan, PlannedFile } from "../patch/plan_patch.ts";
import { readPatch } from "../patch/read_patch.ts";
import { bytesOfText, textOfBytes } from "../text/text_file.ts";
import type { Change, Workspace } from "../workspace.ts";
import { pathFailure, workspaceOf } from "./_files.ts";
import { changeId, MAX_TEXT_BYTES, unlessMissing } from "./_texts.ts";
import type { OriginalFile } from "./_texts.ts";
import type { AgentToolContext, FileChange, Note } from "./_tool.ts";
import { defineAgentTool, ForeseenFailure } from "./_tool.ts";

/** More is no patch that a model wrote, characters. */
const MAX_PATCH_LENGTH = 2_000_000;
/** Misfits that are told at once. */
const MOST_MISFITS = 3;

/** Not in the journal: the files show what it did. */
export const applyPatch = defineAgentTool({
  name: "apply_patch",
  title: "Apply a patch",
  description:
    "Change several files of the workspace at once: all of the patch or nothing. Takes " +
    "a unified diff, as git writes it, or the form\n" +
    "*** Begin Patch\n*** Update File: src/a.py\n@@ def total(items):\n context\n-old line\n" +
    "+new line\n*** Add File: b.txt\n+a line\n*** Delete File: c.txt\n*** End Patch\n" +
    "(*** Move to: d.py after an Update File line moves the file). A change is found by its lines; " +
    "line numbers may be wrong.",
  input: () =>
    z.strictObject({
      patch: z.string().min(1).max(MAX_PATCH_LENGTH)
        .describe("The patch, with paths inside the workspace"),
    }),
  highestEffect: "write",
  says: ({ patch }) => {
    const paths = pathsOf(patch);
    return paths.length === 0
      ? "Apply a patch that cannot be read."
      : `Change ${paths.join(", ")}.`;
  },
  paths: ({ patch }) => pathsOf(patch).map((path) => ({ path, use: "write" })),
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  needs: ["workspace"],
  async run(context, { patch }) {
    try {
      return await apply(context, patch);
    } catch (error) {
      return patchFailure(error);
    }
  },
  async preview({ workspace }, { patch }) {
    const plan = await planIn(workspace, patch).catch(patchFailure);
    if ("code" in plan) throw new ForeseenFailure(plan);
    return previewOf(plan.files);
  },
  async recover(context, _input, notes) {
    const begun = notes.map(begunOf).find((note) => note !== undefined);
    if (begun === undefined) return "not-made";
    const { changes, text } = begun;
    const id = changeId(context);
    const workspace = workspaceOf(context);
    try {
      if (notes.some((note) => note["ready"] === true)) {
        await workspace.finish(changes, id);
        return { ok: true, text };
      }
      await workspace.discard(changes.map(({ path }) => path), id);
      return "not-made";
    } catch (error) {
      return { ...pathFailure(error), noEffect: false };
    }
  },
});

async function apply(context: AgentToolContext, patch: string): Promise<ToolResult> {
  const workspace = workspaceOf(context);
  const plan = await planIn(workspace, patch);
  if ("code" in plan) return plan;
  const { files, done } = plan;
  const changes = files.map(changeOf).sort((a, b) =>
    a.kind === b.kind ? 0 : a.kind === "write" ? -1 : 1
  );
  const text = [done.length === 1 ? "changed 1 file:" : `changed ${done.length} files:`, ...done]
    .join("\n");
  context.note({ changes: changes.map(({ kind, path }) => ({ kind, path })), text });
  await workspace.change(changes, {
    id: changeId(context),
    onReady: () => context.note({ ready: true }),
  });
  return { ok: true, text };
}

/** A patch that fits, as a plan. */
type Fitting = Exclude<Plan<OriginalFile>, { readonly misfits: readonly string[] }>;

/** What a patch would make of the files as they are. @throws {PatchError} @throws {WorkspaceError} */
async function planIn(workspace: Workspace, patch: string): Promise<Fitting | ToolFailure> {
  const plan = await planPatch(readPatch(patch), (path) => find(workspace, path));
  if ("misfits" in plan) return misfit(plan.misfits);
  return plan.files.length > 0 ? plan : refused(
    "argument",
    "the files are as the patch makes them already: nothing was changed",
  );
}

function misfit(misfits: readonly string[]): ToolFailure {
  const more = misfits.length - MOST_MISFITS;
  const told = misfits.slice(0, MOST_MISFITS);
  if (more > 0) told.push(`${more} more changes do not fit`);
  return refused("no-match", `nothing was changed: ${told.join("\n\n")}`);
}

function patchFailure(error: unknown): ToolFailure {
  if (error instanceof PatchError) return refused("patch", error.message);
  return pathFailure(error);
}

async function find(workspace: Workspace, path: string): Promise<OriginalFile | undefined> {
  const file = await workspace.readWhole(path, MAX_TEXT_BYTES).catch(unlessMissing);
  if (file === undefined) return undefined;
  const content = textOfBytes(file.bytes);
  return { ...file, ...(content === undefined ? {} : { content }) };
}

function changeOf({ path, original, after, executable, from }: PlannedFile<OriginalFile>): Change {
  const was = original?.version;
  if (after === undefined) return { kind: "remove", path, ...(was === undefined ? {} : { was }) };
  return {
    kind: "write",
    path,
    bytes: after instanceof Uint8Array ? after : bytesOfText(after),
    was: was ?? "nothing",
    ...(executable === undefined ? {} : { executable }),
    ...(from === undefined ? {} : { modeOf: from.mode }),
  };
}

function previewOf(files: readonly PlannedFile<OriginalFile>[]): FileChange[] {
  const moved = new Set(files.flatMap(({ from }) => from === undefined ? [] : [from.name]));
  const goes = (name: string) =>
    files.some(({ original, after }) => original?.name === name && after === undefined);
  return files.flatMap(({ path, original, after, from }): FileChange[] => {
    // A file that moves is shown once, where it goes.
    if (after === undefined && original !== undefined && moved.has(original.name)) return [];
    const before = shownText(original?.content ?? original?.bytes);
    const shown = {
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after: shownText(after) ?? "" }),
    };
    if (from === undefined || original !== undefined || !goes(from.name)) {
      return [{ path, ...shown }];
    }
    return [{
      ...shown,
      path: from.name,
      movedTo: path,
      before: shownText(from.content ?? from.bytes) ?? "",
    }];
  });
}

function shownText(content: Content | undefined): string | undefined {
  if (content === undefined) return undefined;
  return content instanceof Uint8Array
    ? `(${content.length} bytes that are no text)\n`
    : content.text;
}

/** Every path that a patch names; none when it cannot be read. */
function pathsOf(text: string): string[] {
  try {
    return readPatch(text).files.flatMap((file) =>
      file.kind === "update" && file.to !== undefined ? [file.path, file.to] : [file.path]
    );
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
}

/** The note that is made before the first file stands beside another. */
function begunOf({ changes, text }: Note):
  | { readonly changes: readonly Pick<Change, "kind" | "path">[]; readonly text: string }
  | undefined {
  const read = BEGUN.safeParse({ changes, text });
  return read.success ? read.data : undefined;
}

const BEGUN = z.object({
  changes: z.array(z.object({ kind: z.enum(["write", "remove"]), path: z.string() })),
  text: z.string(),
});
