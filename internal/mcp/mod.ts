/** The Tool type, and the protocol core of sion's MCP servers. */
export * from "./tool.ts";
export type * from "./offers.ts";
export type { LogLevel, Peer, Question, QuestionMethod } from "./peer.ts";
export { callTool, type CheckedInput, checkInput } from "./call_tool.ts";
export { type LineSink, MAX_LINE_BYTES, streamSink, type WritableOutput } from "./lines.ts";
export { runMcpServer, type ServerStreams } from "./server.ts";
export { describeTools, type ServerDefinition } from "./tool_server.ts";
export { serveStdio, type StdioOptions, thisProgram } from "./stdio.ts";
export {
  INSTRUCTIONS,
  ledgerServer,
  type LedgerServerOptions,
  loadLedgerTools,
} from "./ledger_server.ts";
export type { LedgerClient, LedgerContext } from "./tools/mod.ts";
