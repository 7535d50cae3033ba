import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { encode, SionError, u16 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import {
  accountId,
  createLedger,
  MAX_MEMBERS,
  memberDigest,
  objectId,
  policyCodec,
  policyOfKey,
} from "#internal/ledger/mod.ts";
import { fromHex, idBytes, toHex } from "#internal/core/mod.ts";
import { accountOf, CHAIN, payTo, policyOf, World } from "./_world.ts";

const bob = accountOf("bob");

function signed(count: number): SignedUnit {
  return new World().unit("alice", Array.from({ length: count }, () => payTo([bob, 1n])));
}

describe("Ledger.encodeSigned()", () => {
  test("Ledger.decodeSigned() reads what encodeSigned() wrote, and no other bytes [L-299 L-300]", () => {
    const { ledger } = new World();
    const bytes = ledger.encodeSigned(signed(2));
    expect(ledger.decodeSigned(bytes)).toEqual(signed(2));
    expect(() => ledger.decodeSigned(Uint8Array.of(...bytes, 0))).toThrow(SionError);
    fc.assert(fc.property(fc.nat(bytes.length - 1), (length) => {
      expect(() => ledger.decodeSigned(bytes.subarray(0, length))).toThrow(SionError);
    }));
  });

  test("Ledger.decodeSigned() refuses a flipped bit or reads another unit [L-300]", () => {
    const { ledger } = new World();
    const unit = signed(1);
    const bytes = ledger.encodeSigned(unit);
    fc.assert(fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      let read: SignedUnit;
      try {
        read = ledger.decodeSigned(changed);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SionError);
        return;
      }
      expect(read).not.toEqual(unit);
      expect(ledger.encodeSigned(read)).toEqual(changed);
    }));
  });

  test("Ledger.decodeSigned() of any bytes throws nothing but a codec error", () => {
    const { ledger } = new World();
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(() => ledger.decodeSigned(bytes)).toThrow(SionError);
    }));
  });

  const unit = signed(2);
  const { members } = unit.unit;
  const wrong: [string, SignedUnit][] = [
    ["no members", { ...unit, unit: { ...unit.unit, members: [] } }],
    ["129 members", signed(MAX_MEMBERS + 1)],
    [
      "one slot twice",
      { ...unit, unit: { ...unit.unit, members: members.map((m) => ({ ...m, sequence: 0n })) } },
    ],
    [
      "slots out of order",
      { ...unit, unit: { ...unit.unit, members: [...members].reverse() } },
    ],
    ["a salt too few", {
      ...unit,
      authorization: { ...unit.authorization, salts: [new Uint8Array(0)] },
    }],
    ["no signature", { ...unit, authorization: { ...unit.authorization, signatures: [] } }],
    [
      "more signatures than its policy asks for",
      {
        ...unit,
        authorization: {
          ...unit.authorization,
          signatures: [0, 0].map((key) => ({ key, signature: new Uint8Array(32) })),
        },
      },
    ],
    [
      "a signature of no key",
      {
        ...unit,
        authorization: {
          ...unit.authorization,
          signatures: [{ key: 1, signature: new Uint8Array(32) }],
        },
      },
    ],
    [
      "a threshold above its keys",
      {
        ...unit,
        authorization: {
          ...unit.authorization,
          policy: { threshold: 2, keys: policyOf("a").keys },
        },
      },
    ],
    ["an unknown kind", {
      ...unit,
      unit: { ...unit.unit, members: [{ account: bob, sequence: 0n, kind: "x", body: 0 }] },
    }],
  ];
  test.each(wrong)("Ledger.encodeSigned() refuses a unit with %s", (_what, value) => {
    expect(() => createLedger().encodeSigned(value)).toThrow(TypeError);
  });

  test("Ledger.decodeSigned() refuses keys out of order and repeated signers", () => {
    const { ledger } = new World();
    const keys = ["a", "b"].flatMap((name) => policyOf(name).keys)
      .sort((a, b) => toHex(a) < toHex(b) ? -1 : 1);
    const policy = { threshold: 2, keys };
    const account = accountId(policy, new Uint8Array(0));
    const both: SignedUnit = {
      unit: { ...signed(1).unit, members: [{ account, sequence: 0n, ...payTo([bob, 1n]) }] },
      authorization: {
        policy,
        salts: [new Uint8Array(0)],
        signatures: [0, 1].map((key) => ({ key, signature: new Uint8Array(32) })),
      },
    };
    expect(ledger.decodeSigned(ledger.encodeSigned(both))).toEqual(both);
    expect(ledger.fees(both)).toEqual([1900n]);
    const oneOfTwo = { ...both.authorization, policy: { ...policy, threshold: 1 } };
    expect(() => ledger.encodeSigned({ ...both, authorization: oneOfTwo })).toThrow(
      /as many signatures as/,
    );
    const hex = toHex(ledger.encodeSigned(both));
    const [first = "", second = ""] = keys.map((key) => toHex(key));
    const swapped = hex.replace(`${first}20${second}`, `${second}20${first}`);
    expect(swapped).not.toBe(hex);
    expect(() => ledger.decodeSigned(fromHex(swapped))).toThrow(/ascending/);
    const signature = `20${"00".repeat(32)}`;
    const repeated = hex.replace(`01${signature}`, `00${signature}`);
    expect(repeated).not.toBe(hex);
    expect(() => ledger.decodeSigned(fromHex(repeated))).toThrow(/order of keys/);
  });

  test("Ledger.encodeSigned() refuses more than 512 KiB", () => {
    const outputs = Array.from({ length: 64 }, () => [bob, 1n] as const);
    const units = new World().unit("alice", Array.from({ length: 128 }, () => payTo(...outputs)));
    const { ledger } = new World();
    expect(ledger.encodeSigned(units).length).toBeLessThan(512 * 1024);
    expect(() => ledger.decodeSigned(new Uint8Array(512 * 1024 + 1))).toThrow(/over 524288 bytes/);
  });
});

describe("Ledger.unitDigest()", () => {
  test("Ledger.unitDigest() covers neither signatures nor salts [L-603]", () => {
    const { ledger } = new World();
    const unit = signed(1);
    const bytes = ledger.encodeUnit(unit.unit);
    expect(ledger.unitDigest(unit.unit)).toBe(toHex(taggedHash("sion/unit/v1", bytes)));
    const other = ledger.decodeSigned(ledger.encodeSigned({
      ...unit,
      authorization: {
        ...unit.authorization,
        signatures: [{ key: 0, signature: new Uint8Array(7) }],
      },
    }));
    expect(ledger.unitDigest(other.unit)).toBe(ledger.unitDigest(unit.unit));
  });

  test("Ledger.memberDigests() hash the unit's digest and the place in it", () => {
    const { ledger } = new World();
    const { unit } = signed(3);
    const digest = ledger.unitDigest(unit);
    const expected = [0, 1, 2].map((at) =>
      toHex(taggedHash("sion/member/v1", idBytes(digest), encode(u16, at)))
    );
    expect(ledger.memberDigests(unit)).toEqual(expected);
    expect(memberDigest(digest, 2)).toBe(expected[2]);
    expect(objectId(expected[0] ?? "", 1)).toBe(
      toHex(taggedHash("sion/object/v1", idBytes(expected[0] ?? ""), encode(u16, 1))),
    );
  });

  test("Ledger.unitDigest() differs for every field of a unit", () => {
    const { ledger } = new World();
    const { unit } = signed(1);
    const [member] = unit.members;
    if (!member) throw new Error();
    const variants = [
      unit,
      { ...unit, chain: bob },
      { ...unit, validUntil: unit.validUntil + 1n },
      { ...unit, maxFee: unit.maxFee + 1n },
      { ...unit, members: [{ ...member, account: bob }] },
      { ...unit, members: [{ ...member, sequence: 1n }] },
      { ...unit, members: [{ ...member, ...payTo([bob, 2n]) }] },
    ];
    expect(new Set(variants.map(ledger.unitDigest)).size).toBe(variants.length);
  });
});

describe("accountId()", () => {
  test("accountId() depends on the policy and the salt, and on nothing else [L-070 L-586 L-604]", () => {
    const policy = policyOf("alice");
    const plain = accountId(policy, new Uint8Array(0));
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(accountId(policyOfKey(policy.keys[0] ?? new Uint8Array(1)), new Uint8Array(0))).toBe(
      plain,
    );
    expect(accountId(policy, Uint8Array.of(0))).not.toBe(plain);
    expect(accountId(policyOf("bob"), new Uint8Array(0))).not.toBe(plain);
    expect(() => accountId(policy, new Uint8Array(33))).toThrow(TypeError);
  });

  test.each([
    { threshold: 0, keys: [Uint8Array.of(1)] },
    { threshold: 1, keys: [] },
    { threshold: 1, keys: [new Uint8Array(0)] },
    { threshold: 1, keys: [Uint8Array.of(1), Uint8Array.of(1)] },
  ])("policyCodec refuses the policy %o", (policy) => {
    expect(() => encode(policyCodec, policy)).toThrow(TypeError);
  });
});

test("Ledger.slots() are those of the members", () => {
  const account = accountOf("alice");
  expect(createLedger().slots(signed(2).unit)).toEqual([
    { account, sequence: 0n },
    { account, sequence: 1n },
  ]);
  expect(signed(1).unit.chain).toBe(CHAIN);
});
