/** Choosing one of a list at a terminal: arrows or its number, or words of it to see only those that fit. */
import { escapeLine } from "#internal/core/mod.ts";
import { openRawTerminal, reasonOf } from "#internal/runtime/mod.ts";
import type { TextSink } from "../text_sink.ts";
import { cellsOf, fitted, graphemes } from "./cells.ts";
import type { Key } from "./keys.ts";
import { createKeyReader } from "./keys.ts";
import type { LiveRows } from "./live_area.ts";
import { LiveArea } from "./live_area.ts";

/** A lone Escape is one when nothing follows it for so long, ms. */
const ESCAPE_MS = 50;
/** Characters that are typed to search. */
const MOST_TYPED = 100;
/** Rows besides the list: what is asked, and what is typed. */
const OTHER_ROWS = 2;

/** One that can be chosen. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** What it is about, behind the label; words that are found in it show instead. */
  readonly title: string;
}

/** What else is found by words that are typed: ids, each with the text around the place. */
export type FindMore = (words: string) => ReadonlyMap<string, string>;

/** What a key led to: `undefined` while the person chooses. */
export type Picked = { readonly id: string | undefined } | undefined;

/** The list as it stands. Pure: keys go in, rows come out. */
export class Picker {
  readonly #question: string;
  readonly #choices: readonly Choice[];
  readonly #findMore: FindMore;
  #typed = "";
  /** What was found besides by what is typed. */
  #found: ReadonlyMap<string, string> = new Map();
  #at = 0;

  /**
   * @param choices at least one
   * @param findMore what is found besides those whose label has the words @default nothing
   */
  constructor(
    question: string,
    choices: readonly Choice[],
    findMore: FindMore = () => new Map(),
  ) {
    this.#question = question;
    this.#choices = choices;
    this.#findMore = findMore;
  }

  /** Takes a key. Enter chooses, Escape, Ctrl-C and Ctrl-D leave without. */
  key(key: Key): Picked {
    if (key.kind !== "key") {
      this.#type(this.#typed + key.text.replaceAll("\n", " "));
      return undefined;
    }
    const shown = this.#shown();
    switch (key.name) {
      case "enter":
        return shown[this.#at] === undefined ? undefined : { id: shown[this.#at]?.id };
      case "escape":
      case "ctrl-c":
      case "ctrl-d":
        return { id: undefined };
      case "up":
        this.#at = Math.max(0, this.#at - 1);
        return undefined;
      case "down":
        this.#at = Math.max(0, Math.min(shown.length - 1, this.#at + 1));
        return undefined;
      case "backspace":
        this.#type(graphemes(this.#typed).slice(0, -1).join(""));
        return undefined;
      default:
        return undefined;
    }
  }

  /** What is seen of it on a terminal of this size. */
  rows({ columns, rows }: { readonly columns: number; readonly rows: number }): LiveRows {
    const shown = this.#shown();
    const room = Math.max(1, rows - OTHER_ROWS - 1);
    const from = Math.max(0, Math.min(this.#at - Math.floor(room / 2), shown.length - room));
    const list = shown.slice(from, from + room).map((choice, index) => {
      const number = this.#choices.indexOf(choice) + 1;
      const mark = from + index === this.#at ? ">" : " ";
      const excerpt = this.#isByLabel(choice) ? undefined : this.#found.get(choice.id);
      const about = escapeLine(`${choice.label} ${excerpt ?? choice.title}`);
      return fitted(`${mark} ${number} ${about}`, columns - 1);
    });
    const typed = fitted(`search: ${escapeLine(this.#typed)}`, columns - 1);
    return {
      rows: [
        fitted(this.#question, columns - 1),
        ...(list.length === 0 ? ["  none fits"] : list),
        typed,
      ],
      cursor: { row: Math.max(1, list.length) + 1, column: Math.min(columns - 1, cellsOf(typed)) },
    };
  }

  #type(text: string): void {
    this.#typed = text.slice(0, MOST_TYPED);
    const number = this.#number();
    this.#at = number === undefined ? 0 : number - 1;
    const isWords = number === undefined && this.#typed.trim() !== "";
    this.#found = isWords ? this.#findMore(this.#typed) : new Map();
  }

  /** What is typed when it is the number of one, and so no words. */
  #number(): number | undefined {
    const number = /^[1-9]\d{0,3}$/.test(this.#typed) ? Number(this.#typed) : 0;
    return number >= 1 && number <= this.#choices.length ? number : undefined;
  }

  /** Whether all the words typed are in what is shown of one anyway. */
  #isByLabel({ label, title }: Choice): boolean {
    const text = `${label} ${title}`.toLowerCase();
    return this.#typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  #shown(): readonly Choice[] {
    if (this.#number() !== undefined) return this.#choices;
    return this.#choices.filter((one) => this.#found.has(one.id) || this.#isByLabel(one));
  }
}

/**
 * Has the person choose. @returns the one chosen, or nothing
 * @throws the signal's reason when it aborts
 */
export async function pickAtTerminal(
  question: string,
  choices: readonly Choice[],
  { stdout, signal, findMore }: {
    readonly stdout: TextSink;
    readonly signal: AbortSignal;
    readonly findMore?: FindMore;
  },
): Promise<string | undefined> {
  const picker = new Picker(question, choices, findMore);
  const area = new LiveArea(stdout);
  const reader = createKeyReader();
  const chosen = Promise.withResolvers<string | undefined>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (keys: readonly Key[]): void => {
    for (const key of keys) {
      const picked = picker.key(key);
      if (picked !== undefined) return chosen.resolve(picked.id);
    }
    area.draw(picker.rows(terminal.size()));
  };
  const stop = (): void => chosen.reject(reasonOf(signal));
  signal.addEventListener("abort", stop, { once: true });
  using terminal = openRawTerminal({
    typed(text) {
      clearTimeout(timer);
      take(reader.push(text));
      if (reader.pending) timer = setTimeout(() => take(reader.flush()), ESCAPE_MS);
    },
    resized() {
      area.forget(terminal.size().columns);
      take([]);
    },
    ended: () => chosen.resolve(undefined),
  });
  try {
    area.draw(picker.rows(terminal.size()));
    return await chosen.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    area.clear();
  }
}
