/** An open sandbox of containers: one for each command, which is gone with it. */
import { rm } from "node:fs/promises";
import { escapeLine } from "#internal/core/mod.ts";
import { startChild } from "#internal/runtime/mod.ts";
import type { Child } from "#internal/runtime/mod.ts";
import { SandboxError } from "../errors.ts";
import type { Sandbox, SandboxCommand, Sandboxed, SandboxLimits } from "../sandbox.ts";
import type { SandboxRequest } from "./_backend.ts";
import { Commands, TRIAL, tryCommand } from "./_commands.ts";
import { dockerArguments } from "./_docker_arguments.ts";
import { asked } from "./_docker_client.ts";
import type { DockerClient } from "./_docker_client.ts";
import type { StateFolder } from "./_state_folder.ts";
import { checkWorkspace } from "./_workspace_check.ts";

/** Of a process that was killed: by us, or because the container's memory was used up. */
const KILLED = 137;
/** Docker's own, not the command's. */
const ENGINE_FAILED = 125;
/** Time of a trial, ms. */
const TRIAL_MS = 60_000;

/** What a sandbox is made of. */
interface Parts {
  readonly client: DockerClient;
  readonly request: SandboxRequest;
  readonly folder: StateFolder;
  readonly image: string;
  readonly owner: string;
  readonly user: { readonly uid: number; readonly gid: number };
}

/** A sandbox; `try` comes before all else. */
export class DockerSandbox implements Sandbox {
  readonly online: boolean;
  readonly reachesHosts: boolean;
  readonly limits: SandboxLimits;
  readonly outputFolder: string;
  /** An image is taken to have it. */
  readonly python = "python3";
  readonly #parts: Parts;
  readonly #commands = new Commands();
  #started = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.online = parts.request.network !== "none";
    this.reachesHosts = this.online;
    this.limits = parts.request.limits;
    this.outputFolder = parts.folder.output;
  }

  /** Runs a trial command. @throws {SandboxError} `sandbox-missing` */
  async try(): Promise<void> {
    const said = await tryCommand(await this.start({ argv: TRIAL }), TRIAL_MS);
    if (said === undefined) return;
    const why = escapeLine(said.trim().split("\n").at(-1) ?? "").slice(0, 300);
    throw new SandboxError(
      "sandbox-missing",
      `the sandbox does not work (${why}): mend that, or give another image`,
    );
  }

  start(command: SandboxCommand): Promise<Sandboxed> {
    return this.#commands.start(() => this.#start(command));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commands.close();
    await rm(this.#parts.folder.path, { recursive: true, force: true });
  }

  async #start(command: SandboxCommand): Promise<Sandboxed> {
    const { client, request, folder, image, owner, user } = this.#parts;
    if (command.bare !== true) checkWorkspace(request.workspace);
    const number = ++this.#started;
    const name = `sion-${folder.name}-${number}`;
    const environment = await this.#environmentFile(command, number);
    const args = dockerArguments({
      name,
      owner,
      image,
      network: command.hosts?.length === 0 ? "none" : request.network,
      limits: this.limits,
      workspace: request.workspace,
      outputFolder: this.outputFolder,
      read: request.read,
      user,
      isPodman: client.isPodman,
      isRootless: client.isRootless,
      ...(environment === undefined ? {} : { environmentFile: environment }),
    }, command);
    const child = await startChild({ command: client.file, args, cwd: "/", env: client.env });
    if (command.input !== "pipe") child.stdin.end();
    return this.#handle(child, name, environment);
  }

  async #environmentFile(
    { env = {} }: SandboxCommand,
    number: number,
  ): Promise<string | undefined> {
    const entries = Object.entries(env);
    if (entries.length === 0) return undefined;
    const odd = entries.find(([, value]) => value.includes("\n"));
    if (odd !== undefined) {
      throw new SandboxError(
        "sandbox-option",
        `${odd[0]} has more lines than one: Docker takes one`,
      );
    }
    const lines = entries.map(([name, value]) => `${name}=${value}\n`);
    return await this.#parts.folder.write(`env-${number}`, lines.join(""));
  }

  #handle(child: Child, name: string, environment: string | undefined): Sandboxed {
    const { client } = this.#parts;
    let killing: Promise<unknown> | undefined;
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr as Sandboxed["stderr"],
      kill() {
        // The client's end leaves the container as it is; and one that was on its way may still come.
        killing ??= asked(client, ["rm", "--force", name]).then(async () => {
          child.kill("SIGKILL");
          await asked(client, ["rm", "--force", name]);
        });
      },
      exited: child.exited.then(async ({ code }) => {
        await killing;
        if (environment !== undefined) await rm(environment, { force: true });
        const status = killing === undefined ? code ?? ENGINE_FAILED : KILLED;
        return { status, outOfMemory: killing === undefined && code === KILLED };
      }),
    };
  }
}
