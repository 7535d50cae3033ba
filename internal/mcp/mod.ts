/** The Tool type, and the protocol core of sion's MCP servers. */
export * from "./tool.ts";
