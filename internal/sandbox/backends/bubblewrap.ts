/**
 * bubblewrap: the machine's programs, read-only, around the workspace, as an unprivileged user in
 * namespaces of its own. What each argument is for stands in `_bubblewrap_arguments.ts`.
 */
import { realpathSync } from "node:fs";
import process from "node:process";
import { groupFolders, removeStaleGroups } from "../cgroup.ts";
import { SandboxError } from "../errors.ts";
import { findProgram } from "../programs.ts";
import type { SandboxBackend, SandboxMachine, SandboxRequest } from "./_backend.ts";
import { BubblewrapSandbox } from "./_bubblewrap_sandbox.ts";
import type { Programs } from "./_bubblewrap_sandbox.ts";
import { makeStateFolder } from "./_state_folder.ts";

const NETWORKS: readonly string[] = ["none", "declared", "host"];

export const bubblewrap: SandboxBackend = {
  name: "bubblewrap",
  claims: (sandbox) => sandbox === "bwrap",
  check(_sandbox, network) {
    if (NETWORKS.includes(network)) return;
    throw new SandboxError(
      "sandbox-option",
      `with bubblewrap the network is none, declared or host, not ${network}`,
    );
  },
  async open(request, machine) {
    const programs = findPrograms(request, machine);
    const folder = await makeStateFolder(machine);
    const groups = groupFolders();
    removeStaleGroups(groups);
    const { reach } = machine;
    const parts = { request, programs, folder, groups };
    const sandbox = new BubblewrapSandbox(reach === undefined ? parts : { ...parts, reach });
    try {
      await sandbox.try();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  },
};

function findPrograms(
  { workspace }: SandboxRequest,
  { platform = process.platform, env, find }: SandboxMachine,
): Programs {
  if (platform !== "linux") {
    throw missing(
      `bubblewrap is there on Linux only: give --shell docker:<image>@sha256:<digest> ` +
        "(Docker or Podman)",
    );
  }
  const perhaps = (name: string): string | undefined =>
    find === undefined ? findProgram(name, env, workspace) : find(name);
  const file = (name: string): string => {
    const found = perhaps(name);
    if (found !== undefined) return found;
    const needed = name === "bwrap" ? "bubblewrap" : name;
    throw missing(
      `--shell needs ${needed}, which is not installed: \`apt install ${PACKAGES[name]}\`, ` +
        "or --shell docker:<image>@sha256:<digest>",
    );
  };
  const python = pythonInside(perhaps("python3"));
  const nsenter = perhaps("nsenter");
  return {
    bwrap: file("bwrap"),
    bash: file("bash"),
    cat: file("cat"),
    ...(nsenter === undefined ? {} : { nsenter }),
    ...(python === undefined ? {} : { python }),
  };
}

/** A Python that the sandbox shows: one of the system's folders, whose links end there. */
function pythonInside(file: string | undefined): string | undefined {
  if (file === undefined || !/^\/(?:usr\/(?:local\/)?)?bin\//.test(file)) return undefined;
  try {
    return realpathSync(file).startsWith("/usr/") ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Debian's packages of programs. */
const PACKAGES: Readonly<Record<string, string>> = {
  bash: "bash",
  bwrap: "bubblewrap",
  cat: "coreutils",
};

function missing(message: string): SandboxError {
  return new SandboxError("sandbox-missing", message);
}
