/**
 * What the person named. A place, a payee or an address is named when it stands as whole tokens in
 * the person's own words in this session; an amount, when they wrote that number of money. Words of
 * other agents, of servers' prompts and of files name nothing.
 */
import type { Target } from "#internal/mcp/mod.ts";
import { addressesIn, plainAddress } from "./addresses.ts";
import type { SaidState, SessionState } from "./state.ts";

/** Digits that are too few to be anything's own name: `13` is a day, a price, a file. */
const BARE_NUMBER = /^\d{1,8}$/;
/** What a bare number's own word may be besides the kind of the target. */
const NUMBER_WORDS = ["id", "number", "no", "nr"];
/** Characters that make a token longer, so that `bob` is not named by `bob-smith` or `bob@x.org`. */
const IN_TOKEN = /[\p{L}\p{N}\p{M}_@/\\\-+~%&=#$]/u;
/** Characters that make it longer when more of it follows at once: `bob.smith`, not `bob.` */
const JOINING = /[.:,]/;
const LETTER = /[\p{L}\p{N}_]/u;
/** A number of money with its mark: `$5`, `5 USD`, `5.50 euros`. */
const MARKED =
  /(?:[$€£¥]\s?)(\d[\d,']*(?:\.\d+)?)(?![.,]?\d)|(?<![\p{L}\d.,'-])(\d[\d,']*(?:\.\d+)?)\s?(?:[$€£¥]|(?:usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|francs?|cents?)(?![\p{L}\p{N}]))/giu;
const BARE = /\d[\d,']*(?:\.\d+)?/g;

/** The person's own messages that they did not take back, in order. */
export function ownWords({ said }: Pick<SessionState, "said">): readonly SaidState[] {
  return said.filter(({ origin, forgotten }) => origin === undefined && forgotten !== true);
}

/** Whether the person named every part of a target, in one message. */
export function isNamed(state: SessionState, target: Target): boolean {
  return ownWords(state).some((said) => saidNames(said, target));
}

/** Whether a message names a target: where it goes and, of a payment, how much. */
export function saidNames(said: SaidState, target: Target): boolean {
  return wordsName(wordsOf(said), target);
}

/** Whether a text stands in the person's own words as it is. */
export function isOwnText(state: SessionState, text: string): boolean {
  return ownWords(state).some((said) => holdsWhole(wordsOf(said).folded, text));
}

/** Whether a text names a target: where it goes and, of a payment, how much. */
export function namesTarget(text: string, target: Target): boolean {
  return wordsName({ text, folded: folded(text) }, target);
}

/** A text beside its folded form. */
interface Words {
  readonly text: string;
  readonly folded: string;
}

/** Folding is most of the work, and what was said never changes. */
const WORDS = new WeakMap<SaidState, Words>();

function wordsOf(said: SaidState): Words {
  const known = WORDS.get(said);
  if (known !== undefined) return known;
  const words = { text: said.text, folded: folded(said.text) };
  WORDS.set(said, words);
  return words;
}

function wordsName(words: Words, { kind, to, amount }: Target): boolean {
  if (!namesPlace(words, kind, to)) return false;
  return amount === undefined || namesAmount(words, amount);
}

/** Whether a folded text holds `phrase` as whole tokens, in any case. */
export function holdsWhole(folded: string, phrase: string): boolean {
  return wholePlaces(folded, phrase).next().done === false;
}

/**
 * A text by which two are compared: the same letters whatever the case and the form, one space for
 * any, and JSON's escapes of spaces and quotes as what they stand for.
 */
export function folded(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/\\"/gu, '"')
    .replace(/(?:\s|\\[nrt])+/gu, " ");
}

function namesPlace({ text, folded: words }: Words, kind: string, to: string): boolean {
  if (BARE_NUMBER.test(to.trim())) return namesNumber(words, kind, to);
  if (holdsWhole(words, to)) return true;
  const plain = plainAddress(to);
  if (!plain.includes(".")) return false;
  return holdsWhole(words, plain) || addressesIn(text).some((one) => plainAddress(one) === plain);
}

/** A bare number is named only with its word before it, as in `file 13` or `the file with id 13`. */
function namesNumber(words: string, kind: string, to: string): boolean {
  const kinds = [...NUMBER_WORDS, kind.toLowerCase()];
  for (const { index } of wholePlaces(words, to)) {
    const before = words.slice(0, index).replace(/["'“‘#\s.:]+$/u, "");
    const last = /[\p{L}\p{N}_]+$/u.exec(before)?.[0] ?? "";
    if (kinds.includes(last)) return true;
  }
  return false;
}

/** The places where a folded text holds a phrase as whole tokens. */
function* wholePlaces(text: string, phrase: string): Generator<{ readonly index: number }> {
  const wanted = folded(phrase).trim();
  if (wanted === "") return;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (startsToken(text, at) && endsToken(text, at + wanted.length)) yield { index: at };
  }
}

function startsToken(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  if (before === "") return true;
  // `@alice` and `#general` name alice and general; `x@alice` does not.
  if ((before === "@" || before === "#") && startsToken(text, at - 1)) return true;
  if (IN_TOKEN.test(before)) return false;
  return !JOINING.test(before) || !LETTER.test(characterBefore(text, at - 1));
}

function endsToken(text: string, at: number): boolean {
  const after = characterAt(text, at);
  if (after === "") return true;
  if (IN_TOKEN.test(after)) return false;
  return !JOINING.test(after) || !LETTER.test(characterAt(text, at + 1));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  if (at <= 0) return "";
  const low = text.charCodeAt(at - 1);
  const pair = low >= 0xdc00 && low <= 0xdfff && at > 1;
  return characterAt(text, pair ? at - 2 : at - 1);
}

/**
 * Whether a text names an amount. Where it has numbers marked as money, only those count: in `pay bob
 * 1 USD for invoice 7` the seven is no amount.
 */
function namesAmount({ text, folded: words }: Words, amount: string): boolean {
  const wanted = plainNumber(amount);
  const marked = [...text.matchAll(MARKED)].map(([, after, before]) => after ?? before ?? "");
  if (marked.length > 0) return marked.some((one) => plainNumber(one) === wanted);
  return [...words.matchAll(BARE)].some(({ 0: number, index }) => {
    const trimmed = number.replace(/[,']+$/u, "");
    return plainNumber(trimmed) === wanted && startsToken(words, index) &&
      endsToken(words, index + trimmed.length);
  });
}

/** `1,000.50` as `1000.5`, so that the same number has one text. */
function plainNumber(text: string): string {
  const [whole = "", part = ""] = text.replace(/[,']/gu, "").split(".");
  const fraction = part.replace(/0+$/u, "");
  const digits = whole.replace(/^0+(?=\d)/u, "");
  return fraction === "" ? digits : `${digits}.${fraction}`;
}
