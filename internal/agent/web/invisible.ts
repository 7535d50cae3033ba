/**
 * Characters that a reader of a page does not see and a model reads all the same: they can carry words
 * that nobody looked at. What has no use in a text is left out and counted.
 */

/**
 * Soft hyphens, zero-width spaces and joiners of words, invisible operators and fillers, marks of
 * direction, tags, and the selectors beyond the sixteen that emoji use.
 */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]|[\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** Joiners, but one alone between letters of scripts that join them, or within an emoji. */
const JOINERS =
  /(?<![[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]])[\u200c\u200d]|[\u200c\u200d](?![[\p{L}\p{M}\p{Extended_Pictographic}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]])/gv;
/** Selectors of a form, but one alone behind a character that has forms. */
const SELECTORS =
  /(?<=^|[\s\ufe00-\ufe0f\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\ufe00-\ufe0f]/gu;
/** C0 but tab and newline, DEL and C1. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A text without them, and how many there were. */
export interface VisibleText {
  readonly text: string;
  readonly leftOut: number;
}

/** Leaves them out. Every kind of line end becomes a newline. */
export function visibleText(given: string): VisibleText {
  let leftOut = 0;
  const out = (): string => {
    leftOut++;
    return "";
  };
  const text = given.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(INVISIBLE, out).replace(JOINERS, out).replace(SELECTORS, out).replace(CONTROLS, out);
  return { text: text.toWellFormed(), leftOut };
}
