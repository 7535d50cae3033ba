/** The arguments of bubblewrap: what a command sees, may write, and is. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { OUTPUT, TMP_BYTES, WORKSPACE } from "../sandbox.ts";
import type { SandboxCommand } from "../sandbox.ts";
import type { SystemView } from "./_system_view.ts";

const SHARED_MEMORY_BYTES = 64 << 20;
const CACHE = "/tmp/cache";

/** Files of `/etc` that are the sandbox's own. */
export const OWN_SETTINGS = {
  passwd: "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" +
    `sandbox:x:10001:10001:sandbox:${WORKSPACE}:/bin/sh\n` +
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  group: "root:x:0:\nsandbox:x:10001:\nnogroup:x:65534:\n",
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
} as const;

/**
 * Home is the workspace, so that `~` means something; what tools keep there for next time goes to
 * `/tmp`, so that checks and tests leave nothing among the project's files.
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  CARGO_HOME: `${CACHE}/cargo`,
  DENO_DIR: `${CACHE}/deno`,
  GOCACHE: `${CACHE}/go-build`,
  GOPATH: `${CACHE}/go`,
  GOTOOLCHAIN: "local",
  GRADLE_USER_HOME: `${CACHE}/gradle`,
  HOME: WORKSPACE,
  LANG: "C.UTF-8",
  MYPY_CACHE_DIR: `${CACHE}/mypy`,
  PYTEST_ADDOPTS: `-o cache_dir=${CACHE}/pytest`,
  PYTHONPYCACHEPREFIX: `${CACHE}/python`,
  RUFF_CACHE_DIR: `${CACHE}/ruff`,
  TERM: "dumb",
  TMPDIR: "/tmp",
  USER: "sandbox",
  XDG_CACHE_HOME: CACHE,
  XDG_CONFIG_HOME: `${CACHE}/config`,
  XDG_DATA_HOME: `${CACHE}/data`,
  XDG_STATE_HOME: `${CACHE}/state`,
  npm_config_cache: `${CACHE}/npm`,
  npm_config_update_notifier: "false",
};

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Of a command that sees programs only. */
const BARE_ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME: "/tmp",
  LANG: "C.UTF-8",
  PATH: SYSTEM_PATH,
  TERM: "dumb",
  TMPDIR: "/tmp",
  USER: "sandbox",
};

/** What the arguments are made of. */
export interface BubblewrapView {
  readonly system: SystemView;
  /** The folder with the sandbox's own files of `/etc`. */
  readonly stateFolder: string;
  readonly outputFolder: string;
  readonly workspace: string;
  readonly read: readonly string[];
  /** The folder that is `/tmp`. @default one of its own, in memory */
  readonly tmp?: string;
  /** Whether it has the machine's network. */
  readonly hostNetwork: boolean;
  /** Whether it gets a network of its own; the filter refuses sockets where it cannot. */
  readonly ownNetwork: boolean;
  /** Whether bubblewrap can forbid namespaces in namespaces (0.8). */
  readonly disablesNamespaces: boolean;
}

/** All arguments, the command's last. The order matters: what is bound later lies on top. */
export function bubblewrapArguments(view: BubblewrapView, command: SandboxCommand): string[] {
  const { system, workspace, read, outputFolder, stateFolder } = view;
  const at = (flag: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [flag, path, path]);
  return [
    ...identity(view),
    ...at("--ro-bind", system.folders),
    ...system.links.flatMap(({ at, target }) => ["--symlink", target, at]),
    ...at("--ro-bind", system.settings),
    ...Object.keys(OWN_SETTINGS).flatMap((name) => [
      "--ro-bind",
      join(stateFolder, name),
      `/etc/${name}`,
    ]),
    ...(view.hostNetwork ? at("--ro-bind-try", ["/etc/resolv.conf"]) : []),
    "--proc",
    "/proc",
    // A runtime that is root is uid 0 outside, and owner of these: it could set core_pattern.
    ...at("--ro-bind", system.processFolders),
    ...system.processFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    "--dev",
    "/dev",
    "--size",
    String(SHARED_MEMORY_BYTES),
    "--tmpfs",
    "/dev/shm",
    ...(view.tmp === undefined
      ? ["--size", String(TMP_BYTES), "--tmpfs", "/tmp"]
      : ["--bind", view.tmp, "/tmp"]),
    ...(command.bare === true ? [] : [
      ...at("--ro-bind", read),
      "--ro-bind",
      outputFolder,
      OUTPUT,
      ...(command.show ?? []).flatMap(({ from, at }) => ["--ro-bind", from, at]),
      "--bind",
      workspace,
      WORKSPACE,
    ]),
    // Else `/` and `/dev` are file systems in memory that can be written.
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    command.bare === true ? "/tmp" : WORKSPACE,
    ...setEnvironment(
      command.bare === true ? BARE_ENVIRONMENT : { ...ENVIRONMENT, ...toolchains(read) },
    ),
    "--seccomp",
    "9",
    "--",
    ...command.argv,
  ];
}

/** Who it is, in which namespaces. */
function identity({ ownNetwork, disablesNamespaces }: BubblewrapView): string[] {
  return [
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(ownNetwork ? ["--unshare-net"] : []),
    "--hostname",
    "sandbox",
    "--uid",
    "10001",
    "--gid",
    "10001",
    ...(disablesNamespaces ? ["--disable-userns"] : []),
    "--cap-drop",
    "ALL",
    "--new-session",
    "--die-with-parent",
  ];
}

/** Variables as arguments. */
export function setEnvironment(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
}

/** Programs of the shown folders go before the system's; toolchains are told where they are. */
function toolchains(read: readonly string[]): Record<string, string> {
  const bins = read.flatMap((folder) => [
    ...(basename(folder) === "bin" ? [folder] : []),
    ...[join(folder, "shims"), join(folder, "bin")].filter(existsSync),
  ]);
  const env: Record<string, string> = {
    PATH: [...bins, SYSTEM_PATH].join(":"),
  };
  for (const folder of read) {
    if (existsSync(join(folder, "toolchains"))) env["RUSTUP_HOME"] = folder;
    if (existsSync(join(folder, "versions")) && existsSync(join(folder, "shims"))) {
      env["PYENV_ROOT"] = folder;
    }
  }
  return env;
}
