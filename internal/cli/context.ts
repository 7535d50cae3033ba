/** What a command works with: its way out, the client, the environment. */
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import type { Redactor } from "#internal/core/mod.ts";
import type { Environment, StopSignal } from "#internal/runtime/mod.ts";
import type { Output } from "./output.ts";

/** How the program that runs was made and where it lies. */
export interface Program {
  /** URL of the program's entry file. */
  readonly url: string;
  /** `source`, `npm`, or `binary`. */
  readonly origin: "source" | "npm" | "binary";
}

/** Handed to `run`. */
export interface CommandContext {
  readonly program: Program;
  readonly env: Environment;
  readonly cwd: string;
  /** The folder of all state. */
  readonly home: string;
  readonly output: Output;
  /** Whether `--json` was given. */
  readonly json: boolean;
  /** Whether lines are wanted and nothing redrawn: `--plain` or `ACCESSIBLE`. */
  readonly plain: boolean;
  /** `--node` and `--chain`, `--home`, as a client takes them. */
  readonly clientOptions: ClientOptions;
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Opens the client; at most one for the command, closed when it ends. */
  client(): Promise<Client>;
  /** What completes all commands' words in a shell. */
  completionScript(shell: "bash" | "zsh" | "fish"): Promise<string>;
  /** All of standard input. @throws {SionError} `usage` when there is more than `mostBytes` */
  readStdin(mostBytes: number): Promise<Uint8Array>;
  /**
   * Standard input line by line, without their ends, as they come.
   * @param mostBytes of one line
   * @throws {SionError} `usage` when a line is longer, or no UTF-8
   */
  readLines(mostBytes: number): AsyncIterable<string>;
  readonly input: {
    /** Whether somebody types standard input. */
    readonly isTty: boolean;
  };
  /**
   * One line that somebody types without its being shown; missing where nobody sits at a terminal.
   * @throws {SionError} `usage` when nothing is typed
   */
  readonly readHidden?: (prompt: string) => Promise<string>;
  /** Asks `handle` first at a signal; when it says that it dealt with it, nothing else happens. */
  onStop(handle: (signal: StopSignal) => boolean): void;
  /** Says what stays as it is when the command is interrupted from here on. */
  onInterrupt(sentence: string): void;
  /** Says what was begun and how to ask after it, should the answer not reach its reader. */
  began(sentence: string): void;
  /** Says what cuts secrets out of the error that the command may end with. */
  redactErrors(redactor: () => Promise<Pick<Redactor, "text">>): void;
}
