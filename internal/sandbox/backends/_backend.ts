/** What a kind of sandbox is. One file a kind; `mod.ts` lists them. */
import type { Random } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { ProxyOptions } from "../proxy/filtering_proxy.ts";
import type { Sandbox, SandboxLimits } from "../sandbox.ts";

/** What a sandbox is opened on. */
export interface SandboxMachine {
  /** `$SION_HOME`: its folder `sandbox` has what the sandbox needs while it is open. */
  readonly home: string;
  readonly env: Environment;
  readonly random: Random;
  /** As Node names it. @default this machine's */
  readonly platform?: string;
  /** Finds a program of the system. @default on this machine */
  readonly find?: (program: string) => string | undefined;
  /** Says something about the sandbox that a person should know. @default to nobody */
  readonly notice?: (text: string) => void;
  /** How declared hosts are found and reached. @default over the network */
  readonly reach?: Pick<ProxyOptions, "resolve" | "dial">;
}

/** What a backend opens, checked by its `check`. */
export interface SandboxRequest {
  /** As `SandboxSettings.sandbox`. */
  readonly sandbox: string;
  readonly network: string;
  readonly read: readonly string[];
  readonly limits: SandboxLimits;
  /** The workspace, absolute and without links. */
  readonly workspace: string;
}

/** A kind of sandbox. */
export interface SandboxBackend {
  readonly name: string;
  /** Whether the value of `--shell` or `--sandbox` names this kind. */
  claims(sandbox: string): boolean;
  /** Whether the value and the network are right. @throws {SandboxError} `sandbox-option` */
  check(sandbox: string, network: string): void;
  /**
   * Opens it, after a trial command ran in it.
   * @throws {SandboxError} `sandbox-missing` with what this machine lacks
   */
  open(request: SandboxRequest, machine: SandboxMachine): Promise<Sandbox>;
}
