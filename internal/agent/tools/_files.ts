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
