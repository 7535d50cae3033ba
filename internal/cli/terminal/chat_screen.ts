/**
 * A conversation at a terminal: keys come in, the bottom is drawn, and whoever runs the conversation
 * is told what the person wants. It holds what is on the screen and nothing of the conversation.
 */
import { escapeLine } from "#internal/core/mod.ts";
import type { FoundFile } from "../sent_file.ts";
import type { TextSink } from "../text_sink.ts";
import { wrap, wrapParts } from "./cells.ts";
import type { AskedCall, ChatView } from "./chat_view.ts";
import { Editor } from "./editor.ts";
import type { Key } from "./keys.ts";
import { createKeyReader } from "./keys.ts";
import type { LiveRows } from "./live_area.ts";
import { LiveArea } from "./live_area.ts";
import { fileLine } from "./own_lines.ts";

/** What a person does at the screen. */
export interface ChatPerson {
  /** Words, or a command; what was pasted is in it whole. @param files paths of what is sent along */
  said(text: string, files: readonly string[]): void;
  /** Their answer to the call that waits, under the request they were shown. */
  decided(answer: Answer): void;
  /** Ctrl-C: stop what goes on, or leave when nothing does. */
  interrupted(): void;
  /** Ctrl-D on an empty line: leave. */
  left(): void;
}

/** An answer to a question. */
export type Answer =
  /** @property always the rule that holds for the rest of the session */
  | { readonly request: string; readonly approve: true; readonly always?: string }
  | { readonly request: string; readonly approve: false; readonly why: string };

/** What the screen stands on. */
export interface ScreenMachine {
  readonly sink: TextSink;
  /** Rows of the terminal. */
  readonly rows: () => number;
  readonly nowMs: () => number;
  /** Calls back once; the answer undoes it. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** What was said before, oldest first. */
  readonly history: readonly string[];
  /** Commands of conversations with their slash, which Tab completes. */
  readonly commands: readonly string[];
  /** The files that a pasted text names and nothing else, or why one of them cannot be sent. */
  readonly filesIn: (
    pasted: string,
  ) => readonly FoundFile[] | { readonly problem: string } | undefined;
}

/** How long a lone Escape is waited on, ms: it may begin a sequence. */
const ESCAPE_MS = 50;
/** Keys are not an answer so soon after the question showed: they were meant for something else. */
const GRACE_MS = 400;
/** A paste of more lines, or characters, than this shows as how many they are, until it is sent. */
const SHOWN_PASTE_LINES = 8;
const SHOWN_PASTE_CHARACTERS = 2_000;
const PROMPT = "> ";

/** Everything at the bottom of the terminal. */
export class ChatScreen {
  readonly #view: ChatView;
  readonly #person: ChatPerson;
  readonly #machine: ScreenMachine;
  readonly #keys = createKeyReader();
  readonly #area: LiveArea;
  readonly #editor: Editor;
  /** Long pastes by the words that stand for them, also in what was said before. */
  readonly #pastes = new Map<string, string>();
  /** Paths of files by the words that stand for them: those in what is sent are sent along. */
  readonly #files = new Map<string, string>();
  #status: readonly string[] = [];
  /** Set while a reason for declining is written: the request that is declined. */
  #declining: string | undefined;
  /** What was being written when the question came. */
  #draft = "";
  #askedRequest: string | undefined;
  #askedMs = 0;
  #undoFlush = (): void => {};
  /** Set once the terminal is somebody else's again: nothing is drawn on it any more. */
  #closed = false;

  constructor(view: ChatView, person: ChatPerson, machine: ScreenMachine) {
    this.#view = view;
    this.#person = person;
    this.#machine = machine;
    this.#area = new LiveArea(machine.sink);
    this.#editor = new Editor(machine.history, machine.commands);
  }

  /** What stands below the input: parts, on as many rows as they take. */
  setStatus(...parts: readonly string[]): void {
    this.#status = parts;
    this.draw();
  }

  /** Whether there is anything in the input. */
  get isEmpty(): boolean {
    return this.#editor.text === "";
  }

  /** Empties the input. */
  discard(): void {
    this.#editor.set("");
    this.draw();
  }

  /** Puts a file into what is being written, as pasting its path does. */
  attach(path: string): void {
    const isBare = !/^([/~]|\.{1,2}\/|file:)/.test(path);
    const label = path === "" ? undefined : this.#attached(isBare ? `./${path}` : path);
    if (label === undefined) {
      this.#view.error(
        path === "" ? "/file needs a path: for example /file cart.png" : `there is no file ${path}`,
      );
    } else this.#editor.press({ kind: "text", text: label });
  }

  /** Takes what the terminal sent. */
  input(text: string): void {
    this.#undoFlush();
    for (const key of this.#keys.push(text)) this.#press(key);
    if (this.#keys.pending) {
      this.#undoFlush = this.#machine.after(ESCAPE_MS, () => {
        for (const key of this.#keys.flush()) this.#press(key);
        this.draw();
      });
    }
    this.draw();
  }

  /** Shows what came since the last time and draws the bottom. */
  draw(): void {
    if (this.#closed) return;
    this.#follow();
    this.#area.draw(this.#rows(), this.#view.takeLines(this.#width()));
  }

  /** Draws anew for a terminal of another size. */
  resized(): void {
    this.#area.forget(this.#width());
    this.draw();
  }

  /** Leaves the terminal as a program's output leaves it. */
  close(): void {
    this.#closed = true;
    this.#undoFlush();
    this.#area.clear();
    const lines = this.#view.takeLines(this.#width());
    for (const line of lines) this.#machine.sink.write(`${line}\r\n`);
  }

  /** Notices that a question came, changed, or went. */
  #follow(): void {
    const request = this.#view.asked?.request;
    if (request === this.#askedRequest) return;
    if (this.#askedRequest === undefined) this.#draft = this.#editor.text;
    this.#editor.set(request === undefined ? this.#draft : "");
    this.#declining = undefined;
    this.#askedRequest = request;
    this.#askedMs = this.#machine.nowMs();
  }

  #press(key: Key): void {
    this.#follow();
    if (key.kind === "key" && key.name === "ctrl-c") {
      this.#person.interrupted();
      return;
    }
    const { asked } = this.#view;
    if (asked !== undefined && this.#declining === undefined) this.#answer(key, asked);
    else if (this.#declining !== undefined) this.#writeReason(key, this.#declining);
    else this.#write(key);
  }

  #write(key: Key): void {
    if (key.kind === "key") {
      if (key.name === "ctrl-d" && this.isEmpty) return this.#person.left();
      if (key.name === "ctrl-o") return this.#view.showLongResult();
    }
    if (key.kind === "paste") {
      const text = this.#attached(key.text) ?? this.#shownPaste(key.text);
      this.#editor.press({ kind: "text", text });
      return;
    }
    const outcome = this.#editor.press(key);
    if (outcome.kind !== "entered" || outcome.text.trim() === "") return;
    const { text } = outcome;
    const path = fileLine(text);
    if (path !== undefined) return this.attach(path);
    const files = [...this.#files].filter(([label]) => text.includes(label));
    this.#person.said(this.#wholePastes(text), files.map(([, path]) => path));
  }

  /** A question takes one key, and no key by accident: Enter and Escape do nothing. */
  #answer(key: Key, { request, rule }: AskedCall): void {
    if (this.#machine.nowMs() - this.#askedMs < GRACE_MS) return;
    if (key.kind !== "text") return;
    switch (key.text) {
      case "y":
        this.#person.decided({ request, approve: true });
        return;
      case "s":
        if (rule === undefined) return;
        this.#person.decided({ request, approve: true, always: rule });
        return;
      case "n":
        this.#declining = request;
        return;
      case "v":
        this.#view.showWholeCall();
        return;
      case "?":
        this.#view.note(
          "y makes this call, once. n does not make it, and asks you why: the agent is told. " +
            (rule === undefined
              ? ""
              : "s makes it, and until the session ends those that the rule names, without asking. ") +
            "v shows every argument. Ctrl-C leaves the call waiting and stops here.",
        );
    }
  }

  #writeReason(key: Key, request: string): void {
    if (key.kind === "key" && key.name === "escape") {
      this.#declining = undefined;
      this.#editor.set("");
      return;
    }
    const outcome = this.#editor.press(key.kind === "paste" ? { ...key, kind: "text" } : key);
    if (outcome.kind !== "entered") return;
    this.#person.decided({ request, approve: false, why: outcome.text.trim() });
  }

  /** The words that stand for pasted files, or nothing when it was something else. */
  #attached(text: string): string | undefined {
    const found = this.#machine.filesIn(text);
    if (found === undefined) return undefined;
    if ("problem" in found) {
      this.#view.note(found.problem);
      return "";
    }
    return found.map(({ path, label }) => {
      let unique = label;
      for (let number = 2; (this.#files.get(unique) ?? path) !== path; number++) {
        unique = label.replace(/\]$/, `, ${number}]`);
      }
      this.#files.set(unique, path);
      return `${unique} `;
    }).join("");
  }

  #shownPaste(text: string): string {
    const lines = text.split("\n").length;
    if (lines <= SHOWN_PASTE_LINES && text.length <= SHOWN_PASTE_CHARACTERS) return text;
    const long = lines > SHOWN_PASTE_LINES ? `${lines} lines` : `${text.length} characters`;
    const name = `[paste ${this.#pastes.size + 1}, ${long}]`;
    this.#pastes.set(name, text);
    return name;
  }

  #wholePastes(text: string): string {
    let whole = text;
    for (const [name, pasted] of this.#pastes) whole = whole.replaceAll(name, () => pasted);
    return whole;
  }

  #rows(): LiveRows {
    const width = this.#width();
    const status = wrapParts(this.#status, width - 1, " · ");
    const most = Math.max(this.#machine.rows() - 1 - status.length, 4);
    const { asked } = this.#view;
    const before = this.#view.openRows(width).slice(-most);
    if (asked !== undefined && this.#declining === undefined) {
      const answers = wrapParts(answersTo(asked), width - 3, "   ").map((row) => `  ${row}`);
      return {
        rows: [...before, ...answers, ...status],
        // At a row's beginning: where its end goes on a narrower screen differs between terminals.
        cursor: { row: before.length, column: 0 },
      };
    }
    const prompt = this.#declining === undefined ? PROMPT : "why not: ";
    const { rows, row, column } = wrap(
      this.#editor.text,
      width,
      this.#editor.cursor,
      prompt.length,
    );
    const first = Math.max(0, Math.min(row - most + 1, rows.length - most));
    const shown = rows.slice(first, first + most).map((text, index) =>
      (first + index === 0 ? prompt : " ".repeat(prompt.length)) + text
    );
    return {
      rows: [...before, ...shown, ...status],
      cursor: { row: before.length + row - first, column },
    };
  }

  #width(): number {
    return Math.max(this.#machine.sink.columns, 20);
  }
}

/** The keys that answer a question. */
function answersTo({ rule }: AskedCall): readonly string[] {
  const standing = rule === undefined ? [] : [`s always ${escapeLine(rule)}`];
  return ["y once", "n decline and say why", ...standing, "v the whole call", "? help"];
}
