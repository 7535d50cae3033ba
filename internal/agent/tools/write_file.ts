/** Writes a whole file in the workspace. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import { PATH_DESCRIPTION, pathFailure, workspaceOf } from "./_files.ts";
import { changeId, readText, unlessMissing } from "./_texts.ts";
import { defineAgentTool } from "./_tool.ts";

/** More is no text that a model wrote. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Not in the journal: the file shows what it did, and writing the same again changes nothing. */
export const writeFile = defineAgentTool({
  name: "write_file",
  title: "Write a file",
  description: "Write a whole file in the workspace, replacing it if it is there. Folders on the " +
    "way are made.",
  input: () =>
    z.strictObject({
      content: z.string().describe("The whole new content"),
      path: z.string().min(1).describe(PATH_DESCRIPTION),
    }),
  highestEffect: "write",
  paths: ({ path }) => [{ path, use: "write" }],
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "path",
  says: ({ content, path }) =>
    `Write ${path}: ${counted(new TextEncoder().encode(content).length)}.`,
  fromPrograms: false,
  needs: ["workspace"],
  async run(context, { content, path }) {
    if (!content.isWellFormed()) {
      return refused("argument", "content holds half of a character: give whole ones");
    }
    const bytes = new TextEncoder().encode(content);
    if (bytes.length > MAX_BYTES) {
      return refused("argument", `content has ${bytes.length} bytes, more than ${MAX_BYTES}`);
    }
    try {
      const id = changeId(context);
      await workspaceOf(context).change([{ kind: "write", path, bytes }], { id });
      return { ok: true, text: `wrote ${counted(bytes.length)} to ${path}` };
    } catch (error) {
      return pathFailure(error);
    }
  },
  async preview({ workspace }, { content, path }) {
    const file = await readText(workspace, path).catch(unlessMissing);
    return [{ path, ...(file === undefined ? {} : { before: file.text }), after: content }];
  },
  async recover(context, { path }) {
    await workspaceOf(context).discard([path], changeId(context)).catch(pathFailure);
    return "not-made";
  },
});

function counted(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}
