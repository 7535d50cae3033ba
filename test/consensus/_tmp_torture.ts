import { Net } from "./_net.ts";
const from = Number(process.argv[2]), to = Number(process.argv[3]);
const mode = process.argv[4] ?? "all";
let bad = 0;
const st = { finals: 0, voids: 0, exec: 0, pulses: 0, failed: 0, sessions: 0 };
const t0 = Date.now();
for (let seed = from; seed < to; seed++) {
  const net = new Net({
    ...(mode === "epochs" ? { parameters: { epochPulses: BigInt(5 + seed % 6) } } : {}),
    seed,
    delayMs: [1, mode === "slow" ? 400 : 120],
    loss: mode === "lossless" ? 0 : 0.05,
    duplicates: 0.05,
  });
  const r = net.random;
  try {
    const units: string[] = [];
    const names = ["alice", "bob", "carol", "dana"];
    const conflict: string[][] = [];
    let crashed = -1;
    const broken = new Set<string>();
    const kept: any[] = [];
    const again = () => {
      for (const u of kept) {
        const d = net.ledger.unitDigest(u.unit);
        const k = Math.floor(r() * 4);
        if (!net.receipts.has(d) && net.peer(k).up) net.submit(k, u);
      }
      net.at(net.nowMs + 2000, again);
    };
    net.at(net.nowMs + 2000, again);
    for (let step = 0; step < 25; step++) {
      net.run(100 + r() * 500);
      const name = names[Math.floor(r() * 4)]!;
      const other = names[Math.floor(r() * 4)]!;
      const i = Math.floor(r() * 4);
      if (!net.peer(i).up) continue;
      if (r() < 0.15 && !broken.has(name)) {
        const a = net.payment(name, other, 1_000_000n);
        const seq = a.unit.members[0]!.sequence;
        const b = net.payment(name, names[Math.floor(r() * 3)]!, 2_000_000n, { sequence: seq });
        const j = [0, 1, 2, 3].filter((k) => k !== i && net.peer(k).up)[Math.floor(r() * 2)]!;
        kept.push(a, b);
        conflict.push([net.submit(i, a), net.submit(j, b)]);
        broken.add(name);
      } else if (!broken.has(name)) {
        const u = net.payment(name, other, 1_000_000n, { count: r() < 0.2 ? 3 : 1 });
        const d = net.submit(i, u);
        const ans = net.peer(i).answers.get(d)!;
        if (ans.type !== "accepted") throw new Error("not accepted " + JSON.stringify(ans));
        units.push(d);
        kept.push(u);
      }
      if (crashed < 0 && r() < 0.15) {
        crashed = Math.floor(r() * 4);
        net.crash(crashed);
      } else if (crashed >= 0 && r() < 0.3) {
        net.restart(crashed);
        crashed = -1;
      }
    }
    if (crashed >= 0) net.restart(crashed);
    const done = () =>
      conflict.every(([a, b]) =>
        net.all.some((x) => x.kind === "void") || net.receipts.has(a!) || net.receipts.has(b!)
      );
    net.run(60_000, done);
    net.run(
      40_000,
      () =>
        net.peers.every((p) =>
          p.validator.status().pulse === net.pulses.length &&
          p.validator.status().certified >= net.pulses.length - 3 && !p.validator.status().busy &&
          [...net.finals()].every((f) => net.receipts.has(f))
        ),
    );
    const finals = net.finals();
    st.finals += finals.size;
    st.voids += net.all.filter((x) => x.kind === "void").length;
    st.exec += net.receipts.size;
    st.pulses += net.pulses.length;
    st.sessions = (st.sessions ?? 0) + net.peer(0).validator.status().session;
    st.failed += net.all.filter((x) => x.outcome.kind === "failed").length;
    for (const f of finals) if (!net.receipts.has(f)) throw new Error("final lost " + f);
    for (const [a, b] of conflict) {
      if (net.receipts.has(a!) && net.receipts.has(b!)) throw new Error("double");
    }
    if (!done()) throw new Error("conflict not settled");
    for (const d of units) {
      if (!net.receipts.has(d)) {
        const lost = net.peers.some((p) => p.dead.has(d));
        console.log(seed, "not executed", d.slice(0, 8), lost ? "dead" : "?");
      }
    }
    for (const p of net.peers) {
      const s = p.validator.status();
      if (p.refused.length || p.alarms.size) {
        throw new Error(`refused ${p.refused[0]} ${[...p.alarms.values()]}`);
      }
      if (s.pulse < net.pulses.length - 2 || s.certified < s.pulse - 4) {
        throw new Error(
          "behind " +
            JSON.stringify(
              net.peers.map((
                q,
              ) => [
                q.validator.status().round,
                q.validator.status().pulse,
                q.validator.status().certified,
              ]),
            ),
        );
      }
    }
  } catch (e) {
    bad++;
    console.log(
      "seed",
      seed,
      (e as Error).message,
      (e as Error).message.length < 15 ? (e as Error).stack : "",
    );
  }
}
console.log(st);
console.log("bad", bad, "of", to - from, Date.now() - t0, "ms");
