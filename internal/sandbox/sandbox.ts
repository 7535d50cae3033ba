/** What a sandbox is to whoever runs something in it: the shell, checks, skills' scripts, servers. */
import type { Readable, Writable } from "node:stream";
import type { HostUse } from "./proxy/filtering_proxy.ts";

/** Bounds of what runs in a sandbox. */
export interface SandboxLimits {
  /** Wall-clock time of one command, ms. */
  readonly timeMs: number;
  /** Address space of a process in bubblewrap, memory of the container in Docker, bytes. */
  readonly memoryBytes: number;
}

/** Processor time of a process, seconds. */
export const CPU_SECONDS = 120;
/** Longest file that a process may write, bytes. */
export const FILE_BYTES = 512 << 20;
/** Size of the private `/tmp`, bytes. */
export const TMP_BYTES = 256 << 20;
/** Where the workspace is inside. */
export const WORKSPACE = "/workspace";
/** Where the output that did not fit into answers is inside. */
export const OUTPUT = "/output";

/** What to run. */
export interface SandboxCommand {
  /** A program and its arguments; a shell's command is `["/bin/sh", "-c", text]`. */
  readonly argv: readonly string[];
  /** Variables besides the sandbox's own. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it is written to, or reads an empty input. @default "none" */
  readonly input?: "pipe" | "none";
  /**
   * The only hosts that it may reach, by name and on the web's ports; an empty list is no network. In
   * a container they are as its network lets them through, which the operator set up.
   * @default what the sandbox's commands reach
   */
  readonly hosts?: readonly string[];
  /** Hears of each host that it asks for. */
  readonly onHost?: (use: HostUse) => void;
  /** Folders shown read-only besides, at other places. @default none */
  readonly show?: readonly { readonly from: string; readonly at: string }[];
  /**
   * True where it sees programs and nothing else: no workspace, no output, no folder that was shown,
   * and no network, whatever the sandbox has. It starts in `/tmp`.
   */
  readonly bare?: true;
}

/** How a command ended. */
export interface SandboxExit {
  /** As a shell counts it: 128 and the signal's number for what a signal ended. */
  readonly status: number;
  /** Whether memory was used up, as far as the system says so. */
  readonly outOfMemory: boolean;
}

/** A running command. */
export interface Sandboxed {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it and all it started are gone and its output is read. */
  readonly exited: Promise<SandboxExit>;
  /** Ends it and all it started, at once. */
  kill(): void;
}

/** A sandbox around one workspace. Disposing of it ends what still runs in it. */
export interface Sandbox extends AsyncDisposable {
  /** Whether commands reach anything beyond the machine's sandbox: what they print is outside's. */
  readonly online: boolean;
  /** Whether a command that names hosts can reach them. */
  readonly reachesHosts: boolean;
  readonly limits: SandboxLimits;
  /** A folder on this machine whose files show in it, read-only, as `/output`. */
  readonly outputFolder: string;
  /** How Python 3 is started in it; missing where there is none. */
  readonly python?: string;
  /** Starts a command. @throws {SandboxError} `sandbox-missing` when it could not be started */
  start(command: SandboxCommand): Promise<Sandboxed>;
}
