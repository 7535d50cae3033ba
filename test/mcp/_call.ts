/** One call of a tool, over the wire of the protocol. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { LedgerContext, ServerDefinition } from "#internal/mcp/mod.ts";
import { answersTo, modernRequest } from "./_peer.ts";

/** What a call gave. */
export type Called = {
  readonly isError?: boolean;
  readonly text: string;
  readonly value: JsonValue;
};

/** Calls a tool of a server as clients of the modern era do. */
export async function call(
  server: ServerDefinition<LedgerContext>,
  name: string,
  given: unknown,
): Promise<Called> {
  const [answer] = await answersTo(
    [modernRequest(1, "tools/call", { name, arguments: given })],
    server,
  );
  const result = answer?.["result"] as unknown as {
    isError?: boolean;
    content: { text: string }[];
    structuredContent: JsonValue;
  };
  return {
    ...(result.isError === undefined ? {} : { isError: result.isError }),
    text: result.content[0]?.text ?? "",
    value: result.structuredContent,
  };
}
