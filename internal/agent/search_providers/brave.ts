/** Brave Search. Source: its Web Search API, version 1. */
import * as z from "zod";
import { defineSearchProvider } from "./_provider.ts";
import type { SearchTime } from "./_provider.ts";

const KEY = "BRAVE_SEARCH_API_KEY";
const FRESHNESS: Readonly<Record<SearchTime, string>> = {
  day: "pd",
  week: "pw",
  month: "pm",
  year: "py",
};

const answer = z.object({
  /** Missing when nothing was found. */
  web: z.object({
    results: z.array(z.object({
      title: z.string(),
      url: z.string(),
      description: z.string().default(""),
    })),
  }).optional(),
});

export const brave = defineSearchProvider({
  name: "brave",
  key: KEY,
  request({ query, count, time }, key) {
    const url = new URL("https://api.search.brave.com/res/v1/web/search");
    url.search = new URLSearchParams({
      q: query,
      count: String(count),
      result_filter: "web",
      text_decorations: "false",
      ...(time === undefined ? {} : { freshness: FRESHNESS[time] }),
    }).toString();
    return { url, method: "GET", headers: { "x-subscription-token": key } };
  },
  read(body) {
    const { web } = answer.parse(JSON.parse(body));
    return {
      results: (web?.results ?? []).map(({ title, url, description }) => ({
        title,
        url,
        snippet: description,
      })),
    };
  },
  refusal(status) {
    // An unknown key is 422 there.
    if ([401, 403, 422].includes(status)) return `the key in ${KEY} or the query is refused`;
    if (status === 402) return "the plan's searches are used up";
    return undefined;
  },
});
