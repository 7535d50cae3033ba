/** What of sandboxes is on this machine, for whoever looks after it: nothing is started or removed unasked. */
import { hostname } from "node:os";
import { basename } from "node:path";
import { startChild } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { textOf } from "./backends/_commands.ts";
import { findProgram } from "./programs.ts";
import { findEngine, removeContainers, staleContainers } from "./backends/_docker_client.ts";
import type { FoundEngine } from "./backends/_docker_client.ts";

/** How long a program has to say its version, ms. */
const VERSION_MS = 3_000;

/** Docker or Podman. */
export interface ContainerEngine {
  readonly name: string;
  /** Why it does not answer; missing when it does. */
  readonly problem?: string;
}

/** The engine that `--shell docker:…` would use; missing where none is installed. */
export async function containerEngine(env: Environment): Promise<ContainerEngine | undefined> {
  const { client, silent } = await engineHere(env);
  if (client !== undefined) return { name: basename(client.file) };
  return silent === undefined ? undefined : { name: silent.name, problem: silent.said };
}

/** Containers of sandboxes whose processes on this machine are gone. */
export async function leftContainers(
  env: Environment,
): Promise<{ readonly ids: readonly string[]; remove(): Promise<void> }> {
  const { client } = await engineHere(env);
  const ids = client === undefined ? [] : await staleContainers(client, hostname());
  return {
    ids,
    async remove() {
      if (client !== undefined) await removeContainers(client, ids);
    },
  };
}

/** The first line that a program prints; empty when it prints none in time. */
export async function firstLineOf(
  file: string,
  args: readonly string[],
  env: Environment,
): Promise<string> {
  await using child = await startChild({ command: file, args, cwd: "/", env, stderr: "ignore" });
  child.stdin.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), VERSION_MS);
  try {
    const [text] = await Promise.all([textOf(child.stdout), child.exited]);
    return text.split("\n")[0]?.trim().slice(0, 200) ?? "";
  } finally {
    clearTimeout(timer);
  }
}

function engineHere(env: Environment): Promise<FoundEngine> {
  return findEngine((name) => findProgram(name, env), env);
}
