/** Replaces a quoted stretch of a text file in the workspace. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";
import { missSentence } from "../text/quote_lines.ts";
import { replaceStretch } from "../text/replace_stretch.ts";
import { bytesOfText, linesOf, withPlainEndings } from "../text/text_file.ts";
import type { TextFile } from "../text/text_file.ts";
import type { Workspace } from "../workspace.ts";
import { PATH_DESCRIPTION, pathFailure, workspaceOf } from "./_files.ts";
import { changeId, countedLines, readText, textDigest } from "./_texts.ts";
import type { ReadText } from "./_texts.ts";
import type { AgentToolContext } from "./_tool.ts";
import { defineAgentTool, ForeseenFailure } from "./_tool.ts";

/** Places of a stretch that are named, of one that is there too often. */
const MOST_PLACES = 10;

interface Edit {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** Not in the journal: the file shows what it did. */
export const editFile = defineAgentTool<Edit>({
  name: "edit_file",
  title: "Edit a file",
  description: "Replace a stretch of a text file in the workspace. old_string is quoted as it " +
    "stands in the file, white space included and line numbers left out, and must be there " +
    "exactly once: quote enough lines around it, or set replace_all. Line endings are kept.",
  input: () =>
    z.strictObject({
      new_string: z.string().describe("What stands there instead; empty to remove it"),
      old_string: z.string().min(1).describe("What to replace, as it stands in the file"),
      path: z.string().min(1).describe(PATH_DESCRIPTION),
      replace_all: z.boolean().exactOptional()
        .describe("Replace it every time it is there (default false)"),
    }),
  highestEffect: "write",
  paths: ({ path }) => [{ path, use: "write" }],
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "path",
  says: ({ path }) => `Change ${path}.`,
  fromPrograms: false,
  needs: ["workspace"],
  async run(context, edit) {
    try {
      return await replaceIn(context, edit);
    } catch (error) {
      return pathFailure(error);
    }
  },
  async preview({ workspace }, edit) {
    const planned = await plan(workspace, edit).catch(pathFailure);
    if ("code" in planned) throw new ForeseenFailure(planned);
    const { file, after } = planned;
    return [{ path: edit.path, before: file.text, after: after.text }];
  },
  async recover(context, { path }, notes) {
    const { text, after } = notes.at(-1) ?? {};
    await workspaceOf(context).discard([path], changeId(context)).catch(pathFailure);
    const file = await readText(workspaceOf(context), path).catch(pathFailure);
    const made = typeof text === "string" && "text" in file && textDigest(file) === after;
    return made ? { ok: true, text } : "not-made";
  },
});

/** An edit that can be made. */
interface Planned {
  readonly file: ReadText;
  readonly after: TextFile;
  /** What the model is told once it is made. */
  readonly text: string;
}

async function replaceIn(context: AgentToolContext, edit: Edit): Promise<ToolResult> {
  const workspace = workspaceOf(context);
  const planned = await plan(workspace, edit);
  if ("code" in planned) return planned;
  const { file, after, text } = planned;
  await workspace.change(
    [{ kind: "write", path: edit.path, bytes: bytesOfText(after), was: file.version }],
    {
      id: changeId(context),
      onReady: () => context.note({ after: textDigest(after), text }),
    },
  );
  return { ok: true, text };
}

/** What an edit would make of the file as it is. @throws {WorkspaceError} */
async function plan(workspace: Workspace, edit: Edit): Promise<Planned | ToolFailure> {
  const { path, old_string: old, new_string: replacement, replace_all: all = false } = edit;
  if (!replacement.isWellFormed()) {
    return refused("argument", "new_string holds half of a character: give whole ones");
  }
  if (withPlainEndings(old) === withPlainEndings(replacement)) {
    return refused("argument", "new_string is the same as old_string: give what to change it to");
  }
  const file = await readText(workspace, path);
  const replaced = replaceStretch(file.text, old, replacement, all);
  if (replaced.found === "nowhere") {
    const lines = linesOf(file.text);
    return refused("no-match", missSentence(path, lines, linesOf(old), "old_string"));
  }
  if (replaced.found === "several") {
    const { onLines } = replaced;
    const rest = onLines.length > MOST_PLACES ? ", …" : "";
    return refused(
      "many-matches",
      `old_string is ${onLines.length} times in ${path} (lines ` +
        `${onLines.slice(0, MOST_PLACES).join(", ")}${rest}): quote more of the lines around the ` +
        "one you mean, or set replace_all",
    );
  }
  const places = replaced.places === 1 ? "" : `, in ${replaced.places} places`;
  return {
    file,
    after: { mark: file.mark, text: replaced.text },
    text: `changed ${countedLines(replaced.lines)} of ${path}${places}`,
  };
}
