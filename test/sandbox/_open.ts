/** A sandbox of the tests, in a fresh folder; both go when the test is done. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readEnvironment, systemRandom } from "#internal/runtime/mod.ts";
import { commandText, openSandbox, readSandboxOptions, runCommand } from "#internal/sandbox/mod.ts";
import type {
  RunCommandOptions,
  Sandbox,
  SandboxMachine,
  SandboxOptions,
  SandboxPlace,
} from "#internal/sandbox/mod.ts";

/** Where a sandbox of the tests is. */
export interface TestPlace extends SandboxPlace {
  readonly folder: string;
  readonly workspace: string;
}

/** A folder with a workspace and a home. */
export function testPlace(): TestPlace {
  const folder = mkdtempSync(join(tmpdir(), "sion-sandbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const workspace = join(folder, "work");
  mkdirSync(home);
  mkdirSync(workspace);
  return { folder, workspace, cwd: folder, home, kept: [home], env: readEnvironment() };
}

/** Opens a sandbox. */
export async function testSandbox(
  options: SandboxOptions = {},
  place: TestPlace = testPlace(),
  machine: Partial<SandboxMachine> = {},
): Promise<Sandbox> {
  const settings = await readSandboxOptions(options, place);
  const sandbox = await openSandbox(settings, place.workspace, {
    home: place.home,
    env: place.env,
    random: systemRandom,
    ...machine,
  });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  return sandbox;
}

/** What a command answers. */
export async function answerOf(
  sandbox: Sandbox,
  command: string,
  options: RunCommandOptions = {},
): Promise<string> {
  const end = await runCommand(sandbox, { argv: ["/bin/sh", "-c", command] }, options);
  return commandText(end, sandbox.limits);
}
