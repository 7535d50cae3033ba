/** `payments`: payments a second through `sion mcp`, one at a time and 32 at once, signed as they go. */
import { join } from "node:path";
import { startDevnet } from "../_sion.ts";
import { type Bench, spread, tenth, timed } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { signatureLimit } from "./_limit.ts";
import { callTool, INITIALIZE, type McpLines, startMcp } from "./_mcp_lines.ts";

const WARM_UP = 3;
const ONE_AT_A_TIME = 30;
const AT_ONCE = 32;
const WAVES = 5;

async function pay(mcp: McpLines): Promise<void> {
  const args = { amount_usd: 0.001, from: "alice", to: "bob" };
  const { status } = await callTool(mcp, "sion_pay", args);
  if (status !== "Success") throw new Error(`a payment failed: ${JSON.stringify(status)}`);
}

async function wave(mcp: McpLines): Promise<number> {
  return await timed(() => Promise.all(Array.from({ length: AT_ONCE }, () => pay(mcp))));
}

export const payments: Bench = {
  name: "payments",
  brief: "payments a second through `sion mcp`, one at a time and 32 at once",
  async run() {
    const limit = await signatureLimit();
    using place = freshPlace();
    await using devnet = await startDevnet(place, "--dir", join(place.folder, "devnet"));
    await using mcp = startMcp({ ...place, node: devnet.node });
    await mcp.request("initialize", INITIALIZE);
    for (let index = 0; index < WARM_UP; index += 1) await pay(mcp);
    const lone: number[] = [];
    for (let index = 0; index < ONE_AT_A_TIME; index += 1) lone.push(await timed(() => pay(mcp)));
    const waves: number[] = [];
    for (let index = 0; index < WAVES; index += 1) waves.push(await wave(mcp));
    return {
      one_at_a_time_per_second: tenth(1000 * lone.length / sum(lone)),
      one_at_a_time_ms: spread(lone),
      at_once: AT_ONCE,
      at_once_per_second: tenth(1000 * AT_ONCE * WAVES / sum(waves)),
      wave_ms: spread(waves),
      signature_limit: limit,
    };
  },
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
