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
  /** The command line that starts this server, as a client has to be told. */
  readonly command: readonly [string, ...string[]];
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
  if (stdin.isTTY === true) stderr.write(terminalHint(definition.info.name, options.command));
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

/** What a person sees who starts a server by hand. */
export function terminalHint(name: string, command: readonly [string, ...string[]]): string {
  const [program, ...args] = command;
  const entry = { mcpServers: { [name]: { command: program, args } } };
  return [
    `${command.join(" ")} speaks the Model Context Protocol on standard input, for AI clients.`,
    "Most clients take these lines:",
    JSON.stringify(entry, null, 2),
    "Ctrl-D ends it.",
    "",
  ].join("\n");
}
