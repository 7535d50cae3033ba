/**
 * What a person types at a terminal in raw mode, as keys: UTF-8 text, control characters, the escape
 * sequences of ECMA-48 and xterm, and bracketed paste. Pure: bytes go in as text, keys come out.
 */

/** One key, or a text that was pasted whole. */
export type Key =
  /** A character, or a few that belong together. */
  | { readonly kind: "text"; readonly text: string }
  /** What was pasted, lines ended by `\n`; never taken for keys. */
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "key"; readonly name: KeyName; readonly alt: boolean };

/** Keys that are no text. `ctrl-x` is the letter with Control. */
export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "backspace"
  | "delete"
  | "escape"
  | "up"
  | "down"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | `ctrl-${string}`;

/** Reads keys from what a terminal sends, however it is cut into pieces. */
export interface KeyReader {
  push(text: string): Key[];
  /** What is pending once nothing follows: a lone Escape is the key of that name. */
  flush(): Key[];
  /** True while the beginning of a sequence waits for its end. */
  readonly pending: boolean;
}

const ESC = "\x1b";
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** Characters of a paste that are taken; the rest is left out. */
const MAX_PASTE = 1_000_000;
/** Longest control sequence that is waited for, characters. */
const MAX_SEQUENCE = 32;

/** Final part of a control sequence (after `ESC [` or `ESC O`) and its key. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "A": "up",
  "B": "down",
  "C": "right",
  "D": "left",
  "H": "home",
  "F": "end",
  "1~": "home",
  "7~": "home",
  "4~": "end",
  "8~": "end",
  "3~": "delete",
  "5~": "page-up",
  "6~": "page-down",
  "1;5C": "word-right",
  "1;5D": "word-left",
  "1;3C": "word-right",
  "1;3D": "word-left",
  "13;2u": "newline",
  "27;2;13~": "newline",
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
};

/** A reader at the beginning of input. */
export function createKeyReader(): KeyReader {
  let waiting = "";
  let pasted: string | undefined;

  function takePaste(): Key[] {
    const end = waiting.indexOf(PASTE_END);
    if (end === -1) {
      // The end mark may be cut, so its length is kept back.
      const keep = Math.min(waiting.length, PASTE_END.length - 1);
      pasted = (pasted + waiting.slice(0, waiting.length - keep)).slice(0, MAX_PASTE);
      waiting = waiting.slice(waiting.length - keep);
      return [];
    }
    const text = (pasted + waiting.slice(0, end)).slice(0, MAX_PASTE);
    waiting = waiting.slice(end + PASTE_END.length);
    pasted = undefined;
    return [{ kind: "paste", text: text.replaceAll(/\r\n?/g, "\n") }];
  }

  return {
    get pending() {
      return waiting !== "" || pasted !== undefined;
    },
    push(text) {
      waiting += text;
      const keys: Key[] = [];
      for (;;) {
        if (pasted !== undefined) {
          keys.push(...takePaste());
          if (pasted !== undefined) return keys;
          continue;
        }
        if (waiting.startsWith(PASTE_BEGIN)) {
          waiting = waiting.slice(PASTE_BEGIN.length);
          pasted = "";
          continue;
        }
        const taken = takeKey(waiting);
        if (taken === undefined) return keys;
        waiting = waiting.slice(taken.length);
        if (taken.key !== undefined) keys.push(taken.key);
      }
    },
    flush() {
      if (pasted !== undefined) return [];
      const rest = waiting;
      waiting = "";
      return rest === ESC ? [named("escape")] : [];
    },
  };
}

/** The first key of a text and its length; `undefined` when more must come first. */
function takeKey(text: string): { readonly length: number; readonly key?: Key } | undefined {
  const [first] = text;
  if (first === undefined) return undefined;
  if (first === ESC) return takeSequence(text);
  const control = CONTROLS[first];
  if (control !== undefined) return { length: 1, key: named(control) };
  if (first < " ") {
    return { length: 1, key: named(`ctrl-${String.fromCharCode(first.charCodeAt(0) + 96)}`) };
  }
  // deno-lint-ignore no-control-regex -- keys that are no text come as control characters
  const end = text.search(/[\x00-\x1f\x7f]/);
  const run = end === -1 ? text : text.slice(0, end);
  return { length: run.length, key: { kind: "text", text: run } };
}

function takeSequence(text: string): { readonly length: number; readonly key?: Key } | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === "[" || second === "O") {
    // deno-lint-ignore no-control-regex -- a sequence begins with Escape
    const match = /^\x1b(?:\[[0-9;?<=>]*[ -/]*[@-~]|O.)/s.exec(text);
    if (match === null) {
      // What is no control sequence after all is passed over, so that nothing hangs.
      return text.length > MAX_SEQUENCE ? { length: 2 } : undefined;
    }
    const name = SEQUENCES[match[0].slice(2)];
    return { length: match[0].length, ...(name === undefined ? {} : { key: named(name) }) };
  }
  if (second === ESC) return { length: 1, key: named("escape") };
  if (second === "\r" || second === "\n") return { length: 2, key: named("newline") };
  if (second === "b") return { length: 2, key: named("word-left") };
  if (second === "f") return { length: 2, key: named("word-right") };
  const control = CONTROLS[second];
  if (control !== undefined) return { length: 2, key: named(control, true) };
  return { length: 2 };
}

function named(name: KeyName, alt = false): Key {
  return { kind: "key", name, alt };
}
