/** An open sandbox of bubblewrap: how a command is started in it, and how all of it ends. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { processorName, startChild } from "#internal/runtime/mod.ts";
import { makeGroup } from "../cgroup.ts";
import type { CommandGroup } from "../cgroup.ts";
import { SandboxError } from "../errors.ts";
import type { Sandbox, SandboxCommand, Sandboxed, SandboxLimits } from "../sandbox.ts";
import { seccompFilter } from "../seccomp/filter.ts";
import type { SocketReach } from "../seccomp/filter.ts";
import type { SandboxMachine, SandboxRequest } from "./_backend.ts";
import { bubblewrapArguments, OWN_SETTINGS, setEnvironment } from "./_bubblewrap_arguments.ts";
import type { BubblewrapView } from "./_bubblewrap_arguments.ts";
import { explainFailure } from "./_bubblewrap_failures.ts";
import { openCommandProxy } from "./_command_proxy.ts";
import type { CommandProxy } from "./_command_proxy.ts";
import { Commands, textOf, TRIAL, tryCommand } from "./_commands.ts";
import { isPlain, isShared, launchedBy } from "./_launched.ts";
import type { Launched, Unsaid } from "./_launched.ts";
import { launcherArguments, launchLine } from "./_launcher.ts";
import type { Launch } from "./_launcher.ts";
import { makeSessionSpace } from "./_session_space.ts";
import type { SessionSpace } from "./_session_space.ts";
import { Starters } from "./_starter.ts";
import type { StateFolder } from "./_state_folder.ts";
import { systemView } from "./_system_view.ts";
import type { SystemView } from "./_system_view.ts";
import { boundedCommand, commandScript, shownBy, WAITING_SHELL } from "./_waiting_shell.ts";
import { checkWorkspace } from "./_workspace_check.ts";

/** Processes at a time; root is not bound by it, but by a control group. */
const PROCESSES = 512;
/** What bubblewrap's `--disable-userns` came with. */
const DISABLES_NAMESPACES = [0, 8] as const;
/** Time of a trial, ms: a machine under load is slow, not broken. */
const TRIAL_MS = 30_000;
/** A command with a network of its own, whatever others share. */
const APART: Unsaid = { hosts: [] };
/** The programs that a command is started with. */
export interface Programs {
  readonly bash: string;
  readonly bwrap: string;
  readonly cat: string;
  /** Missing where commands cannot be put in a space that they share. */
  readonly nsenter?: string;
  /** Python 3, where it is in the sandbox too. */
  readonly python?: string;
}

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

/** A sandbox; `try` comes before all else. */
export class BubblewrapSandbox implements Sandbox {
  readonly online: boolean;
  readonly limits: SandboxLimits;
  readonly outputFolder: string;
  readonly python?: string;
  readonly #parts: Parts;
  readonly #system: SystemView = systemView();
  readonly #commands = new Commands();
  /** Of the space there is now. */
  #starters: Starters | undefined;
  #groups: readonly string[];
  /** What commands get that are not given the machine's network. */
  #own: SocketReach = "own";
  #disablesNamespaces = false;
  /** What plain commands share; missing where the system does not allow it. */
  #space: SessionSpace | undefined;
  /** For the next plain command. */
  #waiting: Promise<Launched | undefined> | undefined;
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
    await this.#makeSpace();
    let said = await this.#trial();
    if (said !== undefined && this.#groups.length > 0) {
      // A group may be made here and still not be joined: then limits of processes alone hold.
      this.#groups = [];
      said = await this.#trial();
    }
    if (said !== undefined && this.#space !== undefined) {
      // A space may be made here and still not be entered: then each command has its own.
      await this.#leaveSpace();
      said = await this.#trial();
    }
    if (said !== undefined && /loopback|RTM_NEWADDR/.test(said)) {
      // No network of its own is to be had (AppArmor): then the filter refuses every socket.
      this.#own = "none";
      said = await this.#trial();
    }
    if (said === undefined && this.online) said = await this.#trial(APART);
    if (said !== undefined) throw new SandboxError("sandbox-missing", explainFailure(said));
  }

  start(command: SandboxCommand): Promise<Sandboxed> {
    return this.#commands.start(() => this.#start(command));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commands.close();
    await this.#starters?.end();
    await this.#leaveSpace();
    await rm(this.#parts.folder.path, { recursive: true, force: true });
  }

  async #start(command: SandboxCommand): Promise<Sandboxed> {
    const { argv, ...rest } = command;
    if (!isPlain(rest)) return await this.#launch(rest, argv);
    const script = commandScript(argv, PROCESSES);
    const launched = await this.#takeWaiting() ?? await this.#launch({});
    launched.stdin.end(script);
    this.#makeReady();
    return launched;
  }

  /** Starts a sandbox for the next plain command, while this one runs. */
  #makeReady(): void {
    if (this.#commands.isClosed || this.#waiting !== undefined) return;
    // One that cannot be started is no fault yet: the next command tries again, and says why.
    this.#waiting = this.#commands.start(() => this.#launchAhead()).catch(() => undefined);
  }

  /** The one that waits, unless it shows what is not there any more. */
  async #takeWaiting(): Promise<Launched | undefined> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const launched = await waiting;
    if (launched?.isReady() === true) return launched;
    launched?.kill();
    return undefined;
  }

  /** @param argv what it becomes; without, its shell waits to be told */
  async #launch(command: Unsaid, argv?: readonly string[]): Promise<Launched> {
    const { programs, request } = this.#parts;
    if (command.bare !== true) checkWorkspace(request.workspace);
    const name = String(++this.#started);
    const group = this.#makeGroup(name);
    let variables: string | undefined;
    let proxy: CommandProxy | undefined;
    try {
      variables = await this.#variablesFile(command, name);
      proxy = await this.#proxyFor({ ...command, argv: argv ?? [] }, name);
      const { argv: words = [], ...seen } = proxy?.command ?? { ...command, argv };
      const isPiped = command.input === "pipe";
      const script = isPiped || argv === undefined ? undefined : commandScript(words, PROCESSES);
      const space = isShared(command) ? this.#space : undefined;
      const args = bubblewrapArguments(this.#view(command, space), {
        ...seen,
        argv: isPiped ? boundedCommand(words, PROCESSES) : WAITING_SHELL,
      });
      const shown = shownBy(args);
      const launch = this.#launchOf(command, [
        ...(space?.enter ?? []),
        programs.bwrap,
        ...(variables === undefined ? [] : ["--args", "8"]),
        ...args,
      ], variables);
      const child = await startChild({
        command: programs.bash,
        args: launcherArguments(launch, group, this.limits.memoryBytes),
        cwd: "/",
        env: {},
      });
      if (script !== undefined) child.stdin.end(script);
      return launchedBy(child, { group, variables, proxy, isSame: () => shownBy(args) === shown });
    } catch (error) {
      await proxy?.[Symbol.asyncDispose]();
      await group?.remove();
      throw error;
    }
  }

  /** Launches one for a plain command that is not known yet, by a starter. */
  async #launchAhead(): Promise<Launched> {
    const { programs, request, folder } = this.#parts;
    checkWorkspace(request.workspace);
    const group = this.#makeGroup(String(++this.#started));
    try {
      const view = this.#view({}, this.#space);
      const args = bubblewrapArguments(view, { argv: WAITING_SHELL });
      const shown = shownBy(args);
      // All of them are in the space from the beginning, so that none of its children has to enter.
      this.#starters ??= new Starters({
        command: [...(this.#space?.enter ?? []), programs.bash],
        folder: folder.path,
      });
      const child = await this.#starters.start(
        this.#launchOf({}, [programs.bwrap, "--json-status-fd", "7", ...args]),
        launchLine(group, this.limits.memoryBytes),
      );
      return launchedBy(child, { group, isSame: () => shownBy(args) === shown });
    } catch (error) {
      await group?.remove();
      throw error;
    }
  }

  #launchOf(command: Unsaid, words: readonly string[], variables?: string): Launch {
    const { programs: { cat }, folder } = this.#parts;
    const filter = join(folder.path, `filter-${this.#reachOf(command)}`);
    return { filter, variables, cat, words };
  }

  #makeGroup(name: string): CommandGroup | undefined {
    return makeGroup(this.#groups, {
      name: `${this.#parts.folder.name}-${name}`,
      processes: PROCESSES,
      memoryBytes: this.limits.memoryBytes,
    });
  }

  #view(command: Unsaid, space: SessionSpace | undefined): BubblewrapView {
    const { request, folder } = this.#parts;
    const reach = this.#reachOf(command);
    const showsTmp = request.read.some((path) => `${path}/`.startsWith("/tmp/"));
    return {
      system: this.#system,
      stateFolder: folder.path,
      outputFolder: this.outputFolder,
      workspace: request.workspace,
      read: request.read,
      // What is shown in `/tmp` must not find links there that another command left.
      ...(space === undefined || showsTmp ? {} : { tmp: space.tmp }),
      hostNetwork: reach === "host",
      ownNetwork: space === undefined && reach !== "host" && this.#own === "own",
      disablesNamespaces: this.#disablesNamespaces,
    };
  }

  /** Variables that may be secrets stand in no process's arguments, which every user can read. */
  async #variablesFile(
    { env = {} }: Unsaid,
    name: string,
  ): Promise<string | undefined> {
    const words = setEnvironment(env);
    if (words.length === 0) return undefined;
    return await this.#parts.folder.write(`env-${name}`, words.map((word) => `${word}\0`).join(""));
  }

  /** The proxy of a command that may reach hosts. */
  async #proxyFor(command: SandboxCommand, name: string): Promise<CommandProxy | undefined> {
    const { hosts = [] } = command;
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
    const { folder, reach } = this.#parts;
    return await openCommandProxy(command, { folder: folder.path, name, reach });
  }

  #reachOf({ bare, hosts }: Unsaid): SocketReach {
    if (bare === true) return "none";
    return this.online && hosts === undefined ? "host" : this.#own;
  }

  async #makeSpace(): Promise<void> {
    const { programs: { bwrap, nsenter }, folder } = this.#parts;
    if (nsenter === undefined) return;
    this.#space = await makeSessionSpace({ bwrap, nsenter, folder, loopback: !this.online });
  }

  async #leaveSpace(): Promise<void> {
    await this.#space?.[Symbol.asyncDispose]();
    this.#space = undefined;
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

  /** What a failed trial says; nothing when it works. @default of a plain command */
  async #trial(command: Unsaid = {}): Promise<string | undefined> {
    const trial = await this.#commands.start(() => this.#launch(command, TRIAL));
    return await tryCommand(trial, TRIAL_MS);
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
