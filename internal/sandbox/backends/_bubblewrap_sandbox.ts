/** An open sandbox of bubblewrap: how a command is started in it, and how all of it ends. */
import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { processorName, startChild } from "#internal/runtime/mod.ts";
import type { Child } from "#internal/runtime/mod.ts";
import { makeGroup } from "../cgroup.ts";
import type { CommandGroup } from "../cgroup.ts";
import { SandboxError } from "../errors.ts";
import { startProxy } from "../proxy/filtering_proxy.ts";
import { PROXY_SOCKET, throughRelay } from "../proxy/relay.ts";
import type { Sandbox, SandboxCommand, Sandboxed, SandboxLimits } from "../sandbox.ts";
import { CPU_SECONDS, FILE_BYTES } from "../sandbox.ts";
import { seccompFilter } from "../seccomp/filter.ts";
import type { SocketReach } from "../seccomp/filter.ts";
import type { SandboxMachine, SandboxRequest } from "./_backend.ts";
import { bubblewrapArguments, OWN_SETTINGS, setEnvironment } from "./_bubblewrap_arguments.ts";
import { Commands, textOf, TRIAL, tryCommand } from "./_commands.ts";
import { explainFailure } from "./_bubblewrap_failures.ts";
import type { StateFolder } from "./_state_folder.ts";
import { systemView } from "./_system_view.ts";
import type { SystemView } from "./_system_view.ts";

/** Processes at a time. */
const PROCESSES = 512;
/** What bubblewrap's `--disable-userns` came with. */
const DISABLES_NAMESPACES = [0, 8] as const;
/** Time of a trial, ms: a machine under load is slow, not broken. */
const TRIAL_MS = 30_000;
/** Signals by number, of those that end a process from outside. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** The programs that a command is started with. */
export interface Programs {
  readonly bash: string;
  readonly bwrap: string;
  readonly cat: string;
  /** Python 3, where it is in the sandbox too. */
  readonly python?: string;
}

/**
 * Runs before anything of the sandbox. It closes what this process inherited and its children would
 * inherit in turn (no runtime does), sets the limits on itself, which what it becomes cannot lift (one
 * that cannot be set is lower already), and
 * becomes bubblewrap, with the filter as 9, variables as 8 and an environment of nothing:
 * `/proc/1/environ` shows it in the sandbox. Node's pipes are sockets, which `/dev/stdout` cannot be
 * opened through, so that real pipes are put before them.
 */
const LAUNCHER = `for file in /proc/self/fd/*; do
  number=\${file##*/}
  if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
done
group=$1 filter=$2 variables=$3 input=$4 cpu=$5 memory=$6 file=$7 cat=$8
shift 8
if [ -n "$group" ]; then echo $$ > "$group" || exit 125; fi
echo 1000 > /proc/self/oom_score_adj || exit 125
ulimit -c 0
ulimit -f "$file" 2>/dev/null
ulimit -S -t "$cpu" 2>/dev/null
ulimit -H -t $((cpu + 1)) 2>/dev/null
if [ -n "$memory" ]; then ulimit -v "$memory" 2>/dev/null; fi
exec 9<"$filter" || exit 125
if [ -n "$variables" ]; then exec 8<"$variables" || exit 125; fi
if [ "$input" = none ]; then exec </dev/null; fi
if [ -S /proc/self/fd/1 ]; then exec > >(exec -c "$cat" 8<&- 9<&-) 2> >(exec -c "$cat" >&2 8<&- 9<&-); fi
exec -c "$@"`;

/** What a sandbox is made of. */
interface Parts {
  readonly request: SandboxRequest;
  readonly programs: Programs;
  readonly folder: StateFolder;
  /** Folders of control groups. */
  readonly groups: readonly string[];
  /** How declared hosts are found and reached. @default over the network */
  readonly reach?: SandboxMachine["reach"];
}

/** A proxy for one command, while it runs. */
interface OpenProxy extends AsyncDisposable {
  readonly command: SandboxCommand;
}

/** A sandbox; `try` comes before all else. */
export class BubblewrapSandbox implements Sandbox {
  readonly online: boolean;
  readonly limits: SandboxLimits;
  readonly outputFolder: string;
  readonly python?: string;
  readonly #parts: Parts;
  readonly #system: SystemView = systemView();
  readonly #commands = new Commands();
  #groups: readonly string[];
  /** What commands get that are not given the machine's network. */
  #own: SocketReach = "own";
  #disablesNamespaces = false;
  #started = 0;

  constructor(parts: Parts) {
    const { request, folder } = parts;
    this.#parts = parts;
    this.#groups = parts.groups;
    this.online = request.network === "host";
    this.limits = request.limits;
    this.outputFolder = folder.output;
    if (parts.programs.python !== undefined) this.python = parts.programs.python;
  }

  get reachesHosts(): boolean {
    return this.#parts.request.network !== "none" && this.#own === "own";
  }

  /** Makes the sandbox's files and runs a trial command. @throws {SandboxError} `sandbox-missing` */
  async try(): Promise<void> {
    const { folder, programs } = this.#parts;
    for (const [name, content] of Object.entries(OWN_SETTINGS)) await folder.write(name, content);
    this.#disablesNamespaces = atLeast(await versionOf(programs.bwrap), DISABLES_NAMESPACES);
    if (this.online) await this.#writeFilter("host");
    // No socket at all: for what is to be bare, and where no network of its own is to be had.
    await this.#writeFilter("none");
    await this.#writeFilter(this.#own);
    let said = await this.#trial({ hosts: [] });
    if (said !== undefined && this.#groups.length > 0) {
      // A group may be made here and still not be joined: then limits of processes alone hold.
      this.#groups = [];
      said = await this.#trial({ hosts: [] });
    }
    if (said !== undefined && /loopback|RTM_NEWADDR/.test(said)) {
      // No network of its own is to be had (AppArmor): then the filter refuses every socket.
      this.#own = "none";
      said = await this.#trial({ hosts: [] });
    }
    if (said === undefined && this.online) said = await this.#trial({});
    if (said !== undefined) throw new SandboxError("sandbox-missing", explainFailure(said));
  }

  start(command: SandboxCommand): Promise<Sandboxed> {
    return this.#commands.start(() => this.#start(command));
  }

  async #start(command: SandboxCommand): Promise<Sandboxed> {
    const { request, programs, folder } = this.#parts;
    const name = String(++this.#started);
    const group = makeGroup(this.#groups, {
      name: `${folder.name}-${name}`,
      processes: PROCESSES,
      memoryBytes: this.limits.memoryBytes,
    });
    const environment = await this.#environmentFile(command, name);
    let proxy: OpenProxy | undefined;
    try {
      proxy = await this.#proxyFor(command, name);
      const reach = this.#reachOf(command);
      const child = await startChild({
        command: programs.bash,
        args: [
          "--norc",
          "-c",
          LAUNCHER,
          "sion-sandbox",
          group?.join ?? "",
          join(folder.path, `filter-${reach}`),
          environment ?? "",
          command.input ?? "none",
          String(CPU_SECONDS),
          group?.boundsMemory === true ? "" : String(this.limits.memoryBytes / 1024),
          String(FILE_BYTES >> 10),
          programs.cat,
          programs.bwrap,
          ...(environment === undefined ? [] : ["--args", "8"]),
          ...bubblewrapArguments({
            system: this.#system,
            stateFolder: folder.path,
            outputFolder: this.outputFolder,
            workspace: request.workspace,
            read: request.read,
            hostNetwork: reach === "host",
            ownNetwork: reach !== "host" && this.#own === "own",
            disablesNamespaces: this.#disablesNamespaces,
            processes: PROCESSES,
          }, proxy === undefined ? command : proxy.command),
        ],
        cwd: "/",
        env: {},
      });
      return this.#handle(child, { group, environment, proxy });
    } catch (error) {
      await proxy?.[Symbol.asyncDispose]();
      await group?.remove();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commands.close();
    await rm(this.#parts.folder.path, { recursive: true, force: true });
  }

  /** Variables that may be secrets stand in no process's arguments, which every user can read. */
  async #environmentFile(
    { env = {} }: SandboxCommand,
    name: string,
  ): Promise<string | undefined> {
    const words = setEnvironment(env);
    if (words.length === 0) return undefined;
    return await this.#parts.folder.write(`env-${name}`, words.map((word) => `${word}\0`).join(""));
  }

  /** The proxy of a command that may reach hosts, and the command as it goes through it. */
  async #proxyFor(command: SandboxCommand, name: string): Promise<OpenProxy | undefined> {
    const { hosts = [], onHost, argv, show = [] } = command;
    if (hosts.length === 0) return undefined;
    if (this.#parts.request.network === "none") {
      throw new SandboxError(
        "sandbox-option",
        `${hosts.join(", ")} cannot be reached: give --sandbox-network declared`,
      );
    }
    if (this.#own !== "own") {
      throw new SandboxError(
        "sandbox-missing",
        `${hosts.join(", ")} cannot be reached: this system gives a sandbox no loopback`,
      );
    }
    const socket = `proxy-${name}.sock`;
    // A path to a socket is short, and the home's need not be: the folder is named by a descriptor.
    const folder = await open(this.#parts.folder.path, constants.O_RDONLY);
    try {
      const proxy = await startProxy(`/proc/self/fd/${folder.fd}/${socket}`, {
        hosts,
        ...this.#parts.reach,
        ...(onHost === undefined ? {} : { onHost }),
      });
      return {
        command: {
          ...command,
          argv: throughRelay(argv),
          show: [...show, { from: join(this.#parts.folder.path, socket), at: PROXY_SOCKET }],
        },
        async [Symbol.asyncDispose]() {
          await proxy[Symbol.asyncDispose]();
          await folder.close();
        },
      };
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  #handle(
    child: Child,
    { group, environment, proxy }: {
      readonly group: CommandGroup | undefined;
      readonly environment: string | undefined;
      readonly proxy: OpenProxy | undefined;
    },
  ): Sandboxed {
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr as Sandboxed["stderr"],
      kill() {
        // The process that started it ends first; with it the namespace, and all that is in it.
        child.kill("SIGKILL");
        group?.kill();
      },
      exited: child.exited.then(async ({ code, signal }) => {
        const outOfMemory = group?.outOfMemory() ?? false;
        await group?.remove();
        await proxy?.[Symbol.asyncDispose]();
        if (environment !== undefined) await rm(environment, { force: true });
        return { status: code ?? 128 + (SIGNALS[signal ?? ""] ?? 9), outOfMemory };
      }),
    };
  }

  #reachOf({ bare, hosts }: SandboxCommand): SocketReach {
    if (bare === true) return "none";
    return this.online && hosts === undefined ? "host" : this.#own;
  }

  async #writeFilter(reach: SocketReach): Promise<void> {
    const processor = processorName();
    if (processor !== "x64" && processor !== "arm64") {
      throw new SandboxError(
        "sandbox-missing",
        `there is no system call filter for ${processor} yet: ` +
          "give --shell docker:<image>@sha256:<digest>",
      );
    }
    await this.#parts.folder.write(`filter-${reach}`, seccompFilter(processor, reach));
  }

  /** What a failed trial says; nothing when it works. */
  async #trial(command: Omit<SandboxCommand, "argv">): Promise<string | undefined> {
    return await tryCommand(await this.start({ ...command, argv: TRIAL }), TRIAL_MS);
  }
}

async function versionOf(bwrap: string): Promise<readonly number[]> {
  const child = await startChild({ command: bwrap, args: ["--version"], env: {} });
  const [text] = await Promise.all([textOf(child.stdout), child.exited]);
  return (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? "0").split(".").map(Number);
}

function atLeast(version: readonly number[], [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version;
  return first > major || (first === major && second >= minor);
}
