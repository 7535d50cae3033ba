/**
 * A conversation as lines of text: what `sion agent run` prints and what channels give as `lines`.
 * A pure fold over the conversation's events; whoever prints decides about colour.
 */
import { escapeControls, escapeLine, shortId, stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ConversationEvent } from "./conversation.ts";

/** What a line is, so that a terminal can colour it. */
export type LineRole =
  | "session"
  | "call"
  | "result"
  | "failure"
  | "diff"
  | "words"
  | "notice"
  | "error";

/** One entry of the transcript; `text` may hold newlines. `error` lines go to stderr. */
export interface PrintedLine {
  readonly role: LineRole;
  readonly text: string;
}

/** A result with more lines than this is shortened in print. */
const WHOLE_LINES = 12;
/** How many lines of a shortened result are shown. */
const SHOWN_LINES = 6;
/** A line or a text of an input longer than this is shortened in print, characters. */
const SHOWN_LENGTH = 1_000;
/** Longest argument, as JSON, that a brief call shows, and characters of one whose arguments are all longer. */
const BRIEF_LENGTH = 100;
const CUT_LENGTH = 200;
/** What begins our own lines: a text from outside that begins so is marked. */
const LOOKS_LIKE_OURS = /^\s*(→|←|✗|agent:|error:|session [0-9a-f]{16}\b)/;

/** Turns events into lines as they come. */
export interface Printer {
  /** The lines that an event completes. */
  push(event: ConversationEvent): readonly PrintedLine[];
}

/** How much is printed. */
export interface PrinterOptions {
  /** Whether long arguments are left out of calls: what they change is shown besides. */
  readonly briefCalls?: boolean;
}

/** A printer at the beginning of a conversation. It holds the words until their paragraph ends. */
export function createPrinter({ briefCalls = false }: PrinterOptions = {}): Printer {
  const called = briefCalls ? briefCallText : shortCallText;
  let words = "";
  return {
    push(event) {
      if (event.type === "delta") {
        words += event.text;
        return [];
      }
      const before: PrintedLine[] = words === ""
        ? []
        : [{ role: "words", text: `agent: ${quoted(words, Infinity)}` }];
      words = "";
      return [...before, ...linesOfEvent(event, called)];
    },
  };
}

/** The lines of a whole conversation. */
export function linesOf(events: Iterable<ConversationEvent>): PrintedLine[] {
  const printer = createPrinter();
  return [...events].flatMap((event) => printer.push(event));
}

/** An event as one compact JSON object, as `--json` prints it: `event` is its type. */
export function jsonLineOf(event: ConversationEvent): string {
  if (event.type === "error") {
    const { code, message, session } = event;
    return escapeLine(stringifyJson({ event: "error", code, error: message, session }));
  }
  const { type, ...rest } = event;
  return escapeLine(stringifyJson({ event: type, ...rest }));
}

function linesOfEvent(
  event: Exclude<ConversationEvent, { type: "delta" }>,
  called: typeof shortCallText,
): PrintedLine[] {
  switch (event.type) {
    case "session":
      return [{
        role: "session",
        text: `session ${event.session} for agent ${shortId(event.agent)}`,
      }];
    case "notice":
      return [{ role: "notice", text: escapeLine(event.text) }];
    case "change":
      return linesOfDiff(event.diff);
    case "tool":
      return linesOfCall(event, called);
    case "waiting":
      return [...linesOfDiff(event.diff), {
        role: "session",
        text: `session ${event.session}: waiting for you: ${waitingText(event)}. ` +
          `Answer with \`sion agent continue ${event.session} --approve\` ` +
          "or `--decline <why>`.",
      }];
    case "done":
      return [{ role: "session", text: `session ${event.session}: done` }];
    case "error":
      return [{
        role: "error",
        text: `error: session ${event.session} stopped: ${whyStopped(event)}` +
          `go on with \`sion agent continue ${event.session}\``,
      }];
  }
}

/** Why a run stopped; whoever stopped it knows. */
function whyStopped({ code, message }: Extract<ConversationEvent, { type: "error" }>): string {
  return code === "cancelled" ? "" : `${escapeLine(message)}: `;
}

/** The change that a call would make, whole: it is what the person decides about. */
function linesOfDiff(diff: string | undefined): PrintedLine[] {
  return diff === undefined
    ? []
    : [{ role: "diff", text: escapeControls(diff.replace(/\n$/, "")) }];
}

/** What waits and why: the call whole, never cut, its cause, the request's id. */
export function waitingText(
  { tool, input, why, request }: {
    readonly tool: string;
    readonly input: JsonValue;
    readonly why: string;
    readonly request: string;
  },
): string {
  return `${callText(tool, input)} (${escapeLine(why)}; request ${request})`;
}

function linesOfCall(
  event: Extract<ConversationEvent, { type: "tool" }>,
  called: typeof shortCallText,
): PrintedLine[] {
  const { tool, input, state, text = "", by } = event;
  switch (state) {
    case "calling": {
      const approved = by === undefined ? "" : ` (approved by ${escapeLine(by)})`;
      return [{ role: "call", text: ` → ${called(tool, input)}${approved}` }];
    }
    case "running":
      return [];
    case "waiting":
      return [{ role: "result", text: " ← waiting for a person's approval" }];
    case "ok":
      return [{ role: "result", text: ` ← ${quoted(text, WHOLE_LINES)}` }];
    case "failed":
      return [{ role: "failure", text: ` ✗ ${quoted(text, WHOLE_LINES)}` }];
  }
}

/** A call on one line, its long texts shortened. */
export function shortCallText(tool: string, input: JsonValue): string {
  return callText(tool, shortened(input));
}

/** A call with its short arguments; `…` stands for the others, and a lone long one is cut. */
export function briefCallText(tool: string, input: JsonValue): string {
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    return shortCallText(tool, input);
  }
  const members = Object.entries(input).filter(([, value]) => value !== undefined);
  const short = members.filter(([, value]) => stringifyJson(value ?? null).length <= BRIEF_LENGTH);
  if (short.length === members.length) return callText(tool, input);
  if (short.length === 0) {
    const text = shortCallText(tool, input);
    return text.length <= CUT_LENGTH ? text : `${text.slice(0, CUT_LENGTH).toWellFormed()}…`;
  }
  return callText(tool, Object.fromEntries(short)).replace(/\}$/, ",…}");
}

function callText(tool: string, input: JsonValue): string {
  return escapeLine(`${tool} ${stringifyJson(input)}`);
}

/** A text from outside: escaped, too long a one shortened, no line of it taken for one of ours. */
function quoted(text: string, wholeLines: number): string {
  const lines = escapeControls(text.replace(/\n$/, "")).split("\n");
  const shown = lines.length > wholeLines ? lines.slice(0, SHOWN_LINES) : lines;
  const out = shown.map((line, index) => {
    const cut = wholeLines === Infinity ? line : shortenedLine(line);
    return index > 0 && LOOKS_LIKE_OURS.test(cut) ? `| ${cut}` : cut;
  });
  if (shown.length < lines.length) out.push(`… ${lines.length - shown.length} more lines`);
  return out.join("\n");
}

function shortenedLine(line: string): string {
  if (line.length <= SHOWN_LENGTH) return line;
  const more = line.length - SHOWN_LENGTH;
  return `${line.slice(0, SHOWN_LENGTH).toWellFormed()}… (${more} more characters)`;
}

/** An input with its long texts shortened. */
function shortened(value: JsonValue): JsonValue {
  if (typeof value === "string") return shortenedLine(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => shortened(member));
  const out: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) out[key] = shortened(member);
  }
  return out;
}
