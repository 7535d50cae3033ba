/**
 * What a conversation shows at a terminal: lines that stay, and the rows at the bottom. Pure: events
 * and answers go in, text comes out. What comes from outside is escaped by `createPrinter` and
 * `createMarkdown`, and never decides about a look.
 */
import type { ConversationEvent, PrintedLine, Printer } from "#internal/agent/mod.ts";
import { briefCallText, createPrinter } from "#internal/agent/mod.ts";
import { escapeControls, escapeLine, stringifyJson } from "#internal/core/mod.ts";
import { withoutTabs, wrapWords } from "./cells.ts";
import { createMarkdown } from "./markdown.ts";
import type { MarkdownLook, MarkdownStream, ShownLine } from "./markdown.ts";

/** How the parts of a conversation look; without colour each gives its text back. */
export interface ChatLook extends MarkdownLook {
  red(text: string): string;
  green(text: string): string;
}

/** The call that a person is asked about, as it is shown. */
export type AskedCall = Extract<ConversationEvent, { type: "waiting" }>;

/** What happens to a call. */
type ToolEvent = Extract<ConversationEvent, { type: "tool" }>;

/** A text that goes above the bottom. */
interface Above {
  readonly text: string;
  /** As it is, as prose, or as what the runtime says or a call gave, where wide gaps are columns. */
  readonly as: "exact" | "prose" | "note";
}

/** How each kind of printed line goes above the bottom. */
const AS: Readonly<Record<PrintedLine["role"], Above["as"]>> = {
  session: "exact",
  call: "prose",
  result: "note",
  failure: "note",
  diff: "exact",
  words: "exact",
  notice: "prose",
  error: "exact",
};

/** What stands before the agent's words. */
const SAID_PREFIX = "agent: ";
/** Lines of a result from which on it is shortened; as in `createPrinter`. */
const LONG_LINES = 12;
/** So many shortened results are kept to be shown whole. */
const MOST_LONG = 20;
/** How many lines of what a person said are shown when it is that long. */
const SHOWN_LINES = 6;
/** How the rest of a shortened result is seen. */
const SHOWS_REST = " (Ctrl-O shows them)";

/** A conversation as it is shown. */
export class ChatView {
  readonly #look: ChatLook;
  readonly #printer: Printer = createPrinter({ briefCalls: true });
  readonly #said: MarkdownStream;
  /** Calls under way, by id. */
  readonly #running = new Map<string, string>();
  #above: Above[] = [];
  /** Whether the words that come belong to a paragraph that has begun on the screen. */
  #begun = false;
  /** Results that were shortened, the newest last, and how many of them were shown whole again. */
  readonly #longResults: string[] = [];
  #shownBack = 0;
  #asked: AskedCall | undefined;
  /** The tool of the question that was just answered here. */
  #answered: string | undefined;
  /** The call whose line is the last of calls' and results'. */
  #lastCalled: string | undefined;

  constructor(look: ChatLook) {
    this.#look = look;
    this.#said = createMarkdown(look);
  }

  /** The call that waits for the person, if one does. */
  get asked(): AskedCall | undefined {
    return this.#asked;
  }

  /** The tools that run; empty when none does. */
  get running(): readonly string[] {
    return [...this.#running.values()];
  }

  /** The line that the agent is writing; empty between lines. */
  get open(): string {
    const { open } = this.#said;
    return open === "" ? "" : (this.#begun ? "" : SAID_PREFIX) + open;
  }

  /** The line that the agent is writing, as rows of so many cells. */
  openRows(width: number): string[] {
    return this.open === "" ? [] : wrapWords(this.open, width);
  }

  /** Takes the lines that came since the last time, wrapped to so many cells; they stay on the screen. */
  takeLines(width: number): string[] {
    const above = this.#above;
    this.#above = [];
    return above.flatMap(({ text, as }) => {
      const lines = text.split("\n");
      return as === "exact"
        ? lines
        : lines.flatMap((line) => wrapWords(withoutTabs(line), width, as === "note"));
    });
  }

  /** Shows what the person said; of a long text, its beginning. */
  personSaid(text: string): void {
    this.#endWords();
    const lines = escapeControls(text).split("\n");
    const isLong = lines.length > LONG_LINES;
    const shown = isLong ? lines.slice(0, SHOWN_LINES) : lines;
    this.#put("prose", this.#look.bold("you: ") + shown.join("\n"));
    if (isLong) this.#put("exact", this.#look.dim(`… ${lines.length - SHOWN_LINES} more lines`));
  }

  /** Shows where the conversation was left: the last words of both. */
  lastSaid({ text, answer }: { readonly text: string; readonly answer: string }): void {
    this.personSaid(text);
    this.hear({ type: "delta", text: answer });
    this.#endWords();
  }

  /** Shows what the runtime says of itself: an answer to a command, what was kept. */
  note(text: string): void {
    this.#endWords();
    this.#put("note", this.#look.dim(escapeControls(text)));
  }

  /** Shows an error's line. */
  error(sentence: string): void {
    this.#endWords();
    this.#put("prose", `${this.#look.red("error:")} ${escapeLine(sentence)}`);
  }

  /** Shows the last result that was shortened whole, and each time the one before; or that there is none. */
  showLongResult(): void {
    this.#endWords();
    const found = this.#longResults.at(-1 - this.#shownBack);
    const none = this.#shownBack === 0
      ? "no result was shortened"
      : "no other result was shortened";
    this.#shownBack = found === undefined ? 0 : this.#shownBack + 1;
    const text = found ?? none;
    this.#put("exact", this.#look.dim(escapeControls(text)));
  }

  /** Shows every argument of the call that waits. */
  showWholeCall(): void {
    if (this.#asked === undefined) return;
    const { tool, input } = this.#asked;
    this.#put(
      "exact",
      this.#look.dim(`${escapeLine(tool)} ${escapeControls(stringifyJson(input, 2))}`),
    );
  }

  /** The question was answered, or is void. */
  answered(): void {
    this.#answered = this.#asked?.tool;
    this.#asked = undefined;
  }

  /** Hears what comes out of the conversation. */
  hear(event: ConversationEvent): void {
    if (event.type === "delta") {
      for (const line of this.#said.push(event.text)) this.#wordsLine(line);
      return;
    }
    this.#endWords();
    if (event.type === "tool") this.#follow(event);
    if (event.type === "done" || event.type === "error") this.#running.clear();
    if (event.type === "error") {
      // Whoever stopped it is told so by who was asked to.
      if (event.code !== "cancelled") this.error(`${event.message}; what you say next goes on`);
    } else if (event.type === "change") this.#putDiff(event.diff);
    else if (event.type === "waiting") this.#ask(event);
    else if (event.type !== "session" && event.type !== "done") this.#print(event);
  }

  #put(as: Above["as"], text: string): void {
    this.#above.push({ text, as });
  }

  #putDiff(diff: string): void {
    for (const line of diffLines(diff, this.#look)) this.#put("exact", line);
  }

  #wordsLine({ text, wraps }: ShownLine): void {
    if (!this.#begun && text === "") return;
    this.#put(wraps ? "prose" : "exact", this.#prefix() + text);
    this.#begun = true;
  }

  #endWords(): void {
    for (const line of this.#said.end()) this.#wordsLine(line);
    this.#begun = false;
  }

  #prefix(): string {
    return this.#begun ? "" : this.#look.bold(SAID_PREFIX);
  }

  #follow({ call, tool, state, text = "" }: ToolEvent): void {
    if (state === "calling" || state === "running") this.#running.set(call, tool);
    else this.#running.delete(call);
    if (state === "waiting") return;
    if (text.split("\n").length <= LONG_LINES) return;
    this.#longResults.push(text);
    if (this.#longResults.length > MOST_LONG) this.#longResults.shift();
    this.#shownBack = 0;
  }

  #print(event: ConversationEvent): void {
    for (const { role, text } of this.#printer.push(event)) {
      // The question itself is shown whole; that it waits needs no line of its own.
      if (event.type === "tool" && event.state === "waiting") continue;
      const isCut = event.type === "tool" && event.text !== undefined &&
        event.text === this.#longResults.at(-1);
      const shown = event.type === "tool" ? this.#ofCall(event, text) : text;
      this.#put(AS[role], this.#looked(role, isCut ? shown + SHOWS_REST : shown));
    }
  }

  /** A line of a call: named where what it is about does not stand right above it. */
  #ofCall({ call, tool, input, state, by }: ToolEvent, text: string): string {
    if (state === "calling") {
      this.#lastCalled = call;
      const isShown = by !== undefined && this.#answered === tool;
      this.#answered = undefined;
      return isShown ? ` → ${escapeLine(tool)} (approved by ${escapeLine(by)})` : text;
    }
    const isRightAbove = this.#lastCalled === call;
    this.#lastCalled = undefined;
    return isRightAbove
      ? text
      : text.replace(/^ [←✗] /, (mark) => `${mark}${briefCallText(tool, input)}\n`);
  }

  #looked(role: PrintedLine["role"], text: string): string {
    switch (role) {
      case "call":
      case "result":
      case "notice":
        return this.#look.dim(text);
      case "failure":
      case "error":
        return this.#look.red(text);
      default:
        return text;
    }
  }

  #ask(event: AskedCall): void {
    this.#asked = event;
    const { tool, input, why, request, says, diff } = event;
    if (diff !== undefined) this.#putDiff(diff);
    this.#put(
      "prose",
      `${this.#look.bold("waiting for you:")} ${escapeLine(tool)} (${escapeLine(why)}; ` +
        `request ${request})`,
    );
    for (const line of (says ?? `${tool} ${stringifyJson(input)}`).split("\n")) {
      this.#put("prose", `  ${escapeLine(line)}`);
    }
  }
}

/** A unified diff with what goes and what comes told apart by sign and colour. */
function diffLines(diff: string, look: ChatLook): string[] {
  return escapeControls(diff.replace(/\n$/, "")).split("\n").map((line) => {
    if (/^(\+\+\+|---) /.test(line)) return `  ${look.bold(line)}`;
    if (line.startsWith("+")) return `  ${look.green(line)}`;
    if (line.startsWith("-")) return `  ${look.red(line)}`;
    return `  ${line.startsWith("@@") ? look.dim(line) : line}`;
  });
}
