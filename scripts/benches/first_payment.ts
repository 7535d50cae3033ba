/** `first-payment`: from the start of `sion devnet` in an empty folder to the first confirmed payment. */
import { join } from "node:path";
import { sion, startDevnet } from "../_sion.ts";
import { type Bench, spread } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { signatureLimit } from "./_limit.ts";

const RUNS = 5;

type Times = { readonly readyMs: number; readonly payMs: number; readonly totalMs: number };

async function once(): Promise<Times> {
  using place = freshPlace();
  const startMs = performance.now();
  await using devnet = await startDevnet(place, "--dir", join(place.folder, "devnet"));
  const readyMs = performance.now() - startMs;
  const paid = await sion({ ...place, node: devnet.node }, "pay", "alice", "bob", "1", "--json");
  const totalMs = performance.now() - startMs;
  if (paid.code !== 0) throw new Error(`the payment failed: ${paid.stderr}${paid.stdout}`);
  return { readyMs, payMs: totalMs - readyMs, totalMs };
}

export const firstPayment: Bench = {
  name: "first-payment",
  brief: "start of `sion devnet` to the first confirmed payment",
  async run() {
    const runs: Times[] = [];
    for (let index = 0; index < RUNS; index += 1) runs.push(await once());
    return {
      devnet_ready_ms: spread(runs.map((run) => run.readyMs)),
      pay_ms: spread(runs.map((run) => run.payMs)),
      total_ms: spread(runs.map((run) => run.totalMs)),
      signature_limit: await signatureLimit(),
    };
  },
};
