/** Decoders of what the web sends an agent: pages, and answers of search providers. */
import { readFileSync } from "node:fs";
import { utf8 } from "#internal/core/mod.ts";
import { createSearch, searchProviders } from "../../internal/agent/search_providers/mod.ts";
import { readBytes } from "../../internal/agent/web/page.ts";
import { BRAVE_ANSWER, TAVILY_ANSWER } from "../agent/web/_providers.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

const PAGES = ["article", "front", "old", "reference"].map((name) =>
  readFileSync(new URL(`../../fixtures/pages/${name}.html`, import.meta.url))
);
const MARKDOWN = utf8("# Notes\n\n- [one](https://a.example/1)\n- <https://b.example/>\n");
const WIDE = Uint8Array.of(0xff, 0xfe, 0x3c, 0, 0x70, 0, 0x3e, 0, 0xe9, 0);

function pageDecoder(name: string, type: string, samples: readonly Uint8Array[]): Decoder {
  return decoder({
    name,
    covers: ["decodeText", "readBytes"],
    samples: () => samples,
    decode: (bytes) =>
      readBytes({ bytes, type, url: new URL("https://site.example/a"), whole: false }),
    share: 0.2,
  });
}

const ANSWERS: Readonly<Record<string, unknown>> = {
  brave: BRAVE_ANSWER,
  tavily: TAVILY_ANSWER,
  searxng: {
    query: "small databases",
    results: [{ title: "One", url: "https://a.example/", content: null, engines: ["local"] }],
    unresponsive_engines: [["local", "timeout"]],
  },
};

const searches = searchProviders.map((provider) =>
  decoder({
    name: `an answer of ${provider.name}`,
    covers: [],
    samples: () => [utf8(JSON.stringify(ANSWERS[provider.name]))],
    decode: (body) =>
      createSearch({ provider, access: "http://127.0.0.1/" }, {
        ask: () => Promise.resolve({ status: 200, headers: {}, body }),
      }).find({ query: "small databases", count: 10 }, new AbortController().signal),
    errors: ["search"],
    share: 0.5,
  })
);

export const WEB_DECODERS: readonly Decoder[] = [
  pageDecoder("a page of HTML", "text/html", PAGES),
  pageDecoder("a page of no type", "", [...PAGES.slice(1, 2), MARKDOWN, WIDE]),
  pageDecoder("a feed", "application/rss+xml", [
    utf8(
      "<rss><channel><title>A</title><item><title>B</title><link>/c</link></item></channel></rss>",
    ),
    utf8(
      '<feed><title>A</title><entry><link href="/c"/><content>&lt;p&gt;d</content></entry></feed>',
    ),
  ]),
  pageDecoder("a page in Markdown", "text/markdown; charset=shift_jis", [MARKDOWN]),
  ...searches,
];
