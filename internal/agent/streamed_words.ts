/**
 * Words as they come, told without secrets: one may come in pieces, none of which is a secret. What may
 * be the beginning of one is held back until that is known.
 */
import { utf8 } from "#internal/core/mod.ts";
import type { Redactor } from "#internal/core/mod.ts";

/** Tells words on. */
export interface StreamedWords {
  add(text: string): void;
  /** Tells what is still held back. */
  end(): void;
}

/** @param tell hears the words, in pieces that are never empty and never end within a character */
export function streamWords(redactor: Redactor, tell: (text: string) => void): StreamedWords {
  const pass = redactor.idle ? { text: tell, end: () => {} } : redacting(redactor, tell);
  let half = "";
  return {
    add(text) {
      const joined = half + text;
      half = /[\ud800-\udbff]$/.exec(joined)?.[0] ?? "";
      const whole = joined.slice(0, joined.length - half.length);
      if (whole !== "") pass.text(whole);
    },
    end() {
      if (half !== "") pass.text(half.toWellFormed());
      half = "";
      pass.end();
    },
  };
}

function redacting(
  redactor: Redactor,
  tell: (text: string) => void,
): { text(text: string): void; end(): void } {
  const stream = redactor.stream();
  const decoder = new TextDecoder();
  const pass = (bytes: Uint8Array, more: boolean): void => {
    const text = decoder.decode(bytes, { stream: more });
    if (text !== "") tell(text);
  };
  return {
    text: (text) => pass(stream.push(utf8(text.toWellFormed())), true),
    end: () => pass(stream.end(), false),
  };
}
