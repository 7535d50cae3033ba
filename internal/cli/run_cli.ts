/** The command line: words in, an exit code out. Loads only the one command it runs. */
import type { Redactor } from "#internal/core/mod.ts";
import { firstThrown, SionError, VERSION } from "#internal/core/mod.ts";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import type { Environment, StopSignal } from "#internal/runtime/mod.ts";
import {
  EXIT_CODE_OF,
  onStopSignal,
  platformName,
  sionHome,
  systemClock,
} from "#internal/runtime/mod.ts";
import type { AnyCommand } from "./command.ts";
import { commandPaths, loadCommand, loadCommands } from "./commands/mod.ts";
import type { CommandContext, Program } from "./context.ts";
import { EXIT } from "./errors.ts";
import type { Output } from "./output.ts";
import { createOutput } from "./output.ts";
import type { ParsedInput } from "./parse.ts";
import { commonAtLeast, findAlone, findCommand, parseInput } from "./parse.ts";
import { createProgress } from "./progress.ts";
import type * as TellFailure from "./tell_failure.ts";
import type { TextSink } from "./text_sink.ts";

/** Opens what cuts secrets out of texts. */
type Cutter = () => Promise<Pick<Redactor, "text">>;

/** The process that the command line runs in. */
export interface CliProcess {
  readonly program: Program;
  readonly env: Environment;
  readonly cwd: string;
  /** `colour` is whether the stream would show it, were it not for `--no-color`. */
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readStdin(mostBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  readLines(mostBytes: number, signal: AbortSignal): AsyncIterable<string>;
  /** Whether standard input is a terminal. */
  readonly inputIsTty: boolean;
  /** Asks for a line that is not shown; missing when standard input is no terminal. */
  readonly readHidden?: (prompt: string, signal: AbortSignal) => Promise<string>;
  /** What clients are opened with besides, for embedding and tests. */
  readonly client?: Partial<ClientOptions>;
  /** Ends the process at once: the second Ctrl-C. */
  exit(code: number): void;
}

/** Groups whose commands read keys: what cuts those out of their errors is there from the first word. */
const WITH_SECRETS = ["agent", "skill"];

/** Runs one command line to its end. Never throws. */
export async function runCli(words: readonly string[], host: CliProcess): Promise<number> {
  const early = commonAtLeast(words);
  const output = outputOf(host, { plain: false, noColor: words.includes("--no-color") });
  try {
    return await dispatch(words, host, output);
  } catch (error) {
    return await tellFailure(error, host.env, output, early, secretsOf(words[0], host.env));
  }
}

/** What cuts secrets out of the errors of a group's commands, where those can hold any. */
function secretsOf(group: string | undefined, env: Environment): Cutter | undefined {
  if (group === undefined || !WITH_SECRETS.includes(group)) return undefined;
  return async () => await (await import("#internal/agent/mod.ts")).openSecrets({ env }).redactor();
}

/** Runs the words of a program that is one command. Never throws. */
export async function runProgram(
  command: AnyCommand & { readonly program: string },
  words: readonly string[],
  host: CliProcess,
): Promise<number> {
  const output = outputOf(host, { plain: false, noColor: words.includes("--no-color") });
  const told = (): Promise<number> => delivered(EXIT.done, host, output, []);
  try {
    const parsed = findAlone(words);
    if (parsed === "version") {
      output.line(versionLine(command.program, host));
      return await told();
    }
    if (parsed === "help") {
      const { tellCommandHelp } = await import("./tell_help.ts");
      tellCommandHelp(command, output);
      return await told();
    }
    return await runCommand(command, parseInput(command, words, host.env), host);
  } catch (error) {
    return await tellFailure(error, host.env, output, commonAtLeast(words));
  }
}

function versionLine(program: string, { program: { origin } }: CliProcess): string {
  return `${program} ${VERSION} (${platformName()}, ${origin})`;
}

async function dispatch(
  words: readonly string[],
  host: CliProcess,
  output: Output,
): Promise<number> {
  const told = (): Promise<number> => delivered(EXIT.done, host, output, []);
  if (words[0] === "help") {
    await tellHelp(words.slice(1), output);
    return await told();
  }
  const parsed = findCommand(words, commandPaths);
  if (parsed.kind === "version") {
    output.line(versionLine("sion", host));
    return await told();
  }
  if (parsed.kind === "help") {
    await tellHelp(parsed.path.split(" "), output);
    return await told();
  }
  const command = await loadCommand(parsed.path);
  const input = parseInput(command, parsed.words);
  return await runCommand(command, input, host);
}

async function tellHelp(words: readonly string[], output: Output): Promise<void> {
  await (await import("./tell_help.ts")).tellHelp(words, output);
}

async function runCommand(
  command: AnyCommand,
  { args, flags, common }: ParsedInput,
  host: CliProcess,
): Promise<number> {
  const env = common.home === undefined ? host.env : { ...host.env, SION_HOME: common.home };
  const plain = common.plain || (env["ACCESSIBLE"] ?? "") !== "";
  const output = outputOf(host, { plain, noColor: common.noColor });
  const stop = new AbortController();
  let stoppedBy: StopSignal | undefined;
  let dealtWith: ((signal: StopSignal) => boolean) | undefined;
  let kept: string | undefined;
  const begun: string[] = [];
  let redactor = secretsOf(command.path.split(" ")[0], env);
  const { broken } = host.stdout;
  if (command.endless === true) {
    broken?.addEventListener("abort", () => stop.abort(new Error("Nobody reads standard output")));
  }
  using _signals = onStopSignal((signal) => {
    if (stoppedBy !== undefined) host.exit(EXIT_CODE_OF[stoppedBy]);
    if (dealtWith?.(signal) === true) return;
    stoppedBy = signal;
    stop.abort(new Error("Stopped by a signal"));
  });
  let client: Client | undefined;
  const { readHidden } = host;
  const clientOptions: ClientOptions = {
    env,
    home: sionHome(env),
    ...(common.node === undefined ? {} : { node: common.node }),
    ...(common.chain === undefined ? {} : { chain: common.chain }),
    onNote: (note) => output.note(note),
    onWait: (what) => output.waiting(what),
    ...host.client,
  };
  const context: CommandContext = {
    program: host.program,
    env,
    cwd: host.cwd,
    home: sionHome(env),
    output,
    json: common.json,
    plain,
    clientOptions,
    signal: stop.signal,
    async client() {
      return client ??= (await import("#internal/client/mod.ts")).openClient(clientOptions);
    },
    async completionScript(shell) {
      const { completionScript } = await import("./completion.ts");
      return completionScript(shell, await loadCommands());
    },
    readStdin: (mostBytes) => host.readStdin(mostBytes, stop.signal),
    readLines: (mostBytes) => host.readLines(mostBytes, stop.signal),
    input: { isTty: host.inputIsTty },
    ...(readHidden === undefined ? {} : {
      readHidden: (prompt: string) => readHidden(prompt, stop.signal),
    }),
    onStop: (handle) => void (dealtWith = handle),
    onInterrupt: (sentence) => void (kept = sentence),
    began: (sentence) => void begun.push(sentence),
    redactErrors: (one) => void (redactor = one),
  };
  try {
    const code = await command.run(context, { args, flags }) ?? EXIT.done;
    return await delivered(code, host, output, begun);
  } catch (thrown) {
    const error = firstThrown(thrown);
    if (stoppedBy === undefined && command.endless === true && broken?.aborted === true) {
      return await delivered(EXIT.done, host, output, begun);
    }
    if (stoppedBy === undefined || !stop.signal.aborted) {
      const exit = await tellFailure(error, env, output, common, redactor);
      return error instanceof SionError ? command.errorExits?.[error.code] ?? exit : exit;
    }
    output.waiting(undefined);
    output.note(kept === undefined ? "stopped" : `stopped: ${kept}`);
    return EXIT_CODE_OF[stoppedBy];
  } finally {
    output.waiting(undefined);
    client?.[Symbol.dispose]();
  }
}

async function tellFailure(
  ...failed: Parameters<typeof TellFailure.tellFailure>
): Promise<number> {
  return await (await import("./tell_failure.ts")).tellFailure(...failed);
}

/**
 * The exit code of a command that did its work, once its answer is out. A reader that has had
 * enough, as `head` has, is no error; an answer that could not be written is.
 */
async function delivered(
  code: number,
  { stdout }: CliProcess,
  output: Output,
  begun: readonly string[],
): Promise<number> {
  await stdout.flush?.();
  const { aborted = false, reason } = stdout.broken ?? {};
  if (!aborted || reason === "EPIPE") return code;
  const lost = `cannot write standard output (${reason})`;
  if (begun.length === 0) {
    output.error(`${lost}: make room there, then run it again`);
    return EXIT.error;
  }
  output.error(`${lost}, and ${begun.join("; ")}`);
  return EXIT.unknown;
}

function outputOf(
  { stdout, stderr }: CliProcess,
  { plain, noColor }: { readonly plain: boolean; readonly noColor: boolean },
): Output {
  const plainly = (sink: TextSink): TextSink => noColor ? { ...sink, colour: false } : sink;
  const progress = createProgress(stderr, stderr.isTty && !plain, {
    nowMs: () => systemClock.nowMs(),
    every(ms, callback) {
      const timer = setInterval(callback, ms);
      (timer as unknown as { unref(): void }).unref();
      return () => clearInterval(timer);
    },
  });
  return createOutput(plainly(stdout), plainly(stderr), progress);
}
