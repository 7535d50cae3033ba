/** Searches by a real searx of Debian's, as an operator has one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chooseProvider, createSearch } from "../../../internal/agent/search_providers/mod.ts";
import type { Search, SearchQuery } from "../../../internal/agent/search_providers/mod.ts";
import { signalTo, start } from "../../e2e/_child.ts";
import type { Child } from "../../e2e/_child.ts";
import { serve } from "../../gateway/bench.ts";
import { needs } from "../../parts.ts";
import { temporaryFolder } from "../../node/devnet_fixture.ts";
import { searxCommand } from "./_searx.ts";

const hasSearx = needs("searx", "searches of the web by an instance of one's own");

/** A port that nobody has now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!hasSearx)("a search by searx", { timeout: 120_000 }, () => {
  let searx: Child;
  let search: Search;
  let engine: Awaited<ReturnType<typeof serve>>;
  let folder: ReturnType<typeof temporaryFolder>;
  const asked: (string | null)[] = [];
  let broken = false;

  beforeAll(async () => {
    folder = temporaryFolder();
    engine = await serve((request, response) => {
      asked.push(new URL(request.url ?? "/", "http://x").searchParams.get("q"));
      if (broken) return void response.writeHead(500).end();
      const hits = Array.from({ length: 12 }, (_, index) => ({
        address: `https://r${index + 1}.example/?a=1&b=2`,
        name: `Result <b>${index + 1}</b> & more`,
        words: "Some words.",
      }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ hits }));
    });
    const port = await freePort();
    searx = start(searxCommand({ folder: folder.path, port, engine: `${engine.url}/find` }));
    await searx.until(() => /Running on/.test(searx.stdout() + searx.stderr()));
    const chosen = await chooseProvider({
      setting: `searxng:http://127.0.0.1:${port}`,
      find: () => Promise.resolve(undefined),
    });
    if (chosen === undefined) throw new Error("no provider");
    search = createSearch(chosen);
  }, 120_000);

  afterAll(async () => {
    signalTo(searx, "SIGKILL");
    await searx.ended;
    await engine[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const find = async (query: Partial<SearchQuery> = {}) =>
    await search.find(
      { query: "small databases?", count: 5, ...query },
      new AbortController().signal,
    );

  test("gives titles, addresses and snippets, as many as are asked for [A-291 A-295 A-297]", async () => {
    const { results } = await find();
    expect(results).toHaveLength(5);
    expect(results[1]).toEqual({
      title: expect.stringMatching(/^Result 2 ?& more$/),
      url: "https://r2.example/?a=1&b=2",
      snippet: "Some words.",
    });
    expect((await find({ count: 10 })).results).toHaveLength(10);
    expect(asked).toEqual(["small databases?", "small databases?"]);
  });

  test.each(["day", "week", "month", "year"] as const)(
    "takes the past %s [A-298]",
    async (time) => {
      expect((await find({ time })).results).toHaveLength(5);
    },
  );

  test("says so when an engine of the instance does not answer", async () => {
    broken = true;
    expect(await find()).toEqual({
      results: [],
      note: "1 of the instance's engines did not answer",
    });
  });
});
