/**
 * Memory of what strangers said: an atom that a tainted session remembers keeps where the content came
 * from, and taints the session that recalls it.
 */
import * as z from "zod";
import type { ToolResult } from "#internal/mcp/mod.ts";

/** Characters of the sources that are kept with an atom. */
const MOST_KEPT = 500;
const PREFIX = "memory of ";

const recalled = z.object({ from_outside: z.array(z.string()) });

/** What is kept with an atom of a session's sources; undefined while nothing came from outside. */
export function sourcesKept(sources: readonly string[]): string | undefined {
  if (sources.length === 0) return undefined;
  // What was recalled is known by where it came from at first.
  const first = sources.map((one) => one.startsWith(PREFIX) ? one.slice(PREFIX.length) : one);
  const all = [...new Set(first)].join(", ");
  return all.length <= MOST_KEPT ? all : `${all.slice(0, MOST_KEPT).toWellFormed()}…`;
}

/** What a recall says besides its atoms, of which some repeat content from outside. */
export function fromOutside(sources: readonly string[]): { readonly from_outside?: string[] } {
  return sources.length === 0 ? {} : { from_outside: [...sources] };
}

/** What taints the session that a recall is given in. */
export function recalledSource(result: ToolResult): string | undefined {
  const read = recalled.safeParse(result.ok ? result.value : undefined);
  return read.success ? `${PREFIX}${read.data.from_outside.join(", ")}` : undefined;
}
