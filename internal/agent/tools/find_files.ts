/** Finds files of the workspace by a glob. */
import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { escapeLine } from "#internal/core/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { readPathGlob, treeFiles } from "#internal/search/mod.ts";
import type { PathGlob } from "#internal/search/mod.ts";
import { globFailure, PASSED_OVER, workspaceOf } from "./_files.ts";
import { defineAgentTool } from "./_tool.ts";

/** Paths that are told unless more are asked for. */
const DEFAULT_PATHS = 1_000;
const MOST_PATHS = 10_000;
/** After so many files and folders, others get their turn. */
const SLICE = 2_000;

/** A path a line, sorted, and nothing else: a program splits them. */
export const findFiles = defineAgentTool({
  name: "find_files",
  title: "Find files",
  description: "Find files of the workspace by a glob, like src/**/*.rs or *.{ts,tsx}; one " +
    `without / matches a name at any depth. Gives a path a line, sorted. ${PASSED_OVER}`,
  input: () =>
    z.strictObject({
      limit: z.number().int().min(1).max(MOST_PATHS).exactOptional()
        .describe(`How many paths at most (default ${DEFAULT_PATHS})`),
      pattern: z.string().min(1).describe("The glob"),
    }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "pattern",
  fromPrograms: true,
  outputLimitBytes: 1024 * 1024,
  needs: ["workspace"],
  async run(context, { pattern, limit: given }) {
    // A program is not to go by a part of them without knowing it.
    const whole = context.fromProgram === true;
    const limit = given ?? (whole ? MOST_PATHS : DEFAULT_PATHS);
    let glob: PathGlob;
    try {
      glob = readPathGlob(pattern);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return globFailure(error, "pattern", pattern);
    }
    const { root } = workspaceOf(context);
    const notes = { unread: 0 };
    const paths: string[] = [];
    let slice = 0;
    for (const file of treeFiles(root, glob, notes)) {
      if (++slice % SLICE === 0) {
        await setImmediate();
        if (context.signal.aborted) return refused("cancelled", "finding files was stopped");
      }
      if (file !== undefined) paths.push(file.name);
      if (paths.length > limit) break;
    }
    const found = paths.slice(0, limit);
    // A name may hold a line's end: it is not to look like another line.
    const shown = found.map(escapeLine).join("\n");
    if (paths.length > limit) {
      const more = `more than ${limit} files match: narrow the pattern or raise limit`;
      return whole ? refused("argument", more) : { ok: true, text: `${shown}\n(${more})` };
    }
    const unread = notes.unread === 0
      ? ""
      : ` (${notes.unread} ${notes.unread === 1 ? "folder" : "folders"} could not be read)`;
    return {
      ok: true,
      text: paths.length === 0 ? `no file matches ${pattern}${unread}` : shown,
      value: found.join("\n"),
    };
  },
});
