/** Sessions: an epoch's end closes one, and the next begins from the last Pulse's certificate. */
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { verifyPulseCertificate } from "#internal/proofs/mod.ts";
import { NAMED } from "../ledger/_world.ts";
import { Net } from "./_net.ts";

const EPOCHS = { parameters: { epochPulses: 6n } };

describe("a chain with epochs", () => {
  it("goes from session to session, with one chain identity [L-125 L-140 L-602]", async () => {
    const net = new Net({ ...EPOCHS, delayMs: [5, 15] });
    const { chain } = net;
    expect(net.peer(0).validator.status()).toMatchObject({ session: 0, epoch: 0, epochEnd: 6 });
    const units: string[] = [];
    for (let k = 0; k < 60; k++) {
      units.push(net.submit(k % 4, net.payment(NAMED[k % 4] ?? "", "bob", 1n)));
      net.run(250);
    }
    expect(net.run(60_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    const { session, epoch, epochEnd } = net.peer(0).validator.status();
    expect(session).toBeGreaterThanOrEqual(2);
    expect(epoch).toBe(session);
    expect(epochEnd).toBe(6 * (session + 1));
    expect(net.peer(0).validator.chain).toBe(chain);
    const sessions = new Map<number, Set<string>>();
    for (const certificate of net.peer(0).certificates) {
      const context = net.certificateContext(certificate.header.session);
      expect((await verifyPulseCertificate(certificate, context)).ok).toBe(true);
      const { session, number, config, sessionEnd } = certificate.header;
      expect(Number(sessionEnd)).toBe(6 * (session + 1));
      const isLast = number === sessionEnd;
      const seen = sessions.get(session) ?? new Set();
      sessions.set(session, seen.add(`${isLast ? "last" : "plain"} ${toHex(config)}`));
    }
    // One configuration a session, and another in its last header, which names the next one's too.
    expect(sessions.get(0)?.size).toBe(2);
    expect(net.peers.flatMap(({ alarms, refused }) => [...alarms.keys(), ...refused])).toEqual([]);
  });

  it("carries what a close left undecided into the next session", () => {
    const net = new Net({ ...EPOCHS, delayMs: [5, 5] });
    net.run(300_000, () => net.peer(0).validator.status().round >= 4 * 6 - 4);
    const unit = net.submit(0, net.payment("alice", "bob", 1n, { validUntil: 30n }));
    expect(net.peer(0).answers.get(unit)).toEqual({ type: "accepted" });
    expect(net.run(60_000, () => net.receipts.has(unit))).toBe(true);
    expect(net.peer(0).validator.status().session).toBe(1);
    expect(net.peer(0).dead.has(unit)).toBe(false);
    expect(net.outcomes(unit)).toEqual(["success"]);
  });

  it("never says of a unit that a close alone ended that it is over", () => {
    const net = new Net({ ...EPOCHS, delayMs: [5, 40] });
    const said = new Set<string>();
    const units: string[] = [];
    for (let k = 0; k < 400 && net.peer(0).validator.status().session < 2; k++) {
      if (k % 4 === 0) units.push(net.submit(0, net.payment(NAMED[k % 3] ?? "", "bob", 1n)));
      net.run(20);
      for (const unit of units) said.add(net.peer(0).validator.standing(unit));
    }
    expect(net.run(60_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
    expect(said).not.toContain("dead");
    expect([...net.peer(0).answers.values()].every(({ type }) => type === "accepted")).toBe(true);
  });

  for (let seed = 1; seed <= 3; seed++) {
    it(`takes back one that slept through a session, and restarts all, seed ${seed}`, () => {
      const net = new Net({ ...EPOCHS, seed, delayMs: [1, 100], loss: 0.03 });
      net.run(1000);
      net.crash(seed);
      const units: string[] = [];
      for (let k = 0; k < 40; k++) {
        const name = NAMED[k % 4] ?? "";
        units.push(net.submit(0, net.payment(name, "bob", 1n)));
        net.run(400);
      }
      expect(net.peer(0).validator.status().session).toBeGreaterThanOrEqual(1);
      net.restart(seed);
      expect(net.run(60_000, () => net.isLevel())).toBe(true);
      expect(net.peer(seed).validator.status().session)
        .toBe(net.peer(0).validator.status().session);
      for (let i = 0; i < 4; i++) net.crash(i);
      for (let i = 0; i < 4; i++) net.restart(i);
      const last = net.submit(seed, net.payment("alice", "bob", 1n));
      expect(net.run(60_000, () => net.receipts.has(last) && net.isLevel())).toBe(true);
      expect(units.filter((unit) => !net.receipts.has(unit))).toEqual([]);
    });
  }
});
