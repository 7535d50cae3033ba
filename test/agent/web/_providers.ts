/** Stand-ins of search providers: real servers that answer as recorded, in the shapes that are documented. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { webRequest } from "#internal/runtime/mod.ts";
import type { WebRequest, WebResponse } from "#internal/runtime/mod.ts";
import { serve } from "../../gateway/bench.ts";

/** What a stand-in was asked. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A stand-in. */
export interface ProviderStandIn extends AsyncDisposable {
  readonly asked: Asked[];
  readonly url: string;
  /** Asks it in the provider's place; everything but the place is as it would be. */
  ask(request: WebRequest): Promise<WebResponse>;
}

/** Starts one that answers by `answer`. */
export async function startProvider(
  answer: (asked: Asked, response: ServerResponse, times: number) => void,
): Promise<ProviderStandIn> {
  const asked: Asked[] = [];
  const server = await serve((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.once("end", () => {
      const { method = "", url = "", headers } = request;
      asked.push({ method, url, headers, body });
      answer({ method, url, headers, body }, response, asked.length);
    });
  });
  return {
    asked,
    url: server.url,
    ask: (request) =>
      webRequest({
        ...request,
        url: new URL(`${server.url}${request.url.pathname}${request.url.search}`),
        reach: { loopback: true, private: false },
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** An answer of Brave's Web Search API to `q=small databases`, cut to what varies. */
export const BRAVE_ANSWER = {
  type: "search",
  query: {
    original: "small databases",
    show_strict_warning: false,
    is_navigational: false,
    spellcheck_off: true,
    country: "us",
    more_results_available: true,
  },
  mixed: { type: "mixed", main: [{ type: "web", index: 0, all: false }], top: [], side: [] },
  web: {
    type: "search",
    family_friendly: true,
    results: [
      {
        title: "SQLite Home Page",
        url: "https://www.sqlite.org/",
        is_source_local: false,
        is_source_both: false,
        description:
          "SQLite is a C-language library that implements a <strong>small</strong>, fast, " +
          "self-contained &amp; full-featured SQL <strong>database</strong> engine.",
        page_age: "2026-02-11T00:00:00",
        profile: { name: "Sqlite", url: "https://www.sqlite.org/", long_name: "sqlite.org" },
        language: "en",
        family_friendly: true,
        type: "search_result",
        subtype: "generic",
        meta_url: { scheme: "https", netloc: "sqlite.org", hostname: "www.sqlite.org", path: "" },
        age: "3 weeks ago",
      },
      {
        title: "Redis &#x27;in a nutshell&#x27;",
        url: "https://redis.example/nutshell?a=1&b=2",
        description: "In memory.",
        type: "search_result",
        subtype: "article",
      },
      {
        title: "Another way to the first",
        url: "https://www.sqlite.org",
        description: "The same page.",
        type: "search_result",
      },
      { title: "A trap", url: "javascript:alert(1)", description: "x", type: "search_result" },
    ],
  },
};

/** An answer of Tavily's Search API. */
export const TAVILY_ANSWER = {
  query: "small databases",
  follow_up_questions: null,
  answer: null,
  images: [],
  results: [
    {
      url: "https://www.sqlite.org/",
      title: "SQLite Home Page",
      content: "SQLite is a small, fast SQL database engine.",
      score: 0.93157,
      raw_content: null,
    },
    {
      url: "https://duck.example/why",
      title: "Why\nducks",
      content: "An   analytical\u200b database.",
      score: 0.81,
      raw_content: null,
    },
  ],
  response_time: 0.87,
  request_id: "0b1f1f8e-6b5f-4c9c-a6f1-3d7a6f0f7a10",
};
