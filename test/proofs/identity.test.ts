/** Committees, quorums, headers and chain identities. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode, toHex } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import {
  committeeOf,
  cutWeights,
  firstRoundOf,
  FORMAT_VERSION,
  genesisOf,
  headerCodec,
  headerDigest,
  lastRoundOf,
  pulseOfRound,
  quorumOf,
  validatorId,
} from "#internal/proofs/mod.ts";
import { genesisWith, header } from "./_signed.ts";

describe("quorumOf()", () => {
  it("is floor(2·total/3)+1 [L-264]", () => {
    expect(quorumOf(400_000n)).toBe(266_667n);
    expect([1n, 2n, 3n, 4n, 5n, 6n, 7n].map(quorumOf)).toEqual([1n, 2n, 3n, 3n, 4n, 5n, 5n]);
  });
});

describe("cutWeights()", () => {
  it("leaves equal stakes, and committees below four, as they are", () => {
    expect(cutWeights([5n, 5n, 5n, 5n])).toEqual([5n, 5n, 5n, 5n]);
    expect(cutWeights([9n, 1n])).toEqual([9n, 1n]);
  });

  it("leaves nobody a third, and cuts as little as that takes", () => {
    const stake = fc.bigInt({ min: 1n, max: 1n << 60n });
    fc.assert(fc.property(fc.array(stake, { minLength: 4, maxLength: 16 }), (stakes) => {
      const weights = cutWeights(stakes);
      const total = weights.reduce((sum, weight) => sum + weight, 0n);
      const most = weights.reduce((max, weight) => (weight > max ? weight : max), 0n);
      expect(3n * most < total).toBe(true);
      weights.forEach((weight, i) => expect(weight <= (stakes[i] ?? 0n)).toBe(true));
      const more = most + 1n;
      const cut = stakes.some((stake) => stake > most);
      const allowed = 3n * more < stakes.reduce((sum, s) => sum + (s < more ? s : more), 0n);
      expect(cut && allowed).toBe(false);
    }));
  });
});

describe("committeeOf()", () => {
  const members = (stakes: readonly bigint[]) =>
    stakes.map((stake, i) => ({ publicKey: Uint8Array.of(i), stake }));

  it("counts weights by mask, and two quorums share more than a third", () => {
    const stake = fc.bigInt({ min: 1n, max: 1000n });
    fc.assert(
      fc.property(
        fc.array(stake, { minLength: 1, maxLength: 7 }),
        fc.nat(127),
        fc.nat(127),
        (stakes, a, b) => {
          const committee = committeeOf(members(stakes));
          const all = (1 << stakes.length) - 1;
          const [one, two] = [a & all, b & all];
          expect(committee.isQuorum(one)).toBe(committee.weightOf(one) >= committee.quorum);
          if (committee.isQuorum(one) && committee.isQuorum(two)) {
            expect(committee.hasHonest(one & two)).toBe(true);
          }
        },
      ),
    );
  });

  it("derives each validator's id from its key [L-260]", () => {
    const committee = committeeOf(members([1n, 1n]));
    expect(committee.members.map(({ id }) => id)).toEqual([
      validatorId(Uint8Array.of(0)),
      validatorId(Uint8Array.of(1)),
    ]);
    expect(validatorId(Uint8Array.of(0))).toMatch(/^[0-9a-f]{64}$/);
  });

  it("refuses no validators, seventeen, repeated keys and no stake", () => {
    expect(() => committeeOf([])).toThrow(RangeError);
    expect(() => committeeOf(members(new Array(17).fill(1n)))).toThrow(RangeError);
    expect(() => committeeOf([...members([1n]), ...members([1n])])).toThrow(RangeError);
    expect(() => committeeOf(members([1n, 0n]))).toThrow(RangeError);
  });
});

describe("pulseOfRound()", () => {
  it("puts four rounds into each Pulse [L-138]", () => {
    expect([1, 4, 5, 814].map(pulseOfRound)).toEqual([1, 1, 2, 204]);
    expect(firstRoundOf(202)).toBe(805);
    expect(lastRoundOf(202)).toBe(808);
  });
});

describe("headerDigest()", () => {
  it("covers every field of the header [L-597]", () => {
    const other: Partial<Record<keyof typeof header, unknown>> = {
      sessionEnd: 1n,
      anchors: [{ round: 1, author: 0, id: new Uint8Array(32) }],
    };
    const digests = Object.entries(header).map(([name, value]) => {
      const changed = other[name as keyof typeof header] ??
        (value instanceof Uint8Array
          ? value.map((byte) => byte ^ 1)
          : typeof value === "bigint"
          ? value + 1n
          : Number(value) + 1);
      return toHex(headerDigest({ ...header, [name]: changed }));
    });
    expect(new Set([...digests, toHex(headerDigest(header))]).size).toBe(digests.length + 1);
  });

  it("is over one canonical encoding", () => {
    const bytes = encode(headerCodec, header);
    expect(decode(headerCodec, bytes)).toEqual(header);
    expect(() => decode(headerCodec, new Uint8Array([...bytes, 0]))).toThrow();
  });
});

describe("genesisOf()", () => {
  const ledger = createLedger();
  const identities = (change: Partial<Genesis>) => {
    const { chain, genesis } = genesisOf(genesisWith(change), ledger);
    return { chain, genesis };
  };

  it("gives chain and genesis distinct identities that pin everything [L-113 L-130 L-260]", () => {
    const base = identities({});
    expect(base.chain).not.toBe(base.genesis);
    const { validators } = genesisWith();
    const changes: Partial<Genesis>[] = [
      { chainId: "sion-test-2" },
      { shards: 4 },
      { timeMs: 5n },
      { accounts: [] },
      { insecure: false },
      { parameters: { epochPulses: 12n } },
      { parameters: { faucet: true } },
      { validators: validators.slice(1) },
      { validators: validators.map((v, i) => (i === 0 ? { ...v, operator: "00".repeat(32) } : v)) },
      { validators: validators.map((v, i) => (i === 0 ? { ...v, stake: 1n } : v)) },
    ];
    const chains = changes.map((change) => identities(change).chain);
    expect(new Set([...chains, base.chain]).size).toBe(changes.length + 1);
    expect(identities({})).toEqual(base);
  });

  it("refuses another format version", () => {
    expect(() => genesisOf(genesisWith({ version: 1 }), ledger)).toThrow(
      `Cannot read genesis: it has format 1, this program has ${FORMAT_VERSION}`,
    );
  });
});
