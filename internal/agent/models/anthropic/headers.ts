/** What each request to Anthropic says of itself, as the vendor's client has it. */

/** The version of the interface that these files speak. */
const API_VERSION = "2026-10-21";

/** Headers that carry a key. */
export function anthropicHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { "anthropic-version": API_VERSION, authorization: `Bearer ${apiKey}` };
}
