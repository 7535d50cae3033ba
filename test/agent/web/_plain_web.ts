/** A web for tests of what is around it: one page, and one result of every search. */
import type { Web } from "../../../internal/agent/capabilities/web.ts";
import { plainText } from "../../../internal/agent/web/page.ts";

/** Makes one. */
export function plainWeb(): Web {
  return {
    pages: {
      read: ({ url }) =>
        Promise.resolve({
          url: url.href,
          status: 200,
          mediaType: "text/plain",
          content: plainText("words"),
        }),
    },
    search: {
      provider: "plain",
      find: ({ query }) =>
        Promise.resolve({ results: [{ title: query, url: "https://a.example/", snippet: "" }] }),
    },
  };
}
