/** Where the project is and how its scripts start other programs. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const ROOT: string = join(fileURLToPath(new URL(".", import.meta.url)), "..");

/** How a program ended and what it printed: both streams as they came, and stdout apart. */
export type Finished = {
  readonly code: number;
  readonly output: string;
  readonly stdout: string;
};

/** Options of {@link run}; `cwd` is the repository's folder unless given. */
export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Pass both streams on instead of collecting them. @default false */
  readonly show?: boolean;
  /** Ends the program (SIGTERM) after so long; 0 means never. @default 0 */
  readonly timeoutMs?: number;
};

/** Runs a program to its end. A program that cannot be started, or dies of a signal, is code 127. */
export function run(command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    let output = "";
    let stdout = "";
    const child = spawn(program, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...colours(), ...options.env },
      timeout: options.timeoutMs ?? 0,
      stdio: ["ignore", options.show ? "inherit" : "pipe", options.show ? "inherit" : "pipe"],
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => output += text);
    child.on(
      "error",
      (error) => resolve({ code: 127, output: `${output}${error.message}\n`, stdout }),
    );
    child.on("close", (code) => resolve({ code: code ?? 127, output, stdout }));
  });
}

/** Some tools colour what they print to a pipe, in CI above all: told not to, unless a terminal reads. */
function colours(): Readonly<Record<string, string>> {
  const wanted = process.stdout.isTTY === true || (process.env["FORCE_COLOR"] ?? "") !== "";
  return wanted ? {} : { NO_COLOR: "1" };
}

/** The file of a program on PATH, or `undefined`. */
export function which(program: string): string | undefined {
  return (process.env["PATH"] ?? "").split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Every file below a folder of the repository whose name ends so, sorted; none if it is missing. */
export function filesBelow(folder: string, ending: string): string[] {
  const top = join(ROOT, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Seconds with one decimal, for a line that a person reads. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
