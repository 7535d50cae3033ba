/** A shell without a sandbox, for tests of what is around it; it runs as the tests do. */
import { tmpdir } from "node:os";
import { startChild } from "#internal/runtime/mod.ts";
import { BackgroundJobs } from "#internal/sandbox/mod.ts";
import type { Sandbox } from "#internal/sandbox/mod.ts";
import type { Shell } from "../../internal/agent/capabilities/shell.ts";

/** One that works in a folder. @param online whether it says that it has a network */
export function plainShell(folder: string = tmpdir(), online = false): Shell {
  const sandbox: Sandbox = {
    online,
    reachesHosts: online,
    limits: { timeMs: 10_000, memoryBytes: 2 ** 32 },
    outputFolder: folder,
    python: "/usr/bin/python3",
    async start({ argv: [command = "", ...args], input }) {
      const child = await startChild({
        command,
        args,
        cwd: folder,
        env: { PATH: "/usr/bin:/bin" },
      });
      if (input !== "pipe") child.stdin.end();
      return {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr as typeof child.stdout,
        exited: child.exited.then(({ code }) => ({ status: code ?? 137, outOfMemory: false })),
        kill: () => child.kill("SIGKILL"),
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    sandbox,
    jobs: new BackgroundJobs(sandbox),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
