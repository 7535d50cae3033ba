/** Tavily. Source: its Search API. */
import * as z from "zod";
import { defineSearchProvider } from "./_provider.ts";

const KEY = "TAVILY_API_KEY";

const answer = z.object({
  results: z.array(z.object({
    title: z.string(),
    url: z.string(),
    content: z.string().default(""),
  })),
});

export const tavily = defineSearchProvider({
  name: "tavily",
  key: KEY,
  request({ query, count, time }, key) {
    return {
      url: new URL("https://api.tavily.com/search"),
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        query,
        max_results: count,
        search_depth: "basic",
        ...(time === undefined ? {} : { time_range: time }),
      }),
    };
  },
  read(body) {
    const { results } = answer.parse(JSON.parse(body));
    return {
      results: results.map(({ title, url, content }) => ({ title, url, snippet: content })),
    };
  },
  refusal(status) {
    if (status === 401 || status === 403) return `the key in ${KEY} is refused`;
    if (status === 432 || status === 433) return "the plan's searches are used up";
    return undefined;
  },
});
