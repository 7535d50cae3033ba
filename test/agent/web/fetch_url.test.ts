/** `fetch_url`: pages of a real server, read in real sessions. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ToolResult, ToolSuccess } from "#internal/mcp/mod.ts";
import { runAgent } from "#internal/agent/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { fetchUrl } from "../../../internal/agent/tools/fetch_url.ts";
import type { AgentToolContext } from "../../../internal/agent/tools/_tool.ts";
import { createPdfText } from "../../../internal/agent/web/pdf_text.ts";
import type { PageReader } from "../../../internal/agent/web/web.ts";
import { needs } from "../../parts.ts";
import { fakeLedger, hearing, PAY_BOB, scriptOf, testFolder, testMachine } from "../_machine.ts";
import { AGENT } from "../_machine.ts";
import { startSite } from "./_site.ts";
import type { Site } from "./_site.ts";

interface Input {
  readonly url: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly whole?: boolean;
}

async function call(
  pages: PageReader,
  input: Input,
  signal = new AbortController().signal,
): Promise<ToolResult> {
  const context: AgentToolContext = {
    signal,
    session: "5".repeat(16),
    call: "1.1",
    ledger: fakeLedger(),
    services: { web: { pages } },
    note: () => {},
    outside: [],
  };
  return await fetchUrl.run(context, fetchUrl.input.parse(input));
}

async function read(pages: PageReader, input: Input): Promise<ToolSuccess> {
  const result = await call(pages, input);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result;
}

const ARTICLE = readFileSync(new URL("../../../fixtures/pages/article.html", import.meta.url));

/** A PDF of one text a page. */
function pdfOf(...pages: readonly string[]): Uint8Array {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Count ${pages.length}/Kids[${
      pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ")
    }]>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...pages.flatMap((page, index) => {
      const stream = `BT /F1 12 Tf 72 720 Td (${page}) Tj ET`;
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${5 + 2 * index} 0 R` +
        "/Resources<</Font<</F1 3 0 R>>>>>>",
        `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}` +
    `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}

/** The smallest PNG. */
function png(): Uint8Array {
  const data = deflateSync(new Uint8Array([0, 0, 0, 0, 0]));
  return Uint8Array.from([
    ...Uint8Array.from("\x89PNG\r\n\x1a\n", (one) => one.charCodeAt(0)),
    ...data,
  ]);
}

describe("fetch_url", () => {
  test("fetch_url gives a page as text, with where it came from and its links [A-287 A-301]", async () => {
    let agent: string | undefined;
    await using site = await startSite((request, response) => {
      agent = request.headers["user-agent"];
      if (request.url === "/moved") return void response.writeHead(301, { location: "/a" }).end();
      response.setHeader("content-type", "text/html; charset=utf-8").end(ARTICLE);
    });
    const result = await read(site.reader(), { url: site.at("/moved#part") });
    const [head, title, , first] = result.text.split("\n");
    expect([head, title, first]).toEqual([
      `${site.at("/a")} (HTTP 200, text/html)`,
      "Harbour bridge opens a week early – The Shore Post",
      "# Harbour bridge opens a week early",
    ]);
    expect(result.text).toMatch(/\n\n\(menus .*; 6 invisible characters were left out\)$/);
    expect(result.offers).toContain("https://city.example/bridge_(harbour)?a=1&b=2");
    expect(result.offers).not.toContain("https://shore.example/sport/");
    expect(result.value).toMatchObject({
      status: 200,
      url: site.at("/a"),
      media_type: "text/html",
    });
    expect(agent).toMatch(/^sion\/\d+\.\d+\.\d+ \(an AI agent/);
    expect(site.asked).toEqual(["/moved", "/a"]);
  });

  test("fetch_url reads a long page on where it stopped, without asking again [A-301]", async () => {
    const words = Array.from({ length: 9_000 }, (_, index) => `line ${index}`).join("\n");
    await using site = await startSite((_request, response) => {
      response.setHeader("content-type", "text/plain").end(words);
    });
    const pages = site.reader();
    const url = site.at("/long");
    let joined = "";
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { value, text } = await read(pages, { url, offset, limit: 30_001 });
      const part = value as { readonly text: string; readonly next_offset?: number };
      expect(text.length).toBeLessThan(30_400);
      if (part.next_offset !== undefined) {
        expect(text).toContain(`read on with offset ${part.next_offset})`);
        expect(part.text.endsWith("\n")).toBe(true);
      }
      joined += part.text;
      offset = part.next_offset;
    }
    expect(joined).toBe(words);
    expect(site.asked).toEqual(["/long"]);
    expect((await read(pages, { url })).text.length).toBeLessThan(20_200);
    expect(site.asked).toEqual(["/long", "/long"]);
    expect(await call(pages, { url, offset: 1_000_000 })).toMatchObject({
      code: "argument",
      message: `the page has ${words.length} characters: give a lower offset`,
    });
    expect(await call(pages, { url: "http://[::1" })).toMatchObject({ code: "argument" });
  });

  test("fetch_url gives an error of a server as its answer", async () => {
    await using site = await startSite((_request, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
    });
    expect((await read(site.reader(), { url: site.at("/x") })).text).toBe(
      `${site.at("/x")} (HTTP 404, text/html)\n\n# Not here`,
    );
  });

  test("fetch_url shows a picture as one, and refuses what is nothing to read", async () => {
    await using site = await startSite((request, response) => {
      if (request.url === "/p") response.setHeader("content-type", "image/png").end(png());
      else response.setHeader("content-type", "text/html").end("PK\x03\x04 …");
    });
    const { content, text } = await read(site.reader(), { url: site.at("/p") });
    expect(text).toMatch(/ \(HTTP 200, image\/png\)\na PNG picture, \d+ bytes$/);
    expect(content).toEqual([{
      type: "image",
      mimeType: "image/png",
      data: btoa(String.fromCharCode(...png())),
    }]);
    expect(await call(site.reader(), { url: site.at("/zip") })).toMatchObject({
      code: "no-text",
      message: "there is a zip archive, or a document that is one, which is not shown: give the " +
        "address of a page",
      noEffect: true,
    });
  });

  test("fetch_url refuses what is not public, also behind a redirect [A-300]", async () => {
    await using site = await startSite((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
    });
    const pages = site.reader();
    for (const url of ["http://127.0.0.1:8400/", "https://intranet.example/", "localhost"]) {
      const result = await call(pages, { url });
      expect([url, result]).toEqual([url, expect.objectContaining({ code: "address-refused" })]);
      expect(fetchUrl.outside?.(result, { url })).toBeUndefined();
    }
    const url = site.at("/x");
    const led = await call(pages, { url });
    expect(led).toMatchObject({ ok: false, code: "web-redirects", noEffect: true });
    expect(fetchUrl.outside?.(led, { url })).toBe(`page ${url}`);
  });

  test("fetch_url stops when it is told to", async () => {
    const stop = new AbortController();
    await using site = await startSite(() => stop.abort());
    const result = await call(site.reader(), { url: site.at("/") }, stop.signal);
    expect(result).toMatchObject({ ok: false, code: "cancelled" });
  });
});

const canConvert = needs("poppler", "PDF documents from the web as text") &&
  needs("bubblewrap", "PDF documents from the web as text");

describe.skipIf(!canConvert)("fetch_url of a PDF document", { timeout: 60_000 }, () => {
  const machine = () => ({ home: testFolder(), env: {}, random: systemRandom });

  test("fetch_url gives its text, page by page", async () => {
    await using site = await startSite((_request, response) => {
      response.setHeader("content-type", "application/pdf").end(pdfOf("Page one", "Page two"));
    });
    const { text } = await read(site.reader(createPdfText(machine())), { url: site.at("/d.pdf") });
    expect(text).toBe(
      `${site.at("/d.pdf")} (HTTP 200, application/pdf)\n\nPage one\n\n[page 2]\n\nPage two`,
    );
  });

  test("fetch_url says what is wrong with one that cannot be converted, and what is missing", async () => {
    const { signal } = new AbortController();
    const junk = new TextEncoder().encode("%PDF-1.4\nnothing");
    await expect(createPdfText(machine())(junk, signal)).rejects.toThrow(
      "the PDF document cannot be read as text, it is damaged, locked or takes too long to convert",
    );
    const bare = createPdfText({ ...machine(), find: () => undefined });
    await expect(bare(pdfOf("x"), signal)).rejects.toThrow("bubblewrap, which is missing here");
  });
});

const canProgram = needs("bubblewrap", "programs that read pages of the web");

describe("a session with --web", () => {
  async function run(
    site: Site,
    task: string,
    calls: readonly { readonly tool: string; readonly input: unknown }[],
    given: Readonly<Record<string, boolean | string>> = {},
  ): Promise<readonly string[]> {
    const made = testMachine({ capabilities: site.capabilities() });
    const machine = { ...made, env: { ...made.env, PATH: process.env["PATH"] } };
    mkdirSync(join(machine.folder, "work"));
    const turns = [...calls.map((one) => ({ calls: [one] })), { say: "done" }];
    const { listener, lines } = hearing();
    await runAgent(machine, {
      agent: AGENT,
      wallet: "coder",
      who: "cli:test",
      task,
      models: [scriptOf(machine, turns)],
      given: { web: true, ...given },
      workspace: "work",
      autonomy: "L6",
    }, listener);
    return lines;
  }

  const LINKS =
    '<main><p>See <a href="/next">the next one</a>, or http://site.example/said.</main>';

  async function linked(): Promise<Site> {
    return await startSite((_request, response) => {
      response.setHeader("content-type", "text/html").end(LINKS);
    });
  }

  test("is tainted by a page, and says which one when it would pay [A-299]", async () => {
    await using site = await linked();
    const url = site.at("/");
    const lines = await run(site, "Read it.", [{ tool: "fetch_url", input: { url } }, PAY_BOB]);
    expect(lines.join("\n")).toContain(`spending after reading page ${url}`);
  });

  test("reads on by the links that a page offers, and asks about an address that it only says", async () => {
    await using site = await linked();
    const fetched = (url: string) => ({ tool: "fetch_url", input: { url } });
    const named = `Read ${site.at("/")}`;
    const followed = await run(site, named, [fetched(site.at("/")), fetched(site.at("/next"))]);
    expect(site.asked).toEqual(["/", "/next"]);
    expect(followed.join("\n")).not.toContain("waiting for you");
    const said = site.at("/said?key=word");
    const asked = await run(site, named, [fetched(site.at("/")), fetched(said)]);
    expect(asked.join("\n")).toContain(`reading a page after reading page ${site.at("/")}`);
    expect(site.asked).toEqual(["/", "/next", "/"]);
  });

  test("with --quarantine shows the model a placeholder of a page", async () => {
    await using site = await linked();
    const calls = [{ tool: "fetch_url", input: { url: site.at("/") } }];
    const lines = (await run(site, "Read it.", calls, { quarantine: true })).join("\n");
    expect(lines).toMatch(/⟦outside \d+\.\d+: what fetch_url gave, \d+ characters⟧/);
    expect(lines).not.toContain("the next one");
  });

  test.skipIf(!canProgram)(
    "lets a program read pages, and is tainted by what it read [A-215 A-287]",
    { timeout: 120_000 },
    async () => {
      await using site = await linked();
      const code = `page = tools.fetch_url(url="${site.at("/")}")\n` +
        `print(len(page.split()), tools.fetch_url(url="${site.at("/next")}")[:7])`;
      const calls = [{ tool: "run_code", input: { code } }, PAY_BOB];
      const lines = (await run(site, `Read ${site.at("/")}.`, calls, { shell: "bwrap" })).join(
        "\n",
      );
      expect(site.asked).toEqual(["/", "/next"]);
      expect(lines).toContain("http://");
      expect(lines).toContain("spending after reading a program over page");
    },
  );

  test("without it has no tools of the web [A-287]", async () => {
    await using site = await linked();
    const calls = [{ tool: "fetch_url", input: { url: site.at("/") } }];
    const lines = await run(site, "Read it.", calls, { web: false });
    expect(lines.join("\n")).toContain("there is no tool named fetch_url");
    expect(site.asked).toEqual([]);
  });
});
