/** `mcp-start`: cold start of `sion mcp` to its first answer, which an AI client waits for. */
import { SION, sion } from "../_sion.ts";
import { type Bench, spread, timed } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { signatureLimit } from "./_limit.ts";
import { INITIALIZE, startMcp } from "./_mcp_lines.ts";

const RUNS = 9;

async function once(): Promise<{ readonly first: number; readonly tools: number }> {
  using place = freshPlace();
  const startMs = performance.now();
  await using mcp = startMcp(place);
  await mcp.request("initialize", INITIALIZE);
  const first = performance.now() - startMs;
  const { tools } = await mcp.request("tools/list");
  if (!Array.isArray(tools) || tools.length === 0) throw new Error("sion mcp lists no tools");
  return { first, tools: performance.now() - startMs };
}

export const mcpStart: Bench = {
  name: "mcp-start",
  brief: "cold start of `sion mcp` to the first answer",
  async run() {
    using place = freshPlace();
    const runs: Awaited<ReturnType<typeof once>>[] = [];
    const versions: number[] = [];
    for (let index = 0; index < RUNS; index += 1) {
      runs.push(await once());
      versions.push(await timed(() => sion(place, "--version")));
    }
    return {
      program: SION,
      first_answer_ms: spread(runs.map((run) => run.first)),
      tools_listed_ms: spread(runs.map((run) => run.tools)),
      // No signature is made before the first answer, so the floor is a start that does nothing.
      version_ms: spread(versions),
      signature_limit: { signatures_before_first_answer: 0, ...await signatureLimit() },
    };
  },
};
