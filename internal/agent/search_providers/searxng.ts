/** SearXNG, and searx before it: an instance of the operator's own. Source: its Search API. */
import * as z from "zod";
import { defineSearchProvider } from "./_provider.ts";

const answer = z.object({
  results: z.array(z.object({
    title: z.string(),
    url: z.string(),
    content: z.string().nullish(),
  })),
  /** Engines that did not answer, each with the reason. */
  unresponsive_engines: z.array(z.unknown()).default([]),
});

export const searxng = defineSearchProvider({
  name: "searxng",
  request({ query, time }, address) {
    const url = new URL(address);
    url.pathname = `${url.pathname.replace(/\/(?:search)?$/, "")}/search`;
    url.search = new URLSearchParams({
      q: query,
      format: "json",
      ...(time === undefined ? {} : { time_range: time }),
    }).toString();
    return { url, method: "GET", headers: {} };
  },
  read(body) {
    const { results, unresponsive_engines: silent } = answer.parse(JSON.parse(body));
    return {
      results: results.map(({ title, url, content }) => ({ title, url, snippet: content ?? "" })),
      ...(silent.length === 0
        ? {}
        : { note: `${silent.length} of the instance's engines did not answer` }),
    };
  },
  refusal: (status) =>
    status === 403
      ? "it gives no JSON: add json to search.formats in its settings.yml, or let this machine " +
        "past its limiter"
      : undefined,
});
