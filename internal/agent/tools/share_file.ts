/** Sends a file of the workspace to the person, after the answer. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import { MAX_SENT_BYTES } from "../sent_files.ts";
import type { OpenedFile } from "../workspace.ts";
import { PATH_DESCRIPTION, pathFailure, workspaceOf } from "./_files.ts";
import { defineAgentTool } from "./_tool.ts";

/** As an answer's words it goes to whoever the agent talks to, and to nobody else: no more than a read. */
export const shareFile = defineAgentTool({
  name: "share_file",
  title: "Share a file",
  description:
    "Send a file of the workspace to the person you talk to; it goes after your answer, " +
    "as it is then. At most 25 MB.",
  input: () => z.strictObject({ path: z.string().min(1).describe(PATH_DESCRIPTION) }),
  highestEffect: "read",
  paths: ({ path }) => [{ path, use: "read" }],
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "path",
  fromPrograms: false,
  needs: ["workspace"],
  async run(context, { path }) {
    let file: OpenedFile;
    try {
      file = await workspaceOf(context).openFile(path);
    } catch (error) {
      return pathFailure(error);
    }
    try {
      const { size } = await file.handle.stat();
      if (size > MAX_SENT_BYTES) {
        return refused(
          "too-large",
          `${path} has ${size} bytes, more than 25 MB: share a smaller one`,
        );
      }
      const { name } = file;
      const text = `${name} (${size} bytes) goes to the person after your answer`;
      return { ok: true, text, shown: [name], sends: [name] };
    } finally {
      await file.handle.close();
    }
  },
});
