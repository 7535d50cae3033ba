/**
 * HTML whose every value is escaped unless it is HTML itself, so that what strangers wrote on the
 * ledger is text wherever it stands. Characters that hide or reorder text become visible too.
 */
import { escapeLine } from "#internal/core/mod.ts";

/** Markup that is safe to send. Made by `markup` alone. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Of literal markup and values between it. */
  static of(strings: readonly string[], values: readonly Part[]): Html {
    return new Html(
      strings.map((string, at) => at === 0 ? string : textOf(values[at - 1]) + string).join(""),
    );
  }

  toString(): string {
    return this.#text;
  }
}

/** What can stand in markup: nothing shows for `undefined`, `null` and `false`. */
export type Part = Html | string | number | bigint | undefined | null | false | readonly Part[];

/** Markup with values in it, in elements and in quoted attributes. */
export function markup(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return Html.of(strings, values);
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return "";
  if (part instanceof Html) return part.toString();
  if (typeof part === "object") return part.map(textOf).join("");
  return escaped(String(part));
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return escapeLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
