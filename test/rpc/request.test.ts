/** Requests of the node's methods: what is no JSON is said to be none, and nothing of it is shown. */
import { describe, expect, it } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import type { Method } from "#internal/rpc/mod.ts";
import { decodeRequest, methods } from "#internal/rpc/mod.ts";

describe("decodeRequest()", () => {
  it.each(["{", "x", "\u0000", "\u001b[31m", "\u202e", "{}{}", '{"number":}', "[".repeat(100)])(
    "refuses %j in one sentence that shows nothing of it",
    (text) => {
      const refused = (query: string, contentType: string, body: string) => () =>
        decodeRequest(methods.submit as Method<unknown, { readonly pulse: number }>, {
          ...{ query, contentType, body: utf8(body) },
        });
      const code = "bad-request";
      const wanted = "JSON is needed, nested at most 64 deep";
      expect(refused("", "application/json", text))
        .toThrow(expect.objectContaining({ code, message: `Cannot read parameters: ${wanted}` }));
      const query = `?forced=${encodeURIComponent(text)}`;
      expect(refused(query, "application/octet-stream", "ab"))
        .toThrow(expect.objectContaining({ code, message: `Cannot read the query: ${wanted}` }));
    },
  );
});
