import { accountOf, payTo, World } from "./_world.ts";
import { toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
const N = 2000, BASE = 50000;
const acc = (i: number) => toHex(taggedHash("t", new TextEncoder().encode(String(i))));
const namesN = Array.from({ length: N }, (_, i) => `w${i}`);
const world = new World({
  accounts: [
    ...namesN.map((n) => [accountOf(n), 10_000_000_000n] as const),
    ...Array.from({ length: BASE }, (_, i) => [acc(i), 5n] as const),
  ],
});
console.log("objects", world.state.size());
for (let round = 0; round < 5; round++) {
  const units = namesN.map((n, i) =>
    world.unit(n, [payTo([acc((i * 7 + round * 2000) % BASE), 1000n])])
  );
  const bytes = units.map((u) => world.ledger.encodeSigned(u));
  const t0 = performance.now();
  const dec = bytes.map((b) => world.ledger.decodeSigned(b));
  const t1 = performance.now();
  let ok = 0;
  for (const d of dec) {
    if (
      world.ledger.checkForVote(world.state, d, {
        chain: d.unit.chain,
        head: world.pulse,
        reservedOf: () => 0n,
      }).ok
    ) ok++;
  }
  const t2 = performance.now();
  const c2 = process.cpuUsage();
  const out = world.ledger.execute(world.state, {
    pulse: ++world.pulse,
    timeMs: world.timeMs += 1000n,
    beacon: new Uint8Array(32),
    ordered: dec.map((signed) => ({ type: "unit", signed, forced: false })),
  });
  const t3 = performance.now();
  const c3 = process.cpuUsage(c2);
  world.state = out.state;
  console.log(
    round,
    "decode",
    (t1 - t0).toFixed(1),
    "check",
    (t2 - t1).toFixed(1),
    ok,
    "execute",
    (t3 - t2).toFixed(1),
    "cpu",
    ((c3.user + c3.system) / 1000).toFixed(0),
  );
}
