/**
 * A shell in a sandbox that is told at its input what to become. It need not be told at once: one that
 * waits for the next command saves that command the start of its sandbox.
 */
import { statSync } from "node:fs";

/** The shell, which reads its input to the end of what it is told. */
export const WAITING_SHELL: readonly string[] = ["/bin/sh"];

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const bound = (processes: number): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null`;

/**
 * What it is told: to bound its processes, which only its own count against here, and to become the
 * command, with an input that is empty. A command for a shell is given to the one that is there: all it
 * reads is read when it begins.
 */
export function commandScript(argv: readonly string[], processes: number): string {
  if (argv.some((word) => word.includes("\0"))) {
    throw new TypeError("Cannot run a command: a word of it holds a zero byte");
  }
  const [shell, flag, script, ...rest] = argv;
  if (shell === WAITING_SHELL[0] && flag === "-c" && script !== undefined && rest.length === 0) {
    return `{ ${bound(processes)}; exec </dev/null; eval ${quoted(script)}; exit; }\n`;
  }
  return `${bound(processes)}\nexec ${argv.map(quoted).join(" ")} </dev/null\n`;
}

/** The same for one whose input is somebody's to write to: as words. */
export function boundedCommand(argv: readonly string[], processes: number): readonly string[] {
  return ["/bin/sh", "-c", `${bound(processes)}; exec "$@"`, "sh", ...argv];
}

/**
 * Which files and folders bubblewrap's arguments show. One that is another by now (a workspace made
 * anew, a settings file replaced) is not what a sandbox shows that was made before.
 */
export function shownBy(args: readonly string[]): string {
  const shown = args.flatMap((word, index) => {
    if (word !== "--bind" && word !== "--ro-bind" && word !== "--ro-bind-try") return [];
    const found = statSync(args[index + 1] ?? "", { throwIfNoEntry: false });
    return [found === undefined ? "" : `${found.dev}:${found.ino}`];
  });
  return shown.join(" ");
}
