import { Net } from "./_net.ts";
// latency
for (const n of [1, 4, 7, 16]) {
  const net = new Net({ validators: n, delayMs: [20, 20] });
  net.run(20000);
  const blocks0 = net.peer(0).blocks.length;
  const lat: number[] = [];
  for (let k = 0; k < 5; k++) {
    const t = net.nowMs;
    const u = net.submit(k % n, net.payment("alice", "bob", 1n * 1000000n));
    net.run(3000, () => net.peer(k % n).final.has(u) || net.receipts.has(u));
    const f = net.nowMs - t;
    net.run(5000, () => net.receipts.has(u));
    const e = net.nowMs - t;
    const p = net.pulses.length;
    net.run(5000, () => net.peer(0).validator.status().certified >= p);
    lat.push(f, e, net.nowMs - t);
    net.run(7000);
  }
  const b = net.peer(0).blocks;
  console.log(
    n,
    lat.join(" "),
    "rounds idle in 20s",
    blocks0,
    "pulses",
    net.pulses.length,
    net.peer(0).validator.status().certified,
    "refused",
    net.peers.map((p) => p.refused.length).join(),
  );
}
// throughput, 4 validators
{
  const net = new Net({ delayMs: [1, 3] });
  net.run(1000);
  const t0 = Date.now();
  const v0 = net.nowMs;
  const units: string[] = [];
  for (let k = 0; k < 200; k++) {
    for (const name of ["alice", "bob", "carol", "dana"]) {
      units.push(net.submit(k % 4, net.payment(name, "bob", 1000n, {})));
    }
    net.run(25);
  }
  const done = net.run(60000, () => units.every((u) => net.receipts.has(u)));
  console.log(
    "800 units",
    done,
    "virtual",
    net.nowMs - v0,
    "real",
    Date.now() - t0,
    "pulses",
    net.pulses.length,
    "blocks",
    net.peer(0).blocks.length,
  );
  const t1 = Date.now();
  const b1 = net.peer(0).blocks.length;
  net.run(600000);
  console.log(
    "idle",
    (Date.now() - t1) / ((net.peer(0).blocks.length - b1) * 4),
    "ms per block*4 real",
    net.peer(0).validator.status().blocks,
  );
}
