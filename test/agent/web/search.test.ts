/** Searching the web: which provider is taken, how each is asked, and what comes of its answers. */
import { describe, expect, test } from "vitest";
import { runAgent } from "#internal/agent/mod.ts";
import {
  chooseProvider,
  createSearch,
  searchProviders,
} from "../../../internal/agent/search_providers/mod.ts";
import type { Search, SearchQuery } from "../../../internal/agent/search_providers/mod.ts";
import { web } from "../../../internal/agent/capabilities/web.ts";
import { createSecrets } from "../../../internal/agent/secrets.ts";
import { webSearch } from "../../../internal/agent/tools/web_search.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "../_machine.ts";
import { BRAVE_ANSWER, json, startProvider, TAVILY_ANSWER } from "./_providers.ts";
import type { ProviderStandIn } from "./_providers.ts";
import { startSite } from "./_site.ts";

type Env = Readonly<Record<string, string>>;

const parts = (env: Env) => ({
  setting: env["SION_SEARCH"],
  find: (name: string) => Promise.resolve(env[name]),
});

async function chosen(env: Env): Promise<string | undefined> {
  const found = await chooseProvider(parts(env));
  return found === undefined ? undefined : `${found.provider.name} ${found.access}`;
}

const BOTH = { BRAVE_SEARCH_API_KEY: "b-key", TAVILY_API_KEY: "t-key" };

describe("chooseProvider()", () => {
  test("takes the provider of which there is a key, Brave before Tavily [A-289 A-290 A-302]", async () => {
    expect(await chosen({})).toBeUndefined();
    expect(await chosen({ BRAVE_SEARCH_API_KEY: "b-key" })).toBe("brave b-key");
    expect(await chosen({ TAVILY_API_KEY: " t-key\n" })).toBe("tavily t-key");
    expect(await chosen(BOTH)).toBe("brave b-key");
    expect(await chosen({ ...BOTH, BRAVE_SEARCH_API_KEY: "" })).toBe("tavily t-key");
  });

  test("takes the one that SION_SEARCH names [A-291 A-292]", async () => {
    expect(await chosen({ ...BOTH, SION_SEARCH: "tavily" })).toBe("tavily t-key");
    expect(await chosen({ ...BOTH, SION_SEARCH: "Brave" })).toBe("brave b-key");
    expect(await chosen({ ...BOTH, SION_SEARCH: "searxng:https://search.example.org" }))
      .toBe("searxng https://search.example.org/");
    expect(await chosen({ SION_SEARCH: "searxng:http://127.0.0.1:8888/searx" }))
      .toBe("searxng http://127.0.0.1:8888/searx");
  });

  test.each([
    ["google", "SION_SEARCH google is no search provider: give brave, tavily or searxng:https://"],
    ["searxng", "SION_SEARCH searxng is no search provider"],
    ["searxng:search.example.org", "is no search provider"],
    ["searxng:file:///etc", "is no search provider"],
    ["brave:https://a.example", "is no search provider"],
    [
      "tavily",
      "SION_SEARCH is tavily, which needs TAVILY_API_KEY: keep it with `sion agent credential",
    ],
  ])("says what is wrong with SION_SEARCH=%s", async (setting, message) => {
    await expect(chosen({ SION_SEARCH: setting })).rejects.toThrow(message);
  });

  test("shows no password of an address, and takes no key that would end a header", async () => {
    await expect(chosen({ SION_SEARCH: "searxng:https://me:hunter2@a.example" })).rejects.toThrow(
      "searxng:https://…@a.example is no search provider",
    );
    await expect(chosen({ TAVILY_API_KEY: "t-key\r\nx: y" })).rejects.toThrow(
      "TAVILY_API_KEY holds what no key has",
    );
  });
});

async function searchWith(env: Env, standIn: ProviderStandIn): Promise<Search> {
  const found = await chooseProvider(parts(env));
  if (found === undefined) throw new Error("no provider");
  return createSearch(found, { ask: standIn.ask, pause: () => Promise.resolve() });
}

async function find(search: Search, query: Partial<SearchQuery> = {}) {
  return await search.find({ query: "small databases", count: 5, ...query }, AbortSignal.any([]));
}

async function failure(search: Search): Promise<string> {
  return await find(search).then(() => "found", (error: unknown) => (error as Error).message);
}

describe("createSearch()", () => {
  test("asks Brave as its API has it, and gives plain words, each address once [A-289 A-297 A-298]", async () => {
    await using standIn = await startProvider((_asked, response) =>
      json(response, 200, BRAVE_ANSWER)
    );
    const search = await searchWith(BOTH, standIn);
    expect(await find(search, { time: "week" })).toEqual({
      results: [
        {
          title: "SQLite Home Page",
          url: "https://www.sqlite.org/",
          snippet:
            "SQLite is a C-language library that implements a small, fast, self-contained & " +
            "full-featured SQL database engine.",
        },
        {
          title: "Redis 'in a nutshell'",
          url: "https://redis.example/nutshell?a=1&b=2",
          snippet: "In memory.",
        },
      ],
    });
    const [asked] = standIn.asked;
    expect([asked?.method, asked?.url]).toEqual([
      "GET",
      "/res/v1/web/search?q=small+databases&count=5&result_filter=web&text_decorations=false&" +
      "freshness=pw",
    ]);
    expect(asked?.headers["x-subscription-token"]).toBe("b-key");
  });

  test("asks Tavily as its API has it [A-290 A-297 A-298]", async () => {
    await using standIn = await startProvider((_asked, response) =>
      json(response, 200, TAVILY_ANSWER)
    );
    const search = await searchWith({ TAVILY_API_KEY: "t-key" }, standIn);
    const { results } = await find(search, { count: 10, time: "year" });
    expect(results.map(({ title, snippet }) => [title, snippet])).toEqual([
      ["SQLite Home Page", "SQLite is a small, fast SQL database engine."],
      ["Why ducks", "An analytical database."],
    ]);
    const [asked] = standIn.asked;
    expect([asked?.method, asked?.url, asked?.headers.authorization]).toEqual([
      "POST",
      "/search",
      "Bearer t-key",
    ]);
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      query: "small databases",
      max_results: 10,
      search_depth: "basic",
      time_range: "year",
    });
  });

  test("says what to do when a provider refuses, and never what it holds", async () => {
    let status = 0;
    await using standIn = await startProvider((_asked, response) => {
      json(response, status, { detail: { error: "Unauthorized: t-key is invalid." } });
    });
    const tavily = await searchWith({ TAVILY_API_KEY: "t-key" }, standIn);
    const brave = await searchWith({ BRAVE_SEARCH_API_KEY: "b-key" }, standIn);
    const searxng = await searchWith({ SION_SEARCH: `searxng:${standIn.url}` }, standIn);
    const told = async (search: Search, code: number): Promise<string> => {
      status = code;
      return await failure(search);
    };
    expect(await told(tavily, 401)).toBe(
      "the search by tavily failed, the key in TAVILY_API_KEY is refused: tell the person who runs you",
    );
    expect(await told(tavily, 432)).toContain("the plan's searches are used up");
    expect(await told(brave, 422)).toContain(
      "the key in BRAVE_SEARCH_API_KEY or the query is refused",
    );
    expect(await told(searxng, 403)).toContain("add json to search.formats in its settings.yml");
    expect(await told(brave, 503)).toBe(
      "the search by brave failed, it answers 503: try again later",
    );
    status = 200;
    expect(await failure(brave)).toBe("found");
    expect(await failure(tavily)).toContain("its answer is not what it should be");
  });

  test("waits once where it is told to, and then says so; searches wait for each other", async () => {
    let left = 1;
    let open = 0;
    await using standIn = await startProvider((_asked, response) => {
      expect(++open).toBe(1);
      setTimeout(() => {
        open--;
        if (left-- > 0) json(response.setHeader("retry-after", "2"), 429, {});
        else json(response, 200, TAVILY_ANSWER);
      }, 5);
    });
    const found = await chooseProvider(parts({ TAVILY_API_KEY: "t-key" }));
    if (found === undefined) throw new Error("no provider");
    const waited: number[] = [];
    const search = createSearch(found, {
      ask: standIn.ask,
      pause: (ms) => Promise.resolve(void waited.push(ms)),
    });
    const both = await Promise.all([find(search), find(search)]);
    expect(both.map(({ results }) => results.length)).toEqual([2, 2]);
    expect(waited).toEqual([2_000]);
    left = 2;
    expect(await failure(search)).toBe(
      "the search by tavily failed, it takes no more searches now: wait a minute",
    );
    expect(standIn.asked).toHaveLength(5);
  });

  test("goes to a private address for the operator's own instance alone [A-291]", async () => {
    const reaches: unknown[] = [];
    for (const env of [BOTH, { SION_SEARCH: "searxng:http://127.0.0.1:1" }]) {
      const found = await chooseProvider(parts(env));
      if (found === undefined) throw new Error("no provider");
      const search = createSearch(found, {
        ask(request) {
          reaches.push(request.reach);
          return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() });
        },
      });
      await failure(search);
    }
    expect(reaches).toEqual([
      { loopback: false, private: false },
      { loopback: true, private: true },
    ]);
  });
});

describe("a session with --web and a provider", () => {
  const MANY = {
    results: Array.from({ length: 30 }, (_, index) => ({
      title: `Result ${index + 1}`,
      url: `https://r${index + 1}.example/`,
      content: "Words.",
    })),
  };

  async function run(
    calls: readonly { readonly tool: string; readonly input: unknown }[],
  ): Promise<string> {
    const standIn = await startProvider((_asked, response) => json(response, 200, MANY));
    await using _closing = standIn;
    await using site = await startSite((_request, response) => void response.end("page"));
    const search = await searchWith({ TAVILY_API_KEY: "t-key" }, standIn);
    const machine = testMachine({ capabilities: site.capabilities(search) });
    const turns = [...calls.map((one) => ({ calls: [one] })), { say: "done" }];
    const { listener, events, lines } = hearing();
    await runAgent(machine, {
      agent: AGENT,
      wallet: "coder",
      who: "cli:test",
      task: "Look it up.",
      models: [scriptOf(machine, turns)],
      given: { web: true },
      autonomy: "L6",
    }, listener);
    // Whole results, of which a person is shown the beginning.
    const results = events.flatMap((event) => event.type === "tool" ? [event.text ?? ""] : []);
    return [...lines, ...results].join("\n");
  }

  const searched = (more = {}) => ({
    tool: "web_search",
    input: { query: "small databases", ...more },
  });

  test("gives five results unless more are asked for, ten at most [A-005 A-288 A-295 A-296 A-297]", async () => {
    const five = await run([searched()]);
    expect(five).toContain("← 1. Result 1\n   https://r1.example/\n   Words.");
    expect(five).toContain("5. Result 5");
    expect(five).not.toContain("Result 6");
    expect(await run([searched({ count: 10 })])).toContain("10. Result 10");
    expect(webSearch.input.safeParse(searched({ count: 11 }).input).success).toBe(false);
    expect(webSearch.input.safeParse({ query: "x", time: "hour" }).success).toBe(false);
  });

  test("is tainted by a search; its results may be read, and paying asks [A-299]", async () => {
    const lines = await run([searched(), PAY_BOB]);
    expect(lines).toContain("spending after reading a search for small databases");
    const page = (url: string) => ({ tool: "fetch_url", input: { url } });
    expect(await run([searched(), page("https://r2.example/")])).toContain(
      "✗ r2.example is not asked, it leads into a private network",
    );
    expect(await run([searched(), page("https://r9.example/")])).toContain(
      "reading a page after reading a search for small databases",
    );
  });

  test("has web_search only while there is a provider, which may be kept [A-288 A-293 A-294]", async () => {
    const offered = async (env: Env, kept: Env): Promise<string> => {
      const machine = testMachine({
        env,
        secrets: createSecrets(env, () =>
          Promise.resolve(
            Object.entries(kept).map(([name, value]) => ({ name, value, secret: true })),
          )),
      });
      expect(await web.read({ web: true }, machine)).toEqual({});
      const opened = await web.open?.({}, { ...machine, session: "5", notice: () => {} });
      return opened?.search?.provider ?? "none";
    };
    expect(await offered({}, {})).toBe("none");
    expect(await offered({}, { TAVILY_API_KEY: "t-key" })).toBe("tavily");
    expect(await offered({ BRAVE_SEARCH_API_KEY: "b-key" }, { TAVILY_API_KEY: "t" })).toBe("brave");
    expect(webSearch.offered?.({})).toBe(false);
  });

  test("each provider has a name and says how it is asked", () => {
    expect(searchProviders.map(({ name }) => name)).toEqual(["brave", "tavily", "searxng"]);
  });
});
