/** What a page of the documentation leaves running: its nodes, on ports of this machine's choice. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

/** Longest a program may take to say that it is ready. */
const READY_LIMIT_MS = 60_000;
/** Addresses that pages show: their ports may be taken here. */
const SHOWN = /127\.0\.0\.1:(8[45]\d\d)\b/g;

/** Ports that stand for those that a page shows. */
export class Ports {
  readonly #taken = new Map<string, number>();

  /** A command with ports that are free here. */
  async used(command: string): Promise<string> {
    for (const [, shown = ""] of command.matchAll(SHOWN)) {
      if (!this.#taken.has(shown)) this.#taken.set(shown, await freePort());
    }
    return command.replaceAll(SHOWN, (_, shown: string) => `127.0.0.1:${this.#taken.get(shown)}`);
  }

  /** What was printed, with the ports that the page shows. */
  shown(text: string): string {
    return [...this.#taken].reduce(
      (line, [shown, port]) => line.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${shown}`),
      text,
    );
  }

  /** The port in the place of one that the page shows, if it does. */
  of(shown: number): number | undefined {
    return this.#taken.get(String(shown));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Programs that run until the page is at its end. */
export class Background implements AsyncDisposable {
  readonly #running: ChildProcess[] = [];

  /** Starts a command of a shell. @returns its first line, which says that it is ready */
  async start(
    command: string,
    options: { readonly cwd: string; readonly env: Record<string, string> },
  ): Promise<string> {
    const child = spawn("sh", ["-c", `exec ${command}`], {
      ...options,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#running.push(child);
    let text = "";
    return await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${command} is not ready`)), READY_LIMIT_MS);
      child.stdout.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        if (!text.includes("\n")) return;
        clearTimeout(late);
        resolve(text);
      });
      child.once("close", () => {
        clearTimeout(late);
        reject(new Error(`${command} ended before it was ready`));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await closed;
    }));
  }
}
