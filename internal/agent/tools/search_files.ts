/** Searches what the files of the workspace hold, by a regular expression. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolSuccess } from "#internal/mcp/mod.ts";
import { searchFolder, SearchInputError } from "#internal/search/mod.ts";
import type { FoundFile, Searched } from "#internal/search/mod.ts";
import { globFailure, PASSED_OVER, workspaceOf } from "./_files.ts";
import { defineAgentTool } from "./_tool.ts";

/** Matching lines that are shown unless more are asked for. */
const DEFAULT_MATCHES = 100;
const MOST_MATCHES = 1_000;
const DEFAULT_CONTEXT = 2;
const MOST_CONTEXT = 20;
/** Text of one answer, characters. */
const MAX_TEXT_LENGTH = 60_000;

/** In linear time, whatever the expression. */
export const searchFiles = defineAgentTool({
  name: "search_files",
  title: "Search files",
  description: "Search what the files of the workspace hold by a regular expression (RE2: no " +
    "lookaround, no backreferences; (?i) ignores case) that is looked for in each line. Gives the " +
    "lines that match as 12:text and those around them as 11-text, below their file's path. " +
    PASSED_OVER,
  input: () =>
    z.strictObject({
      context: z.number().int().min(0).max(MOST_CONTEXT).exactOptional()
        .describe(`Lines around each match (default ${DEFAULT_CONTEXT})`),
      glob: z.string().min(1).exactOptional()
        .describe("Only in files that it matches, like src/**/*.rs or *.{ts,tsx} (default all)"),
      limit: z.number().int().min(1).max(MOST_MATCHES).exactOptional()
        .describe(`How many matching lines at most (default ${DEFAULT_MATCHES})`),
      pattern: z.string().min(1).describe("The regular expression"),
    }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "pattern",
  fromPrograms: true,
  needs: ["workspace"],
  async run(context, { pattern, context: around = DEFAULT_CONTEXT, glob = "**", limit }) {
    const { signal } = context;
    const { root, workerEntry } = workspaceOf(context);
    const entry = workerEntry === undefined ? {} : { workerEntry };
    const search = {
      root,
      glob,
      pattern,
      most: limit ?? DEFAULT_MATCHES,
      around,
      signal,
      ...entry,
    };
    try {
      const found = await searchFolder(search).catch(unlessAborted(signal));
      return found === undefined ? refused("cancelled", "the search was stopped") : resultOf(found);
    } catch (error) {
      if (!(error instanceof SearchInputError)) throw error;
      if (error.input === "glob") return globFailure(error, "glob", glob);
      return refused("argument", `pattern cannot be searched for (${error.message}): give another`);
    }
  },
});

function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}

function resultOf(found: Searched): ToolSuccess {
  const parts: string[] = [];
  const shown: string[] = [];
  let length = 0;
  let matches = 0;
  for (const file of found.files) {
    if (length > MAX_TEXT_LENGTH) break;
    const part = `${file.name}\n${linesOf(file)}`;
    parts.push(part);
    shown.push(file.name);
    length += part.length;
    matches += file.matches;
  }
  const cut = found.cut || parts.length < found.files.length;
  const text = [...parts, summary(found, { matches, files: parts.length, cut })].join("\n\n");
  return { ok: true, text: text.toWellFormed(), shown };
}

function summary(
  { looked, large, unread }: Searched,
  { matches, files, cut }: { matches: number; files: number; cut: boolean },
): string {
  const notes = [
    matches === 0
      ? `no match in ${counted(looked, "file")}`
      : `${counted(matches, "match", "es")} in ${counted(files, "file")}`,
  ];
  if (cut) notes.push("there may be more: narrow the pattern or the glob");
  if (large > 0) notes.push(`${counted(large, "file")} too large to be searched`);
  if (unread > 0) notes.push(`${unread} could not be read`);
  return `(${notes.join("; ")})`;
}

function counted(count: number, word: string, plural = "s"): string {
  return `${count} ${word}${count === 1 ? "" : plural}`;
}

/** The lines of a file; `--` stands where some are left out. */
function linesOf({ lines }: FoundFile): string {
  return lines.map(({ number, text, matches }, index) => {
    const before = lines[index - 1]?.number ?? number - 1;
    const gap = before < number - 1 ? "--\n" : "";
    return `${gap}${number}${matches ? ":" : "-"}${text}`;
  }).join("\n");
}
