/** What a sandbox is asked to be: read from options, checked, and kept with a session as JSON. */
import { realpath, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { displayPath } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import * as z from "zod";
import { backends } from "./backends/mod.ts";
import { SandboxError } from "./errors.ts";

/** Wall-clock time of a command where nobody sets one, ms. */
const DEFAULT_TIME_MS = 120_000;
/** A day: longer is nothing that somebody waits for. */
const MOST_TIME_S = 86_400;
const DEFAULT_MEMORY_BYTES = 4 * 2 ** 30;
/** Below this no shell starts; above, the number is not meant. */
const LEAST_MEMORY_BYTES = 16 * 2 ** 20;
const MOST_MEMORY_BYTES = 2 ** 40;
const MOST_READ_FOLDERS = 32;
/** Other processes, devices, sockets that services listen on; and what holds them. */
const SYSTEM = ["/", "/proc", "/sys", "/dev", "/run", "/var/run"];

/** A sandbox's settings, as they are kept. */
export const sandboxSettings = z.strictObject({
  /** `bwrap`, or `docker:<image>@sha256:<digest>`. */
  sandbox: z.string(),
  /** `none`, `declared`, `host`, or a Docker network's name. */
  network: z.string(),
  /** Folders shown read-only at their own paths, absolute and without links. */
  read: z.array(z.string()).max(MOST_READ_FOLDERS),
  timeMs: z.number().int().positive(),
  memoryBytes: z.number().int().positive(),
});

/** What a sandbox is opened with. */
export type SandboxSettings = z.infer<typeof sandboxSettings>;

/** The options as a person gave them. */
export interface SandboxOptions {
  /** `bwrap` or `docker:<image>@sha256:<digest>`. @default "bwrap" */
  readonly sandbox?: string;
  /** @default "none" */
  readonly network?: string;
  /** @default none */
  readonly read?: readonly string[];
  /** Seconds. @default "120" */
  readonly timeout?: string;
  /** A size, as `8g` or `512m`. @default "4g" */
  readonly memory?: string;
}

/** Where the options were given. */
export interface SandboxPlace {
  readonly cwd: string;
  /** `$SION_HOME`, as messages name it. */
  readonly home: string;
  /** Where it and its parts really are: nothing of them may show. */
  readonly kept: readonly string[];
  readonly env: Environment;
}

/** Reads the options. @throws {SandboxError} `sandbox-option` */
export async function readSandboxOptions(
  options: SandboxOptions,
  place: SandboxPlace,
): Promise<SandboxSettings> {
  const sandbox = options.sandbox === undefined || options.sandbox === ""
    ? "bwrap"
    : options.sandbox;
  const network = options.network ?? "none";
  const backend = backends.find((one) => one.claims(sandbox));
  if (backend === undefined) {
    throw wrong(
      `there is no sandbox ${sandbox}: give bwrap or docker:<image>@sha256:<64 hex digits>`,
    );
  }
  backend.check(sandbox, network);
  const read = await Promise.all((options.read ?? []).map((path) => shownFolder(path, place)));
  if (read.length > MOST_READ_FOLDERS) {
    throw wrong(
      `--sandbox-read is given ${read.length} times: give it at most ${MOST_READ_FOLDERS}`,
    );
  }
  return {
    sandbox,
    network,
    read: [...new Set(read)],
    timeMs: options.timeout === undefined ? DEFAULT_TIME_MS : timeMs(options.timeout),
    memoryBytes: options.memory === undefined ? DEFAULT_MEMORY_BYTES : memoryBytes(options.memory),
  };
}

function timeMs(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  if (!(seconds >= 1 && seconds <= MOST_TIME_S)) {
    throw wrong(`--sandbox-timeout ${text} is no time: give seconds, 1 to ${MOST_TIME_S}`);
  }
  return seconds * 1_000;
}

function memoryBytes(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,7})([mgt])(?:i?b)?$/i.exec(text) ?? [];
  const bytes = Number(number) *
    ({ m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }[unit.toLowerCase()] ?? NaN);
  if (!(bytes >= LEAST_MEMORY_BYTES && bytes <= MOST_MEMORY_BYTES)) {
    throw wrong(`--sandbox-memory ${text} is no size: give one like 8g, 16m to 1t`);
  }
  return bytes;
}

/** A folder that commands may read: absolute, without links, and showing nothing of `$SION_HOME`. */
async function shownFolder(
  path: string,
  { cwd, home, kept, env }: SandboxPlace,
): Promise<string> {
  const shown = displayPath(path, env);
  const given = resolve(cwd, path);
  const found = await stat(given).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw wrong(
      found === undefined
        ? `there is no folder ${shown}: give another --sandbox-read`
        : `${shown} is no folder: give one as --sandbox-read`,
    );
  }
  const real = await realpath(given);
  if (kept.some((part) => holds(real, part) || holds(part, real))) {
    throw wrong(
      `--sandbox-read ${shown} would show ${displayPath(home, env)} (wallets, sessions, skills): ` +
        "give a folder apart from it",
    );
  }
  if (SYSTEM.some((part) => real === part || (part !== "/" && holds(part, real)))) {
    throw wrong(`--sandbox-read ${shown} would show the whole system: give a folder of programs`);
  }
  return real;
}

function holds(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer === sep ? sep : outer + sep);
}

function wrong(message: string): SandboxError {
  return new SandboxError("sandbox-option", message);
}
