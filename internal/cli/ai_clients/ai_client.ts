/** An AI client that starts MCP servers from a file of its own, as data. */
import { join } from "node:path";
import type { Environment } from "#internal/runtime/mod.ts";
import { userHome } from "#internal/runtime/mod.ts";

/** How a client starts a server. */
export interface ServerEntry {
  /** Program, an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where to look for a client's file. */
export interface Place {
  readonly env: Environment;
  /** As `linux` or `darwin`. */
  readonly system: string;
}

/** A client; one file each. */
export interface AiClient {
  /** What is typed: `claude-desktop`. */
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  /** The file of the user's servers, an absolute path. Where the client documents it. */
  file(place: Place): string;
  /** JSON with comments and trailing commas, or TOML. */
  readonly format: "json" | "toml";
  /** Keys that lead to the table of servers. */
  readonly servers: readonly string[];
  /** Fields of the entry besides command, arguments and environment. */
  readonly more: Readonly<Record<string, string>>;
  /** What to do so that it sees the entry; a clause after the client's name. */
  readonly after: string;
}

/** A path in the folder that holds programs' settings. */
export function settingsPath({ env, system }: Place, ...names: readonly string[]): string {
  const home = userHome(env);
  if (system === "darwin") return join(home, "Library", "Application Support", ...names);
  return join(xdgConfig(env), ...names);
}

/** `$XDG_CONFIG_HOME`, or `~/.config`. */
export function xdgConfig(env: Environment): string {
  const given = env["XDG_CONFIG_HOME"];
  return given !== undefined && given.startsWith("/") ? given : join(userHome(env), ".config");
}

/** A folder that a variable names, else one in the user's home. */
export function folderOf(env: Environment, variable: string, name: string): string {
  const given = env[variable];
  return given === undefined || given === "" ? join(userHome(env), name) : given;
}

/** The entry as the client's file has it. */
export function entryOf(
  { more }: AiClient,
  { command, args, env }: ServerEntry,
): Readonly<Record<string, unknown>> {
  return { ...more, command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}
