/**
 * The stdio transport on this process's own streams. Nothing but messages goes to standard output;
 * what people should know goes to standard error.
 */
import process from "node:process";
import { streamSink } from "./lines.ts";
import { runMcpServer } from "./server.ts";
import type { ToolContext } from "./tool.ts";
import type { ServerDefinition } from "./tool_server.ts";

/** What `serveStdio` may be told. */
export interface StdioOptions {
  /** The command line as its user knows it: name of the program, then what makes it this server. */
  readonly command: readonly [string, ...string[]];
  /** Variables that a client is to start it with. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Aborted to stop serving. @default never */
  readonly stop?: AbortSignal;
}

/**
 * Serves on standard input and output until the client closes them, SIGINT or SIGTERM. At a terminal
 * it says first what it is. When it is stopped with its input still open it ends the process itself
 * (exit code 0, everything flushed): a pending read of a pipe cannot be given up in every runtime.
 */
export async function serveStdio<Context extends ToolContext>(
  definition: ServerDefinition<Context>,
  options: StdioOptions,
): Promise<void> {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY === true) {
    const program = await thisProgram();
    stderr.write(terminalHint(definition.info.name, options.command, program, options.env));
  }
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  options.stop?.addEventListener("abort", stop, { once: true });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const end = await runMcpServer(definition, {
      input: stdin as AsyncIterable<Uint8Array>,
      output: streamSink(stdout),
      stop: stopping.signal,
    });
    if (end === "stopped") process.exit(0);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

/** What a person sees who starts a server by hand; the entry works as it is in any folder. */
export function terminalHint(
  name: string,
  [shown, ...args]: readonly [string, ...string[]],
  [program, ...before]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): string {
  const variables = Object.keys(env).length === 0 ? {} : { env };
  const started = { command: program, args: [...before, ...args], ...variables };
  const entry = { mcpServers: { [name]: started } };
  return [
    `${
      [shown, ...args].join(" ")
    } speaks the Model Context Protocol on standard input, for AI clients.`,
    "Most clients take these lines:",
    JSON.stringify(entry, null, 2),
    "Ctrl-D ends it.",
    "",
  ].join("\n");
}

/** The program run from a clone: its source, or the bundle that `scripts/sion` keeps of it. */
const SOURCE = /^(?<root>.*)\/(?:cmd\/(?<name>[\w-]+)\/main\.ts|\.cache\/source\/[\w-]+\.js)$/;

/** The command that starts this program from anywhere. */
export async function thisProgram(): Promise<[string, ...string[]]> {
  const entry = process.argv[1] ?? "";
  const { realpath } = await import("node:fs/promises");
  return programOf(entry, process.execPath, await realpath(entry).catch(() => entry));
}

/**
 * The command that starts a program. From source that is the clone's script.
 * @param file what `entry` is a link to: npm puts one without an ending into its folder of programs.
 * @default entry
 */
export function programOf(
  entry: string,
  execPath: string,
  file: string = entry,
): [string, ...string[]] {
  const source = SOURCE.exec(entry)?.groups;
  if (source !== undefined) {
    const script = `${source["root"]}/scripts/sion`;
    return source["name"] === "sion-mcp" ? [script, "mcp"] : [script];
  }
  return /\.[cm]?js$/.test(file) ? [execPath, entry] : [execPath];
}
