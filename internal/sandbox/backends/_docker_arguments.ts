/** The arguments of `docker run` for one command. */
import { existsSync } from "node:fs";
import { CPU_SECONDS, FILE_BYTES, OUTPUT, TMP_BYTES, WORKSPACE } from "../sandbox.ts";
import type { SandboxCommand, SandboxLimits } from "../sandbox.ts";
import { LABEL, OWNER_LABEL } from "./_docker_client.ts";

const PROCESSES = 256;
const CPUS = 2;
/** Descriptors of a process, and processes of its user: some engines may not give what they have. */
const DESCRIPTORS = 4_096;
const SHARED_MEMORY_BYTES = 64 << 20;

/** What the arguments are made of. */
export interface DockerView {
  /** The container's name. */
  readonly name: string;
  readonly owner: string;
  readonly image: string;
  readonly network: string;
  readonly limits: SandboxLimits;
  readonly workspace: string;
  readonly outputFolder: string;
  readonly read: readonly string[];
  /** The workspace's owner: what commands write stays theirs. */
  readonly user: { readonly uid: number; readonly gid: number };
  readonly isPodman: boolean;
  readonly isRootless: boolean;
  /** The file with the command's own variables. */
  readonly environmentFile?: string;
}

/** All arguments, the command's last. */
export function dockerArguments(view: DockerView, command: SandboxCommand): string[] {
  const { limits, user, environmentFile } = view;
  const [program = "/bin/sh", ...args] = command.argv;
  const memory = `${limits.memoryBytes}b`;
  const bare = command.bare === true;
  const home = bare ? "/tmp" : WORKSPACE;
  return [
    "run",
    "--rm",
    ...["--pull", "never"],
    ...["--name", view.name],
    ...["--label", `${LABEL}=1`],
    ...["--label", `${OWNER_LABEL}=${view.owner}`],
    ...(command.input === "pipe" ? ["--interactive"] : []),
    ...["--network", bare ? "none" : view.network],
    ...["--hostname", "sandbox"],
    ...["--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges"],
    "--read-only",
    // Podman adds folders that can be written, unless it is told not to.
    ...(view.isPodman ? ["--read-only-tmpfs=false"] : []),
    ...(view.isRootless ? ["--userns", "keep-id"] : []),
    ...["--tmpfs", `/tmp:rw,nosuid,nodev,size=${TMP_BYTES}`],
    ...["--shm-size", String(SHARED_MEMORY_BYTES)],
    ...["--memory", memory, "--memory-swap", memory],
    ...["--pids-limit", String(PROCESSES)],
    ...["--cpus", String(CPUS)],
    ...["--ulimit", `cpu=${CPU_SECONDS}:${CPU_SECONDS + 1}`],
    ...["--ulimit", `fsize=${FILE_BYTES}`],
    ...["--ulimit", "core=0"],
    ...["--ulimit", `nofile=${DESCRIPTORS}:${DESCRIPTORS}`],
    ...["--ulimit", `nproc=${DESCRIPTORS}:${DESCRIPTORS}`],
    ...["--user", `${user.uid}:${user.gid}`],
    ...(bare ? [] : [
      ...bind(view.workspace, WORKSPACE, false),
      ...bind(view.outputFolder, OUTPUT, true),
      ...view.read.flatMap((folder) => bind(folder, folder, true)),
      ...(command.show ?? []).flatMap(({ from, at }) => bind(from, at, true)),
    ]),
    ...["--workdir", home],
    ...["--env", `HOME=${home}`, "--env", "TMPDIR=/tmp", "--env", "TERM=dumb"],
    ...(environmentFile === undefined ? [] : ["--env-file", environmentFile]),
    // What a command prints comes here and is not kept by the engine besides.
    ...["--log-driver", "none"],
    "--no-healthcheck",
    ...["--entrypoint", program],
    view.image,
    ...args,
  ];
}

/** A folder in the container. `--mount` takes what `-v` cannot: a colon in a path. */
function bind(from: string, at: string, isReadOnly: boolean): string[] {
  if (!existsSync(from)) throw new TypeError(`Cannot show ${from}: it is not there`);
  if (!/[:,"]/.test(from + at)) return ["--volume", `${from}:${at}${isReadOnly ? ":ro" : ""}`];
  const fields = ["type=bind", `source=${from}`, `target=${at}`];
  const all = isReadOnly ? [...fields, "readonly"] : fields;
  return ["--mount", all.map((field) => `"${field.replaceAll('"', '""')}"`).join(",")];
}
