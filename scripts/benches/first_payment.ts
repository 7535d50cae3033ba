/** `first-payment`: from the start of `sion devnet` in an empty folder to the first confirmed payment. */
import { type Bench, spread } from "./_bench.ts";
import { signatureLimit } from "./_limit.ts";
import { type FirstPayment, firstPaymentOf } from "./_start.ts";

const RUNS = 5;

export const firstPayment: Bench = {
  name: "first-payment",
  brief: "start of `sion devnet` to the first confirmed payment",
  async run() {
    const runs: FirstPayment[] = [];
    for (let index = 0; index < RUNS; index += 1) runs.push(await firstPaymentOf());
    return {
      devnet_ready_ms: spread(runs.map((run) => run.readyMs)),
      pay_ms: spread(runs.map((run) => run.payMs)),
      final_ms: spread(runs.map((run) => run.finalMs)),
      total_ms: spread(runs.map((run) => run.executedMs)),
      signature_limit: await signatureLimit(),
    };
  },
};
