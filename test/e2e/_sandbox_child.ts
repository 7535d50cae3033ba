/**
 * Opens a sandbox as the user that this process is started as, tries the probes in it and prints what
 * each found, as JSON. Arguments: a folder, and `naive` for a sandbox such as one writes first, or
 * `held` to run a command and a job that do not end.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { readEnvironment, systemRandom } from "#internal/runtime/mod.ts";
import {
  BackgroundJobs,
  openSandbox,
  readSandboxOptions,
  runCommand,
} from "#internal/sandbox/mod.ts";
import { probes } from "../sandbox/_probes.ts";
import { naiveArguments } from "../sandbox/_naive.ts";

const [folder = "", kind] = process.argv.slice(2);
const home = join(folder, "home");
const workspace = join(folder, "work");
const outside = join(folder, "secret.txt");
mkdirSync(home);
mkdirSync(workspace);
writeFileSync(outside, "secret\n");

async function listening(address: string | undefined): Promise<Server> {
  const server = createServer((socket) => socket.end());
  const ready = new Promise<void>((resolve) => server.once("listening", resolve));
  if (address === undefined) server.listen(0, "127.0.0.1");
  else server.listen(address);
  await ready;
  return server;
}

const tcp = await listening(undefined);
const name = `sion-probe-${process.pid}`;
// Deno knows no abstract sockets; there the probe finds none, which proves nothing, nor does harm.
const abstract = "Deno" in globalThis ? undefined : await listening(`\0${name}`);
const rows = probes({
  home,
  outside,
  pid: process.pid,
  port: (tcp.address() as AddressInfo).port,
  socket: name,
});

async function tryAll(run: (command: string) => Promise<string>): Promise<void> {
  const found: Record<string, { holds: boolean; said: string }> = {};
  for (const probe of rows) {
    const said = (await run(probe.run)).trimEnd();
    found[probe.name] = { holds: probe.holds.test(said), said: said.slice(0, 300) };
  }
  process.stdout.write(JSON.stringify(found));
}

if (kind === "naive") {
  await tryAll((command) => {
    const { stdout, stderr } = spawnSync("/bin/sh", [
      // With an open file of the runtime's: Node and Deno close theirs on their own, not always.
      "-c",
      'exec 7<"$0"; exec "$@"',
      outside,
      "bwrap",
      ...naiveArguments(workspace),
      "/bin/sh",
      "-c",
      command,
    ], {
      encoding: "utf8",
      // What a probe starts or stops here is not always ended by the sandbox.
      timeout: 5_000,
      killSignal: "SIGKILL",
    });
    return Promise.resolve(stdout + stderr);
  });
} else {
  const env = readEnvironment();
  const place = { cwd: folder, home, kept: [home], env };
  const settings = await readSandboxOptions({}, place);
  await using sandbox = await openSandbox(settings, workspace, { home, env, random: systemRandom });
  if (kind === "held") {
    const jobs = new BackgroundJobs(sandbox);
    await jobs.start("setsid sleep 86399");
    await runCommand(
      sandbox,
      { argv: ["/bin/sh", "-c", "setsid sleep 86399 & echo; sleep 86399"] },
      {
        onOutput: () => void process.stdout.write("held\n"),
      },
    );
  }
  await tryAll(async (command) => {
    const { stdout, stderr } = await runCommand(sandbox, { argv: ["/bin/sh", "-c", command] });
    return new TextDecoder().decode(stdout.head) + new TextDecoder().decode(stderr.head);
  });
}
tcp.close();
abstract?.close();
