/** `payments`: payments a second through `sion mcp`, one at a time and 32 at once from four wallets. */
import { join } from "node:path";
import { startDevnet } from "../_sion.ts";
import { type Bench, spread, tenth, timed } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { AT_ONCE, signatureLimit, WALLETS } from "./_limit.ts";
import { callTool, INITIALIZE, type McpLines, startMcp } from "./_mcp_lines.ts";

const WARM_UP = 3;
const ONE_AT_A_TIME = 40;
const WAVES = 6;

/** Each of the two measurements starts nothing more after so long, on however slow a machine. */
const PHASE_LIMIT_MS = 90_000;

async function pay(mcp: McpLines, from = "alice"): Promise<void> {
  const args = { amount_usd: 0.001, from, to: "erin" };
  const { status } = await callTool(mcp, "sion_pay", args);
  if (status !== "Success") throw new Error(`a payment failed: ${JSON.stringify(status)}`);
}

/** Milliseconds of each repetition, as many as asked for or as fit in the time. */
async function repeat(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const endMs = performance.now() + PHASE_LIMIT_MS;
  const took: number[] = [];
  while (took.length < times && performance.now() < endMs) took.push(await timed(work));
  return took;
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
    const lone = await repeat(ONE_AT_A_TIME, () => pay(mcp));
    const waves = await repeat(
      WAVES,
      () =>
        Promise.all(
          Array.from({ length: AT_ONCE }, (_, at) => pay(mcp, WALLETS[at % WALLETS.length])),
        ),
    );
    return {
      one_at_a_time_per_second: tenth(1000 * lone.length / sum(lone)),
      one_at_a_time_ms: spread(lone),
      at_once: AT_ONCE,
      at_once_wallets: WALLETS.length,
      at_once_per_second: tenth(1000 * AT_ONCE * waves.length / sum(waves)),
      wave_ms: spread(waves),
      signature_limit: limit,
    };
  },
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
