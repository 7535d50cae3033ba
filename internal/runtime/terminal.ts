/** What is known of the terminal, if there is one. */
import process from "node:process";
import type { Environment } from "./environment.ts";

/** Facts about an output stream. */
export interface TerminalFacts {
  readonly isTty: boolean;
  /** Width in characters; 80 when there is no terminal, or one that tells none. */
  readonly columns: number;
  /** Whether escape sequences for colour are wanted. */
  readonly colour: boolean;
}

/**
 * Facts about standard output or standard error. Colour is for terminals; `NO_COLOR` (not empty)
 * and `TERM=dumb` turn it off, `FORCE_COLOR` (neither empty nor 0) turns it on anywhere.
 */
export function terminalFacts(stream: "stdout" | "stderr", env: Environment): TerminalFacts {
  const output = process[stream];
  const isTty = output.isTTY === true;
  return {
    isTty,
    columns: (isTty ? output.columns : 0) || 80,
    colour: wantsColour(isTty, env),
  };
}

/** True when standard input is a terminal, so that somebody could answer. */
export function inputIsTerminal(): boolean {
  return process.stdin.isTTY === true;
}

/** A terminal whose keys come as they are pressed. */
export interface RawTerminal extends Disposable {
  /** Rows and columns as they are now. */
  size(): { readonly columns: number; readonly rows: number };
}

/** Hears what a raw terminal does. */
export interface RawTerminalListener {
  /** What was typed or pasted, as the terminal sends it. */
  typed(text: string): void;
  resized(): void;
  /** The terminal is gone. */
  ended(): void;
}

/** Until what is read can have been typed in raw mode, ms: sooner no person presses a key. */
const AHEAD_MS = 50;

const PASTE_MARKS_ON = "\x1b[?2004h";
const PASTE_MARKS_OFF = "\x1b[?2004l";

/**
 * Takes the terminal over: no echo, no line editing, Ctrl-C is a key, pastes are marked. Disposing
 * gives it back as it was; so does the end of the process, whatever ends it but SIGKILL.
 */
export function openRawTerminal(listener: RawTerminalListener): RawTerminal {
  const { stdin, stdout } = process;
  const decoder = new TextDecoder();
  // What was typed ahead was read by lines, in which Enter is another character than in raw mode.
  let isAhead = true;
  setTimeout(() => isAhead = false, AHEAD_MS).unref();
  const onData = (bytes: Uint8Array): void => {
    const text = decoder.decode(bytes, { stream: true });
    listener.typed(isAhead ? text.replaceAll("\n", "\r") : text);
  };
  const onResize = (): void => listener.resized();
  const onEnd = (): void => listener.ended();
  const giveBack = (): void => {
    stdout.write(PASTE_MARKS_OFF);
    if (stdin.isTTY) stdin.setRawMode(false);
  };
  stdin.setRawMode(true);
  stdout.write(PASTE_MARKS_ON);
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  stdout.on("resize", onResize);
  process.on("exit", giveBack);
  stdin.resume();
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    [Symbol.dispose]() {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdout.off("resize", onResize);
      process.off("exit", giveBack);
      giveBack();
      stdin.pause();
    },
  };
}

function wantsColour(isTty: boolean, env: Environment): boolean {
  const set = (name: string): string => env[name] ?? "";
  if (set("NO_COLOR") !== "") return false;
  if (set("FORCE_COLOR") !== "" && set("FORCE_COLOR") !== "0") return true;
  return isTty && set("TERM") !== "dumb";
}

/** What keys send in raw mode. */
const KEY = { interrupt: 3, end: 4, backspace: 8, erase: 21, delete: 127 } as const;
/** Longer than any key that is typed or pasted as one line. */
const MOST_HIDDEN_CHARACTERS = 20_000;

/**
 * One line that is typed at the terminal without being shown. Ctrl-C is SIGINT, as everywhere; Ctrl-D
 * ends an empty line.
 * @param prompt written to standard error
 * @throws the signal's reason when it aborts
 */
export function readHidden(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  const decoder = new TextDecoder();
  let typed = "";
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      signal.removeEventListener("abort", stop);
      stdin.removeListener("data", take);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      end();
    };
    const stop = (): void => finish(() => reject(signal.reason));
    const take = (piece: Uint8Array): void => {
      for (const character of decoder.decode(piece, { stream: true })) {
        const code = character.codePointAt(0) as number;
        if (character === "\r" || character === "\n") return finish(() => resolve(typed));
        if (code === KEY.end && typed === "") return finish(() => resolve(""));
        if (code === KEY.interrupt) process.kill(process.pid, "SIGINT");
        else if (code === KEY.erase) typed = "";
        else if (code === KEY.backspace || code === KEY.delete) {
          typed = Array.from(typed).slice(0, -1).join("");
        } else if (code >= 32 && typed.length < MOST_HIDDEN_CHARACTERS) typed += character;
      }
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    stderr.write(prompt);
    stdin.setRawMode(true);
    stdin.on("data", take);
    stdin.resume();
  });
}
