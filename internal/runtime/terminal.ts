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

function wantsColour(isTty: boolean, env: Environment): boolean {
  const set = (name: string): string => env[name] ?? "";
  if (set("NO_COLOR") !== "") return false;
  if (set("FORCE_COLOR") !== "" && set("FORCE_COLOR") !== "0") return true;
  return isTty && set("TERM") !== "dumb";
}
