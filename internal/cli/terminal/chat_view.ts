/**
 * What a conversation shows at a terminal: lines that stay, and the rows at the bottom. Pure: events
 * and answers go in, text comes out. What comes from outside is escaped by `createPrinter` and
 * `createMarkdown`, and never decides about a look.
 */
import type { ConversationEvent, PrintedLine, Printer } from "#internal/agent/mod.ts";
import { createPrinter } from "#internal/agent/mod.ts";
import { escapeControls, escapeLine, stringifyJson } from "#internal/core/mod.ts";
import { createMarkdown } from "./markdown.ts";
import type { MarkdownLook, MarkdownStream } from "./markdown.ts";

/** How the parts of a conversation look; without colour each gives its text back. */
export interface ChatLook extends MarkdownLook {
  red(text: string): string;
  green(text: string): string;
}

/** The call that a person is asked about, as it is shown. */
export type AskedCall = Extract<ConversationEvent, { type: "waiting" }>;

/** What stands before the agent's words. */
const SAID_PREFIX = "agent: ";
/** Lines of a result from which on it is shortened; as in `createPrinter`. */
const LONG_LINES = 12;

/** A conversation as it is shown. */
export class ChatView {
  readonly #look: ChatLook;
  readonly #printer: Printer = createPrinter();
  readonly #said: MarkdownStream;
  /** Calls under way, by id. */
  readonly #running = new Map<string, string>();
  #above: string[] = [];
  /** Whether the words that come belong to a paragraph that has begun on the screen. */
  #begun = false;
  #longResult: string | undefined;
  #asked: AskedCall | undefined;

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

  /** Takes the lines that came since the last time; they stay on the screen. */
  takeLines(): string[] {
    const lines = this.#above;
    this.#above = [];
    return lines;
  }

  /** Shows what the person said. */
  personSaid(text: string): void {
    this.#endWords();
    this.#above.push(this.#look.bold("you: ") + escapeControls(text));
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
    this.#above.push(this.#look.dim(escapeControls(text)));
  }

  /** Shows an error's line. */
  error(sentence: string): void {
    this.#endWords();
    this.#above.push(`${this.#look.red("error:")} ${escapeLine(sentence)}`);
  }

  /** Shows the last result that was shortened whole; says so when there is none. */
  showLongResult(): void {
    this.note(this.#longResult ?? "no result was shortened");
    this.#longResult = undefined;
  }

  /** Shows every argument of the call that waits. */
  showWholeCall(): void {
    if (this.#asked === undefined) return;
    const { tool, input } = this.#asked;
    this.note(`${tool} ${stringifyJson(input, 2)}`);
  }

  /** The question was answered, or is void. */
  answered(): void {
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
    } else if (event.type === "change") this.#above.push(...diffLines(event.diff, this.#look));
    else if (event.type === "waiting") this.#ask(event);
    else if (event.type !== "session" && event.type !== "done") this.#print(event);
  }

  #wordsLine(line: string): void {
    if (!this.#begun && line === "") return;
    this.#above.push(this.#prefix() + line);
    this.#begun = true;
  }

  #endWords(): void {
    for (const line of this.#said.end()) this.#wordsLine(line);
    this.#begun = false;
  }

  #prefix(): string {
    return this.#begun ? "" : this.#look.bold(SAID_PREFIX);
  }

  #follow({ call, tool, state, text = "" }: Extract<ConversationEvent, { type: "tool" }>): void {
    if (state === "calling" || state === "running") this.#running.set(call, tool);
    else this.#running.delete(call);
    if (state === "waiting") return;
    if (text.split("\n").length > LONG_LINES) this.#longResult = text;
  }

  #print(event: ConversationEvent): void {
    for (const { role, text } of this.#printer.push(event)) {
      // The question itself is shown whole; that it waits needs no line of its own.
      if (event.type === "tool" && event.state === "waiting") continue;
      this.#above.push(this.#looked(role, text));
    }
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
    if (diff !== undefined) this.#above.push(...diffLines(diff, this.#look));
    this.#above.push(
      `${this.#look.bold("waiting for you:")} ${escapeLine(tool)} (${escapeLine(why)}; ` +
        `request ${request})`,
      `  ${escapeLine(says ?? `${tool} ${stringifyJson(input)}`)}`,
    );
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
