/**
 * The one escaper of text that comes from outside (a model, a tool, a peer) before a person sees it
 * on a terminal or in a log: control characters and those that reorder text become visible escapes.
 */

/** C0 but tab and newline, DEL, C1, and the bidirectional embeddings, overrides and isolates. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text in which no character can move the cursor, start a terminal sequence or reorder what is
 * shown: each becomes `\u` and four hex digits. Newlines and tabs stay.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** As `escapeControls`, in one line: newlines and tabs become `\n` and `\t`. */
export function escapeLine(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Characters that a shell and a reader both take as parts of one word. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+=:,./~^#*?!&|$<>;(){}[\]…-]+$/u;
const SHELL_WORD = /^~?[A-Za-z0-9_@%+=:,./-]+$/;

/** A word that somebody typed, as a sentence shows it: in quotes where its ends could be mistaken. */
export function quoteOddWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : JSON.stringify(word);
}

/** A word as a shell takes it: quoted where it must be. A `~/` at its start keeps its meaning. */
export function shellWord(word: string): string {
  if (SHELL_WORD.test(word)) return word;
  const [, home = "", rest = ""] = /^(~\/)?(.*)$/s.exec(word) ?? [];
  return `${home}'${rest.replaceAll("'", "'\\''")}'`;
}
