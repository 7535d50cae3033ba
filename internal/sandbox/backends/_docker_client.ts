/** Docker's command line as a program: short questions to it, and containers that were left. */
import { basename } from "node:path";
import { escapeLine } from "#internal/core/mod.ts";
import { isProcessAlive, startChild, userId } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { textOf } from "./_commands.ts";

/** The program, and how it is called. */
export interface DockerClient {
  readonly file: string;
  /** Its own environment, which says where the engine is. */
  readonly env: Environment;
  readonly isPodman: boolean;
  /** Whether it runs containers without root, where users are mapped. */
  readonly isRootless: boolean;
}

/** Marks containers of a sandbox; with `docker ps --filter label=…` a person finds them. */
export const LABEL = "sion-sandbox";
/** Who started a container: process and machine. */
export const OWNER_LABEL = "sion-sandbox.owner";

/** An engine under load takes its time, ms; one that hangs is as good as none. */
const ANSWER_MS = 30_000;

/** Digits of an id that engines show, and take. */
const SHOWN_ID = 12;

/** What a question gave: exit status, trimmed output, and the last line of what went wrong. */
export interface DockerAnswer {
  readonly status: number;
  readonly out: string;
  readonly said: string;
}

/** The engine that is used, or why there is none. */
export interface FoundEngine {
  /** Missing where none answers. */
  readonly client?: DockerClient;
  /** The first that is installed and does not answer. */
  readonly silent?: { readonly name: string; readonly said: string };
}

/**
 * The first that answers: a Docker without its daemon does not stand before a Podman that needs none.
 * @param find finds a program of the system
 */
export async function findEngine(
  find: (name: string) => string | undefined,
  env: Environment,
): Promise<FoundEngine> {
  let silent: FoundEngine["silent"];
  for (const name of ["docker", "podman"]) {
    const file = find(name);
    if (file === undefined) continue;
    const isPodman = basename(file) === "podman";
    const client = { file, env, isPodman, isRootless: isPodman && userId() !== 0 };
    const { status, said } = await asked(client, ["version"]);
    const found = silent === undefined ? {} : { silent };
    if (status === 0) return { client, ...found };
    silent ??= { name: basename(file), said: said === "" ? `exit ${status}` : said };
  }
  return silent === undefined ? {} : { silent };
}

/** Asks the engine something. */
export async function asked(client: DockerClient, args: readonly string[]): Promise<DockerAnswer> {
  const child = await startChild({ command: client.file, args, cwd: "/", env: client.env });
  child.stdin.end();
  const timer = setTimeout(() => child.kill("SIGKILL"), ANSWER_MS);
  const [out, err, { code }] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr as typeof child.stdout),
    child.exited,
  ]);
  clearTimeout(timer);
  const said = escapeLine(err.trim().split("\n").at(-1) ?? "").slice(0, 300);
  return { status: code ?? 137, out: out.trim(), said };
}

/** The containers of processes of this machine that are gone: killed, they could not remove them. */
export async function staleContainers(
  client: DockerClient,
  machine: string,
): Promise<readonly string[]> {
  // Docker and Podman have no common word for a label in what they list, but one where they inspect.
  const { out: listed } = await asked(client, [
    "ps",
    "--all",
    "--quiet",
    "--filter",
    `label=${LABEL}`,
  ]);
  const all = listed.split("\n").filter((id) => /^[0-9a-f]+$/.test(id));
  if (all.length === 0) return [];
  const format = `{{.Id}} {{index .Config.Labels "${OWNER_LABEL}"}}`;
  // Of one that is gone by now it complains, and tells of the others.
  const { out } = await asked(client, ["container", "inspect", "--format", format, ...all]);
  return out.split("\n").flatMap((line) => {
    const [, id = "", pid = "", host = ""] = /^([0-9a-f]+) (\d+)@(.+)$/.exec(line) ?? [];
    return id !== "" && host === machine && !isProcessAlive(Number(pid))
      ? [id.slice(0, SHOWN_ID)]
      : [];
  });
}

/** Removes containers with all that runs in them. */
export async function removeContainers(
  client: DockerClient,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await asked(client, ["rm", "--force", ...ids]);
}
