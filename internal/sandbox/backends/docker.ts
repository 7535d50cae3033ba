/**
 * A container of an image that is on the machine already, named by its digest: what runs is what was
 * reviewed. By Docker's command line, or Podman's, which takes the same words.
 */
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { processId } from "#internal/runtime/mod.ts";
import { SandboxError } from "../errors.ts";
import { findProgram } from "../programs.ts";
import type { SandboxBackend, SandboxMachine, SandboxRequest } from "./_backend.ts";
import { asked, findEngine, removeContainers, staleContainers } from "./_docker_client.ts";
import type { DockerClient } from "./_docker_client.ts";
import { DockerSandbox } from "./_docker_sandbox.ts";
import { makeStateFolder } from "./_state_folder.ts";

const PREFIX = "docker:";
/** A name, perhaps with a registry, a port and a tag, and the digest. */
const PINNED = /^[A-Za-z0-9][\w.:/-]{0,254}@sha256:[0-9a-f]{64}$/;
const NETWORK_NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;
/** Networks that exist without anybody having set them up: they lead everywhere. */
const UNRESTRICTED = ["host", "bridge", "default", "private", "slirp4netns", "pasta", "podman"];

export const docker: SandboxBackend = {
  name: "Docker",
  claims: (sandbox) => sandbox.startsWith(PREFIX),
  check(sandbox, network) {
    const image = imageOf(sandbox);
    if (!PINNED.test(image)) {
      throw wrong(`${image} is not pinned by digest: give name@sha256:<64 hex digits>`);
    }
    if (network === "none") return;
    if (network === "declared") {
      throw wrong("with Docker the network is none or one that you set up, not declared");
    }
    if (UNRESTRICTED.includes(network)) throw unrestricted(network);
    if (!NETWORK_NAME.test(network)) {
      throw wrong(`${network} is no name of a Docker network: give one that you set up, or none`);
    }
  },
  async open(request, machine) {
    const client = await clientOn(request, machine);
    const image = imageOf(request.sandbox);
    await checkImage(client, image);
    if (request.network !== "none") await checkNetwork(client, request.network);
    const owner = `${processId()}@${hostname()}`;
    await removeContainers(client, await staleContainers(client, hostname()));
    const { uid, gid } = await stat(request.workspace);
    const folder = await makeStateFolder(machine);
    const sandbox = new DockerSandbox({
      client,
      request,
      folder,
      image,
      owner,
      user: { uid, gid },
    });
    try {
      await sandbox.try();
      return sandbox;
    } catch (error) {
      await sandbox[Symbol.asyncDispose]();
      throw error;
    }
  },
};

function imageOf(sandbox: string): string {
  return sandbox.slice(PREFIX.length);
}

async function clientOn(
  { workspace }: SandboxRequest,
  { env, find = (name) => findProgram(name, env, workspace), notice }: SandboxMachine,
): Promise<DockerClient> {
  const { client, silent } = await findEngine(find, env);
  if (client === undefined && silent === undefined) {
    throw missing(
      "--shell docker:… needs Docker or Podman, and neither is installed: `apt install podman`, " +
        "or --shell for bubblewrap",
    );
  }
  const why = silent === undefined ? "" : `${silent.name} does not answer (${silent.said})`;
  if (client === undefined) throw missing(`${why}: start it, or see who may use it`);
  if (why !== "") notice?.(`${why}: ${basename(client.file)} runs the commands`);
  return client;
}

async function checkImage(client: DockerClient, image: string): Promise<void> {
  const { status } = await asked(client, ["image", "inspect", "--format", "{{.Id}}", image]);
  if (status === 0) return;
  const name = basename(client.file);
  throw missing(
    `the image ${image} is not on this machine, and none is fetched for a command: ` +
      `\`${name} pull ${image}\` once you trust it`,
  );
}

/** By the name that the network itself has: one may be named by its id too. */
async function checkNetwork(client: DockerClient, network: string): Promise<void> {
  const format = ["--format", "{{.Name}}"];
  const { status, out } = await asked(client, ["network", "inspect", ...format, network]);
  if (status !== 0) {
    throw missing(
      `there is no Docker network ${network}: ` +
        `\`${basename(client.file)} network create ${network}\`, restricted as you need it`,
    );
  }
  if (UNRESTRICTED.includes(out)) throw unrestricted(out);
}

function unrestricted(network: string): SandboxError {
  return wrong(
    `Docker's "${network}" network does not restrict where a command connects: ` +
      "name a network you set up",
  );
}

function wrong(message: string): SandboxError {
  return new SandboxError("sandbox-option", message);
}

function missing(message: string): SandboxError {
  return new SandboxError("sandbox-missing", message);
}
