/** Whether the workspace is still the folder that it was when the sandbox was opened. */
import { realpathSync } from "node:fs";
import { SandboxError } from "../errors.ts";

/**
 * Looks before each start: who may write beside the folder (another agent, whose workspace is around
 * this one) could have put a link in its place, which bubblewrap and containers would follow.
 * @throws {SandboxError} `sandbox-missing`
 */
export function checkWorkspace(path: string): void {
  const real = realOf(path);
  if (real === path) return;
  throw new SandboxError(
    "sandbox-missing",
    real === undefined
      ? "the workspace's folder is gone: make it again"
      : "the workspace is a link to another folder by now: put its own folder back",
  );
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
