/** What the file tools share. */
import type { ToolFailure } from "#internal/mcp/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { WorkspaceError } from "../workspace.ts";
import type { Workspace } from "../workspace.ts";
import type { AgentToolContext } from "./_tool.ts";

/** The session's workspace. @throws {TypeError} when it has none, which only a bug can cause. */
export function workspaceOf({ workspace }: AgentToolContext): Workspace {
  if (workspace === undefined) throw new TypeError("Cannot use a file tool without a workspace");
  return workspace;
}

/** A path that cannot be used, as a failed call; anything else is a bug and thrown on. */
export function pathFailure(error: unknown): ToolFailure {
  if (error instanceof WorkspaceError) return refused(error.code, error.message);
  throw error;
}

/** The description of a path argument. */
export const PATH_DESCRIPTION = "Path inside the workspace, like src/a.txt";

/** What is said of the folders that finding and searching pass over. */
export const PASSED_OVER =
  "Folders of version control, dependencies and builds (.git, node_modules, target, …) are passed " +
  "over unless the glob names them.";

/** A glob that cannot be read, as a failed call. */
export function globFailure(error: SyntaxError, argument: string, glob: string): ToolFailure {
  return refused(
    "argument",
    `${argument} ${glob.slice(0, 100)} is no glob (${error.message}): give one like src/**/*.rs`,
  );
}
