/** Environment variables, and the folder that holds a person's data. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { shellWord } from "#internal/core/mod.ts";

/** Environment variables by name. Programs read them once, at their entry, and hand them on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of this process's environment. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** `$SION_HOME`, made absolute; `~/.sion` when it is not set or empty. */
export function sionHome(env: Environment): string {
  const given = env["SION_HOME"];
  return given === undefined || given === "" ? join(userHome(env), ".sion") : resolve(given);
}

/** The user's home folder. */
export function userHome(env: Environment): string {
  const given = env["HOME"];
  return given === undefined || given === "" ? homedir() : given;
}

/** A path as messages show it and a shell takes it: the user's home as `~`, quoted where needed. */
export function displayPath(path: string, env: Environment): string {
  const home = userHome(env);
  return shellWord(
    path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path,
  );
}
