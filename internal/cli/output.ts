/**
 * Where a command's words go. Standard output is the answer; standard error is all that is about
 * it. Colour, hints and redrawn lines are for terminals, judged for each stream apart.
 */
import { escapeLine, shortId, stringifyJson } from "#internal/core/mod.ts";
import type { Progress } from "./progress.ts";
import type { TextSink } from "./text_sink.ts";

/** How a piece of text looks on a terminal. */
export type Look = "red" | "dim" | "bold";

/** A command's way out. */
export interface Output {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** A line of the answer, with control characters made visible. Not with `--json`. */
  line(text: string): void;
  /** The answer as a value: pretty JSON. */
  json(value: unknown): void;
  /** One compact object a line, of an answer that runs on. */
  jsonLine(value: unknown): void;
  /** One line about the answer. */
  note(text: string): void;
  /** Lines that say what to do next; shown to people at a terminal only. */
  hint(lines: readonly string[]): void;
  /** An id whole where it may be read by a program, else its first eight digits. */
  id(id: string): string;
  /** What is waited for; `undefined`: nothing any more. */
  waiting(what: string | undefined): void;
  /** An error's line. */
  error(sentence: string): void;
}

const CODES: { readonly [look in Look]: readonly [on: number, off: number] } = {
  red: [31, 39],
  dim: [2, 22],
  bold: [1, 22],
};

/** Text with a look, where the stream shows colours. */
export function styled(sink: TextSink, look: Look, text: string): string {
  const [on, off] = CODES[look];
  return sink.colour ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

/** The output of a command over two streams. */
export function createOutput(stdout: TextSink, stderr: TextSink, progress: Progress): Output {
  const out = (text: string): void => {
    progress.clear();
    stdout.write(`${text}\n`);
  };
  const err = (text: string): void => {
    progress.clear();
    stderr.write(`${text}\n`);
  };
  return {
    stdout,
    stderr,
    line: (text) => out(escapeLine(text)),
    json: (value) => out(stringifyJson(value, 2)),
    jsonLine: (value) => out(stringifyJson(value)),
    note: (text) => err(escapeLine(text)),
    hint(lines) {
      if (!stderr.isTty) return;
      for (const line of lines) err(styled(stderr, "dim", escapeLine(line)));
    },
    id: (id) => stdout.isTty ? shortId(id) : id,
    waiting: (what) => progress.waiting(what),
    error: (sentence) => err(`${styled(stderr, "red", "error:")} ${escapeLine(sentence)}`),
  };
}
