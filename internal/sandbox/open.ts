/** Opening a sandbox around a workspace. */
import { backends } from "./backends/mod.ts";
import type { SandboxMachine } from "./backends/mod.ts";
import { SandboxError } from "./errors.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SandboxSettings } from "./settings.ts";

/**
 * Opens one; a trial command has run in it then.
 * @param workspace absolute and without links
 * @throws {SandboxError} `sandbox-missing` with what this machine lacks
 */
export async function openSandbox(
  settings: SandboxSettings,
  workspace: string,
  machine: SandboxMachine,
): Promise<Sandbox> {
  const { sandbox, network, read, timeMs, memoryBytes } = settings;
  const backend = backends.find((one) => one.claims(sandbox));
  if (backend === undefined) {
    throw new SandboxError("sandbox-option", `there is no sandbox ${sandbox}`);
  }
  return await backend.open(
    { sandbox, network, read, workspace, limits: { timeMs, memoryBytes } },
    machine,
  );
}
