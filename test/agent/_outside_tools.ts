/** Tools of the tests that bring content from outside, and send things there. */
import * as z from "zod";
import { defineAgentTool } from "#internal/agent/mod.ts";
import type { AgentTool } from "#internal/agent/mod.ts";

/** What the tools did, in order. */
export interface Deeds {
  readonly done: string[];
}

/**
 * `fetch_url` gives the text and offers the links that `pages` has, `mail` sends, `mark` writes a
 * note under a title, `wipe` deletes for good.
 */
export function outsideTools(
  pages: Readonly<Record<string, { readonly text: string; readonly links?: readonly string[] }>>,
  deeds: Deeds = { done: [] },
): readonly AgentTool[] {
  const did = (what: string) => {
    deeds.done.push(what);
    return Promise.resolve({ ok: true as const, text: `${what}: done` });
  };
  const common = { repeatHarmless: true, fromPrograms: false } as const;
  const fetchUrl = defineAgentTool({
    ...common,
    name: "fetch_url",
    description: "Reads a page.",
    input: z.strictObject({ url: z.string() }),
    highestEffect: "read",
    openWorld: true,
    targets: ({ url }) => [{ kind: "url", to: url }],
    outside: (result, { url }) => result.ok ? `page ${url}` : undefined,
    run(_context, { url }) {
      deeds.done.push(`read ${url}`);
      const page = pages[url];
      if (page === undefined) {
        return Promise.resolve({ ok: false, code: "missing", message: "no page", noEffect: true });
      }
      const { text, links = [] } = page;
      return Promise.resolve({ ok: true, text, offers: links });
    },
  });
  const mail = defineAgentTool({
    ...common,
    name: "mail",
    description: "Sends mail.",
    input: z.strictObject({ text: z.string(), to: z.array(z.string()) }),
    highestEffect: "external",
    openWorld: true,
    mainArgument: "text",
    targets: ({ to }) => to.map((one) => ({ kind: "address", to: one })),
    run: (_context, { text, to }) => did(`mail ${to.join("+")} ${text}`),
  });
  const mark = defineAgentTool({
    ...common,
    name: "mark",
    description: "Writes a note under a title.",
    input: z.strictObject({ text: z.string(), title: z.string() }),
    highestEffect: "write",
    openWorld: false,
    mainArgument: "title",
    targets: ({ title }) => [{ kind: "note", to: title }],
    run: (_context, { title }) => did(`mark ${title}`),
  });
  const wipe = defineAgentTool({
    ...common,
    name: "wipe",
    description: "Deletes a note for good.",
    input: z.strictObject({ note: z.string() }),
    highestEffect: "write",
    irreversible: true,
    openWorld: false,
    targets: ({ note }) => [{ kind: "note", to: note }],
    run: (_context, { note }) => did(`wipe ${note}`),
  });
  return [fetchUrl, mail, mark, wipe];
}

/** A page's address in the tests. */
export const PAGE = "https://a.example/news";

/** A call that reads that page. */
export const READ_PAGE = { tool: "fetch_url", input: { url: PAGE } };
