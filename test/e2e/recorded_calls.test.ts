/** The seed's recorded calls, made anew by the real programs at devnets with real signatures. */
import { expect, it } from "vitest";
import { recordMcpCalls } from "../../scripts/record_docs/recorded.ts";
import { compared } from "../mcp/_recorded_calls.ts";

it("sion mcp answers the seed's calls as recorded, to the word [L-012 L-650..L-660 L-663..L-674 L-676..L-690]", async () => {
  for (const { name, at, seed, now } of compared(await recordMcpCalls())) {
    expect([name, at, now]).toEqual([name, at, seed]);
  }
});
