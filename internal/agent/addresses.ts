/**
 * Addresses in texts: web addresses, hosts and mail addresses. They are what a text can send its
 * reader to, so a message that carries one is judged by where it came from.
 */

/** Characters of a text that are looked through; a message is shorter. */
const MAX_LENGTH = 65_536;
/** Addresses of one text that are told. */
const MAX_FOUND = 200;
/** With a scheme, a host that begins with `www.`, or a name before an `@` and a host. */
const ADDRESS =
  /[a-z][a-z0-9+.-]{1,19}:\/\/[^\s<>"'`⟦⟧]+|www\.[^\s<>"'`⟦⟧]+|[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;
/** What ends a sentence and not an address. */
const TRAILING = /[.,:;!?)\]}>*_~]+$/u;

/** The addresses in a text, each once, in order, as they stand there. */
export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  for (const [match] of text.slice(0, MAX_LENGTH).matchAll(ADDRESS)) {
    found.add(match.replace(TRAILING, ""));
    if (found.size === MAX_FOUND) break;
  }
  return [...found];
}

/** An address by which two ways of writing the same one are equal: without `https://` and a last `/`. */
export function plainAddress(address: string): string {
  const match = /^(?:https?:\/\/)?([^/?#]*)(.*)$/is.exec(address.trim());
  if (match === null) return address.trim();
  const [, host = "", rest = ""] = match;
  return host.toLowerCase() + (rest === "/" ? "" : rest);
}
