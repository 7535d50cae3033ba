/** Searches the web with the operator's provider. */
import * as z from "zod";
import { SionError } from "#internal/core/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { SEARCH_TIMES } from "../search_providers/mod.ts";
import type { SearchFound } from "../search_providers/mod.ts";
import { defineAgentTool } from "./_tool.ts";
import { webOf } from "./_web.ts";

const DEFAULT_COUNT = 5;
const MOST_COUNT = 10;
/** Characters of a query; providers take no more. */
const MAX_QUERY_LENGTH = 400;
/** Characters of a query that name it as a source. */
const NAMED_LENGTH = 80;

/** Its results are content from outside; their addresses may be read as they are. */
export const webSearch = defineAgentTool({
  name: "web_search",
  title: "Search the web",
  description:
    "Search the web. Gives the title, the address and a snippet of each result; read a " +
    "page with fetch_url.",
  input: () =>
    z.strictObject({
      count: z.number().int().min(1).max(MOST_COUNT).exactOptional()
        .describe(`How many results, up to ${MOST_COUNT} (default ${DEFAULT_COUNT})`),
      query: z.string().trim().min(1).max(MAX_QUERY_LENGTH).describe("What to search for"),
      time: z.enum(SEARCH_TIMES).exactOptional()
        .describe("Only what is from the past day, week, month or year (default any time)"),
    }),
  needs: ["web"],
  offered: ({ web }) => web?.search !== undefined,
  highestEffect: "read",
  outside: (result, { query }) => result.ok ? `a search for ${named(query)}` : undefined,
  repeatHarmless: true,
  openWorld: true,
  mainArgument: "query",
  fromPrograms: true,
  async run(context, { count = DEFAULT_COUNT, query, time }) {
    const { signal } = context;
    const { search } = webOf(context);
    if (search === undefined) {
      return refused("search", "no search provider is set any more: tell the person who runs you");
    }
    const asked = { query, count, ...(time === undefined ? {} : { time }) };
    try {
      return shown(await search.find(asked, signal));
    } catch (error) {
      if (signal.aborted) return refused("cancelled", "the search was stopped");
      if (error instanceof SionError) return refused(error.code, error.message);
      throw error;
    }
  },
});

function shown({ results, note }: SearchFound): ToolResult {
  const texts = results.map(({ title, url, snippet }, index) =>
    [`${index + 1}. ${title}`, `   ${url}`, ...(snippet === "" ? [] : [`   ${snippet}`])].join("\n")
  );
  if (texts.length === 0) texts.push("no results: use other or fewer words, or any time");
  if (note !== undefined) texts.push(`(${note})`);
  return {
    ok: true,
    text: texts.join("\n\n"),
    value: { results: results.map((result) => ({ ...result })) },
    offers: results.map(({ url }) => url),
  };
}

function named(query: string): string {
  return query.length <= NAMED_LENGTH ? query : `${query.slice(0, NAMED_LENGTH).toWellFormed()}…`;
}
