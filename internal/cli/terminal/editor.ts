/**
 * The input line of a conversation: several lines of text, a cursor, and what was said before to go
 * back to. It knows keys and text, nothing of a terminal.
 */
import { graphemes } from "./cells.ts";
import type { Key } from "./keys.ts";

/** What a key did. */
export type EditorOutcome =
  /** The text or the cursor may have moved. */
  | { readonly kind: "edited" }
  /** The text was finished; the editor is empty again. */
  | { readonly kind: "entered"; readonly text: string }
  /** The key means nothing here. */
  | { readonly kind: "unused" };

const EDITED: EditorOutcome = { kind: "edited" };
const UNUSED: EditorOutcome = { kind: "unused" };
/** What was said before that can be gone back to, newest last. */
const MOST_HISTORY = 200;
/** Characters of one message. */
const MAX_TEXT = 1_000_000;

/** One text under the hands of a person. */
export class Editor {
  #before = "";
  #after = "";
  /** Cut by the last `ctrl-u`, `ctrl-k` or `ctrl-w`, to be put in again. */
  #cut = "";
  readonly #history: string[];
  /** Place in the history; its length is the text that is being written. */
  #place: number;
  #draft = "";

  readonly #commands: readonly string[];

  /**
   * @param history what was said before, oldest first
   * @param commands words with their slash that Tab completes at the beginning
   */
  constructor(history: readonly string[] = [], commands: readonly string[] = []) {
    this.#commands = commands;
    this.#history = history.slice(-MOST_HISTORY);
    this.#place = this.#history.length;
  }

  get text(): string {
    return this.#before + this.#after;
  }

  /** Where the cursor is, in characters of `text`. */
  get cursor(): number {
    return this.#before.length;
  }

  /** Replaces the whole text, the cursor at its end. */
  set(text: string): void {
    this.#before = text.slice(0, MAX_TEXT);
    this.#after = "";
  }

  /** Takes a key. */
  press(key: Key): EditorOutcome {
    if (key.kind !== "key") return this.#insert(key.text);
    switch (key.name) {
      case "enter":
        return this.#enter();
      case "newline":
        return this.#insert("\n");
      case "backspace":
        this.#before = key.alt ? withoutLastWord(this.#before) : withoutLast(this.#before);
        return EDITED;
      case "delete":
      case "ctrl-d":
        this.#after = withoutFirst(this.#after);
        return EDITED;
      case "tab":
        return this.#complete();
      case "up":
      case "down":
        return this.#vertical(key.name);
      default:
        return this.#move(key.name) ?? this.#cutOrPut(key.name) ?? UNUSED;
    }
  }

  #insert(text: string): EditorOutcome {
    this.#before += text.slice(0, Math.max(0, MAX_TEXT - this.text.length));
    return EDITED;
  }

  /** A command's beginning becomes the command, or as much of it as all that begin so share. */
  #complete(): EditorOutcome {
    const begun = this.#before;
    const fit = this.#after === "" && begun.startsWith("/")
      ? this.#commands.filter((word) => word.startsWith(begun))
      : [];
    const [first = ""] = fit;
    if (fit.length === 0) return UNUSED;
    let length = begun.length;
    while (length < first.length && fit.every((word) => word[length] === first[length])) length++;
    this.#before = fit.length === 1 ? `${first} ` : first.slice(0, length);
    return EDITED;
  }

  #enter(): EditorOutcome {
    // A backslash at the end of a line goes on to the next one, as in a shell.
    if (this.#after === "" && this.#before.endsWith("\\")) {
      this.#before = `${this.#before.slice(0, -1)}\n`;
      return EDITED;
    }
    const { text } = this;
    this.set("");
    if (text.trim() !== "" && this.#history.at(-1) !== text) this.#history.push(text);
    if (this.#history.length > MOST_HISTORY) this.#history.shift();
    this.#place = this.#history.length;
    this.#draft = "";
    return { kind: "entered", text };
  }

  /** Up and down go between lines, and from the first or last one through the history. */
  #vertical(way: "up" | "down"): EditorOutcome {
    const column = this.#before.length - (this.#before.lastIndexOf("\n") + 1);
    if (way === "up" && this.#before.includes("\n")) {
      const lineStart = this.#before.lastIndexOf("\n");
      const upStart = this.#before.lastIndexOf("\n", lineStart - 1) + 1;
      return this.#goTo(Math.min(upStart + column, lineStart));
    }
    if (way === "down" && this.#after.includes("\n")) {
      const next = this.#before.length + this.#after.indexOf("\n") + 1;
      const end = this.text.indexOf("\n", next);
      return this.#goTo(Math.min(next + column, end === -1 ? this.text.length : end));
    }
    return this.#recall(way === "up" ? -1 : 1);
  }

  #recall(step: number): EditorOutcome {
    const place = this.#place + step;
    if (place < 0 || place > this.#history.length) return UNUSED;
    if (this.#place === this.#history.length) this.#draft = this.text;
    this.#place = place;
    this.set(this.#history[place] ?? this.#draft);
    return EDITED;
  }

  #goTo(index: number): EditorOutcome {
    const { text } = this;
    this.#before = text.slice(0, index);
    this.#after = text.slice(index);
    return EDITED;
  }

  #move(name: string): EditorOutcome | undefined {
    const { text, cursor } = this;
    switch (name) {
      case "left":
      case "ctrl-b":
        return this.#goTo(withoutLast(this.#before).length);
      case "right":
      case "ctrl-f":
        return this.#goTo(text.length - withoutFirst(this.#after).length);
      case "home":
      case "ctrl-a":
        return this.#goTo(this.#before.lastIndexOf("\n") + 1);
      case "end":
      case "ctrl-e": {
        const end = text.indexOf("\n", cursor);
        return this.#goTo(end === -1 ? text.length : end);
      }
      case "word-left":
        return this.#goTo(withoutLastWord(this.#before).length);
      case "word-right":
        return this.#goTo(cursor + (/^\s*\S*/.exec(this.#after)?.[0].length ?? 0));
      default:
        return undefined;
    }
  }

  #cutOrPut(name: string): EditorOutcome | undefined {
    switch (name) {
      case "ctrl-u": {
        const start = this.#before.lastIndexOf("\n") + 1;
        this.#cut = this.#before.slice(start);
        this.#before = this.#before.slice(0, start);
        return EDITED;
      }
      case "ctrl-k": {
        const end = this.#after.indexOf("\n");
        const length = end === -1 ? this.#after.length : Math.max(end, 1);
        this.#cut = this.#after.slice(0, length);
        this.#after = this.#after.slice(length);
        return EDITED;
      }
      case "ctrl-w": {
        const rest = withoutLastWord(this.#before);
        this.#cut = this.#before.slice(rest.length);
        this.#before = rest;
        return EDITED;
      }
      case "ctrl-y":
        return this.#insert(this.#cut);
      default:
        return undefined;
    }
  }
}

function withoutLast(text: string): string {
  // A line is segmented, not the whole of a long text.
  const start = text.lastIndexOf("\n", text.length - 2) + 1;
  const last = graphemes(text.slice(start)).at(-1) ?? "";
  return text.slice(0, text.length - last.length);
}

function withoutFirst(text: string): string {
  const end = text.indexOf("\n", 1);
  const [first = ""] = graphemes(end === -1 ? text : text.slice(0, end));
  return text.slice(first.length);
}

function withoutLastWord(text: string): string {
  return text.replace(/\S*\s*$/, "");
}
