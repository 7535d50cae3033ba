import { Net } from "./_net.ts";
const net = new Net({ delayMs: [1, 3] });
net.run(100000);
net.run(600000);
const t1 = Date.now();
const b1 = net.peer(0).blocks.length;
net.run(2400000);
console.log(
  "idle",
  (Date.now() - t1) / ((net.peer(0).blocks.length - b1) * 4),
  "ms per validator and round",
  net.peer(0).blocks.length - b1,
);
