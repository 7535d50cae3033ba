/** A shell in a sandbox around the workspace, and what checks code in it. */
import { resolve } from "node:path";
import {
  BackgroundJobs,
  openSandbox,
  readSandboxOptions,
  sandboxSettings,
} from "#internal/sandbox/mod.ts";
import type { Sandbox, SandboxSettings } from "#internal/sandbox/mod.ts";
import { AgentError } from "../errors.ts";
import { keptPaths } from "../workspace_check.ts";
import { defineCapability, givenValue } from "./_capability.ts";
import type { CapabilityMachine, GivenOptions } from "./_capability.ts";

/** What the shell's tools are handed. */
export interface Shell extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Commands that run beside the conversation. */
  readonly jobs: BackgroundJobs;
}

const NEEDING = ["sandboxNetwork", "sandboxRead", "sandboxTimeout", "sandboxMemory"] as const;

/** `--shell`, with `--sandbox-…` for what it may see, reach and take. */
export const shell = defineCapability({
  name: "shell",
  options: [
    {
      name: "shell",
      kind: "value",
      placeholder: "SANDBOX",
      bare: "bwrap",
      about: "a shell in the workspace: in bubblewrap, or in docker:IMAGE@sha256:DIGEST " +
        "(agent:kernel)",
      default: "no shell",
    },
    {
      name: "sandboxNetwork",
      kind: "value",
      placeholder: "NETWORK",
      about: "what commands reach: none, declared (skills' scripts only), host, " +
        "or with Docker a network you set up",
      default: "none",
      offers: ["none", "declared", "host"],
    },
    {
      name: "sandboxRead",
      kind: "list",
      placeholder: "DIR",
      about: "a folder that commands may read besides, with its programs",
      offers: "files",
    },
    {
      name: "sandboxTimeout",
      kind: "value",
      placeholder: "SECONDS",
      about: "how long one command may take",
      default: "120",
    },
    {
      name: "sandboxMemory",
      kind: "value",
      placeholder: "SIZE",
      about: "address space of a process, in Docker memory of the container",
      default: "4g",
    },
  ],
  settings: sandboxSettings,
  async read(given, machine) {
    const sandbox = givenValue(given, "shell");
    if (sandbox === undefined) {
      const needing = NEEDING.find((name) => given[name] !== undefined);
      if (needing === undefined) return undefined;
      throw new AgentError("option", `${outside(needing)} is for a shell: give --shell too`);
    }
    const settings = await readSandboxOptions(optionsOf(sandbox, given), {
      ...machine,
      kept: await keptPaths(resolve(machine.cwd, machine.home)),
    });
    // That it works is known before there is a session.
    await using _tried = await openIn(settings, machine);
    return settings;
  },
  async open(settings, machine): Promise<Shell> {
    const sandbox = await openIn(settings, machine);
    return {
      sandbox,
      jobs: new BackgroundJobs(sandbox),
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    };
  },
  instructions: ({ network, timeMs, sandbox }) =>
    `You have a shell: each command runs with /bin/sh in the workspace, ${
      sandbox === "bwrap" ? "with this machine's programs" : "with the programs of a container"
    }, ${network === "none" || network === "declared" ? "without network" : "with network"}, ` +
    `for ${timeMs / 1_000} s at most. It sees the workspace as /workspace. ${
      sandbox === "bwrap"
        ? "Commands and background jobs share localhost and /tmp, which ends with the session."
        : "Each has a localhost and a /tmp of its own, so that a server is asked by the command " +
          "that starts it."
    }`,
});

function optionsOf(sandbox: string, given: GivenOptions): Parameters<typeof readSandboxOptions>[0] {
  const network = givenValue(given, "sandboxNetwork");
  const timeout = givenValue(given, "sandboxTimeout");
  const memory = givenValue(given, "sandboxMemory");
  const read = given["sandboxRead"];
  return {
    sandbox,
    ...(network === undefined ? {} : { network }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(memory === undefined ? {} : { memory }),
    ...(Array.isArray(read) ? { read: read as readonly string[] } : {}),
  };
}

function openIn(settings: SandboxSettings, machine: CapabilityMachine): Promise<Sandbox> {
  const { workspace } = machine;
  if (workspace === undefined) {
    throw new AgentError("option", "--shell works in a workspace: give --workspace <folder> too");
  }
  return openSandbox(settings, workspace, machine);
}

/** An option as it is written. */
function outside(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
