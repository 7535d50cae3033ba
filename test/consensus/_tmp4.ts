import { Net } from "./_net.ts";
import { accountOf, FUNDS } from "../ledger/_world.ts";
const wallets = Array.from({ length: 400 }, (_, i) => `w${i}`);
const net = new Net({
  delayMs: [1, 3],
  accounts: wallets.map((n) => [accountOf(n), FUNDS] as const),
});
net.run(1000);
const t0 = process.cpuUsage().user / 1000;
const v0 = net.nowMs;
const units: string[] = [];
let busy = 0;
const lat = new Map<string, number>();
for (let k = 0; k < 2000; k++) {
  const u = net.submit(k % 4, net.payment(wallets[k % 400]!, "bob", 1000n));
  if (net.peer(k % 4).answers.get(u)!.type !== "accepted") {
    console.log(net.peer(k % 4).answers.get(u));
  }
  units.push(u);
  lat.set(u, net.nowMs);
  net.run(2);
}
const t = net.run(60000, () => units.every((u) => net.receipts.has(u)));
const cpu = process.cpuUsage().user / 1000 - t0;
console.log(
  "2000 units",
  t,
  "virtual",
  net.nowMs - v0,
  "cpu ms",
  cpu,
  "per unit and validator",
  cpu / 8000,
  "pulses",
  net.pulses.length,
  "blocks",
  net.peer(0).blocks.length,
);
const ls = units.map((u, k) => (net.peer(k % 4).final.get(u) ?? NaN) - lat.get(u)!).filter((x) =>
  x === x
).sort((a, b) => a - b);
console.log("final p50", ls[ls.length >> 1], "p95", ls[Math.floor(ls.length * 0.95)], ls.length);
