/** Keys that change: the session ends, the old key signs to its end, the new one from then on. */
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import type { Header } from "#internal/proofs/mod.ts";
import { validatorId, verifyPulseCertificate } from "#internal/proofs/mod.ts";
import { accountOf, FUNDS, NAMED } from "../ledger/_world.ts";
import type { NetOptions } from "./_net.ts";
import { keyOf, Net } from "./_net.ts";

const OPERATORS = [0, 1, 2, 3].map((i) => `operator-${i}`);
const ACCOUNTS = [...NAMED, ...OPERATORS].map((name) => [accountOf(name), FUNDS] as const);

function netOf(options: NetOptions = {}): Net {
  return new Net({ accounts: ACCOUNTS, delayMs: [5, 15], ...options });
}

/** Payments by way of validators that sign and go on to, until one is executed in a session. */
function payUntil(net: Net, session: number, leaving: readonly number[] = []): string[] {
  const units: string[] = [];
  const reached = (): boolean =>
    net.effects.some(({ header, receipts }) => header.session === session && receipts.length > 0);
  for (let k = 0; k < 400 && !reached(); k++) {
    const signers = net.peers.flatMap(({ up, validator }, i) =>
      up && validator.status().signs && !leaving.includes(i) ? [i] : []
    );
    const by = signers[k % signers.length] ?? 0;
    units.push(net.submit(by, net.payment(NAMED[k % 4] ?? "", "bob", 1n)));
    net.run(250);
  }
  expect(net.run(60_000, () => units.every((unit) => net.receipts.has(unit)))).toBe(true);
  expect(units.flatMap((unit) => net.outcomes(unit)).every((one) => one === "success")).toBe(true);
  return units;
}

function headers(net: Net, session: number): Header[] {
  return net.effects.map(({ header }) => header).filter((header) => header.session === session);
}

/** The Pulse that executed a unit. */
function pulseOf(net: Net, unit: string): number {
  return Number(net.receipts.get(unit)?.[0]?.pulse);
}

function idsOf(net: Net, session: number): (string | undefined)[] {
  return net.sessions[session]?.validators.map(({ id }) => id) ?? [];
}
const ids = (...keys: number[]): string[] => keys.map((key) => validatorId(keyOf(key)));

async function checkCertificates(net: Net): Promise<void> {
  for (const certificate of net.peer(0).certificates) {
    const context = net.certificateContext(certificate.header.session);
    expect((await verifyPulseCertificate(certificate, context)).ok).toBe(true);
  }
  expect(net.peers.flatMap(({ alarms, refused }) => [...alarms.keys(), ...refused])).toEqual([]);
}

describe("a validator's key that changes", () => {
  it("ends the session seven Pulses later, and signs to its end [L-140 L-643]", async () => {
    const net = netOf();
    net.run(2000);
    const rotation = net.submit(1, net.rotation(1, 9));
    payUntil(net, 1, [1]);
    const at = pulseOf(net, rotation);
    expect(net.outcomes(rotation)).toEqual(["success"]);
    const ends = headers(net, 0).map(({ number, sessionEnd }) => [Number(number), sessionEnd]);
    const expected = ends.map(([number]) => [number, Number(number) < at ? null : BigInt(at + 7)]);
    expect(ends).toEqual(expected);
    const last = headers(net, 0).at(-1);
    expect(Number(last?.number)).toBeGreaterThanOrEqual(at + 7);
    expect(last?.anchors.filter(({ round }) => round >= 4 * (at + 7) - 3).length).toBe(1);
    expect([idsOf(net, 0), idsOf(net, 1)]).toEqual([ids(0, 1, 2, 3), ids(0, 9, 2, 3)]);
    expect(headers(net, 1).every(({ sessionEnd, epoch }) => sessionEnd === null && epoch === 0n))
      .toBe(true);
    // The old key's process follows from now on, and has signed up to the session's end.
    expect(net.peer(1).validator.self).toBeNull();
    expect(net.peer(1).validator.status()).toMatchObject({ signs: false, session: 1 });
    expect(net.peer(1).blocks.at(-1)?.round).toBeGreaterThan(4 * (at + 7) - 8);
    await checkCertificates(net);
  });

  it("signs with a store of its own, and follows until its session begins, without a restart", async () => {
    const net = netOf();
    net.run(1000);
    payUntil(net, 0);
    net.crash(2);
    net.restart(2, { wiped: true, key: 9 });
    const made = net.peer(2).blocks.length;
    expect(net.peer(2).validator.status().signs).toBe(false);
    const rotation = net.submit(0, net.rotation(2, 9));
    payUntil(net, 1);
    expect(net.outcomes(rotation)).toEqual(["success"]);
    expect(net.run(20_000, () => net.isLevel())).toBe(true);
    const paid = net.submit(2, net.payment("alice", "bob", 1n));
    expect(net.run(20_000, () => net.receipts.has(paid))).toBe(true);
    expect(net.peer(2).validator.self).toBe(2);
    expect(net.peer(2).validator.status()).toMatchObject({ signs: true, session: 1 });
    const first = net.peer(2).blocks[made];
    expect(first?.round).toBe(4 * Number(headers(net, 0).at(-1)?.number) + 1);
    await checkCertificates(net);
  });

  it("begins its session with a weight of its stake, whatever the others' [L-474]", async () => {
    const net = netOf({ stakes: [100_000n, 400_000n, 250_000n, 150_000n, 90_000n], validators: 5 });
    net.run(500);
    net.submit(3, net.rotation(3, 8));
    payUntil(net, 1, [3]);
    const weights = (session: number) => net.committeeOf(session).members.map((one) => one.weight);
    expect(weights(1)).toEqual(weights(0));
    expect(idsOf(net, 1)).toEqual(ids(0, 1, 2, 8, 4));
    await checkCertificates(net);
  });

  it("changes with others' in one session, and again in the next", async () => {
    const net = netOf();
    net.run(500);
    const first = net.submit(2, net.rotation(0, 10));
    net.run(400);
    const second = net.submit(2, net.rotation(1, 11));
    const early = net.submit(2, net.rotation(0, 12));
    // Two old keys are needed until the session's last Pulse is certified.
    const begun = (i: number) => net.peer(i).validator.status().session === 1;
    expect(net.run(60_000, () => [0, 1, 2, 3].every(begun))).toBe(true);
    for (const i of [0, 1]) {
      net.crash(i);
      net.restart(i, { wiped: true, key: 10 + i });
    }
    payUntil(net, 1);
    expect([first, second, early].flatMap((unit) => net.outcomes(unit)))
      .toEqual(["success", "success", "failed"]);
    expect(headers(net, 0).at(-1)?.sessionEnd).toBe(BigInt(pulseOf(net, first) + 7));
    expect(idsOf(net, 1)).toEqual(ids(10, 11, 2, 3));
    net.submit(2, net.rotation(0, 13));
    payUntil(net, 2, [0]);
    expect(idsOf(net, 2)).toEqual(ids(13, 11, 2, 3));
    await checkCertificates(net);
  });

  it("ends a session within an epoch, which goes on", async () => {
    const net = netOf({ parameters: { epochPulses: 20n } });
    net.run(500);
    net.submit(0, net.rotation(3, 9));
    net.run(100);
    net.crash(3);
    net.restart(3, { wiped: true, key: 9 });
    payUntil(net, 3);
    const spans = [0, 1, 2].map((session) => headers(net, session).at(-1));
    expect(spans.map((last) => Number(last?.epoch))).toEqual([0, 0, 1]);
    expect(Number(spans[0]?.number)).toBeLessThan(20);
    expect(spans.slice(1).map((last) => last?.sessionEnd)).toEqual([20n, 40n]);
    expect(net.peer(0).validator.status()).toMatchObject({ epoch: 2, epochEnd: 60 });
    expect(headers(net, 3)[0]?.epoch).toBe(2n);
    await checkCertificates(net);
  });

  for (let seed = 1; seed <= 4; seed++) {
    it(`survives crashes of all at any time, seed ${seed}`, async () => {
      const net = netOf({ seed, delayMs: [1, 100], loss: 0.03, duplicates: 0.05 });
      const rotations = [[0, 9], [3, 10], [0, 11]] as const;
      const keys = [0, 1, 2, 3];
      rotations.forEach(([i, key], at) => {
        net.submit(1, net.rotation(i, key));
        for (let step = 0; step < 30; step++) {
          net.run(400);
          net.submit(1, net.payment(NAMED[step % 4] ?? "", "bob", 1n));
          const victim = Math.floor(net.random() * 4);
          if (step % 5 !== 0 || !net.peers.every(({ up }) => up)) continue;
          net.crash(victim);
          net.run(200);
          net.restart(victim);
          for (const one of [0, 1, 2, 3]) if (step === 20 && one !== victim) net.crash(one);
          for (const one of [0, 1, 2, 3]) if (step === 20 && one !== victim) net.restart(one);
        }
        // The operator's new process takes over once the session is over.
        expect(net.run(60_000, () => net.sessions.length > at + 1)).toBe(true);
        keys[i] = key;
        net.crash(i);
        net.restart(i, { wiped: true, key });
        expect(net.run(120_000, () => net.isLevel())).toBe(true);
      });
      expect(idsOf(net, 3)).toEqual(ids(...keys));
      await checkCertificates(net);
      expect(
        new Set(
          net.sessions.map(({ validators }) =>
            validators.map(({ publicKey }) => toHex(publicKey)).join()
          ),
        ).size,
      )
        .toBe(net.sessions.length);
    });
  }
});
