/**
 * Patterns of a JSON Schema, which are regular expressions of ECMA-262 in its Unicode mode, looked for
 * in time linear in the text (RE2). What would make them go back, look-around and references, is refused.
 */

/** An expression that is looked for in texts. */
export interface SchemaPattern {
  test(text: string): boolean;
  /** Tells it from others. */
  toString(): string;
}

/** What `.`, `\s` and `\S` stand for in ECMA-262, as ranges of a class. */
const LINE_ENDS = "\\n\\r\\x{2028}\\x{2029}";
const SPACE = "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}" +
  "\\x{205f}\\x{3000}\\x{feff}";
const NO_SPACE = "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}" +
  "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}" +
  "\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

/** A pair of surrogates as two escapes, an escape, the ends of a class, a character. */
const PIECE = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\[^]|\[\^?|[^]/gu;

/**
 * What reads patterns.
 * @returns a function that throws a `SyntaxError` for one that is none, or that RE2 has not
 */
export async function schemaPatterns(): Promise<(source: string) => SchemaPattern> {
  const { RE2JS, RE2JSException } = await import("re2js");
  return (source) => {
    new RegExp(source, "u");
    try {
      const expression = RE2JS.compile(RE2JS.translateRegExp(translated(source)));
      return { test: (text) => expression.test(text), toString: () => source };
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new SyntaxError(error.message.replace("error parsing regexp: ", ""), { cause: error });
    }
  };
}

/** In RE2's words, where its own mean less or more. */
function translated(source: string): string {
  let inClass = false;
  return source.replace(PIECE, (piece: string, high?: string, low?: string) => {
    if (high !== undefined && low !== undefined) {
      const character = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
      return `\\x{${character.codePointAt(0)?.toString(16)}}`;
    }
    if (inClass) {
      inClass = piece !== "]";
      return piece === "\\s" ? SPACE : piece === "\\S" ? NO_SPACE : piece;
    }
    inClass = piece.startsWith("[");
    if (piece === ".") return `[^${LINE_ENDS}]`;
    return piece === "\\s" ? `[${SPACE}]` : piece === "\\S" ? `[^${SPACE}]` : piece;
  });
}
