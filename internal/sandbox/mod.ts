/**
 * Where what an agent writes is run: bubblewrap or a container around one workspace, for the shell,
 * checks and tests, skills' scripts and MCP servers.
 */
export type { SandboxMachine } from "./backends/mod.ts";
export * from "./command_text.ts";
export * from "./errors.ts";
export * from "./jobs.ts";
export * from "./look.ts";
export { isLeftFolder } from "./backends/_state_folder.ts";
export * from "./open.ts";
export { findProgram } from "./programs.ts";
export type { HostUse } from "./proxy/filtering_proxy.ts";
export * from "./run_command.ts";
export * from "./run_program.ts";
export * from "./sandbox.ts";
export type { SandboxOptions, SandboxPlace, SandboxSettings } from "./settings.ts";
export { readSandboxOptions, sandboxSettings } from "./settings.ts";
