import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode, fromHex, SionError, toHex, utf8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { EventValue } from "#internal/ledger/mod.ts";
import {
  accountKey,
  assetKind,
  checkConservation,
  createLedger,
  genesisState,
  LedgerError,
  restoreState,
  shardOf,
  USD,
} from "#internal/ledger/mod.ts";
import { IdMap } from "../../internal/ledger/_id_map.ts";
import { accountKeys } from "../../internal/ledger/account_key.ts";
import { eventValueCodec } from "../../internal/ledger/event_value.ts";
import { accountOf, usd } from "./_world.ts";

const ledger = createLedger();
const hexId = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{64}$/),
  // Ids that share all but their last digits.
  fc.nat(300).map((n) => n.toString(16).padStart(64, "0")),
);

describe("IdMap", () => {
  test("IdMap holds what a Map holds, version by version", () => {
    const batches = fc.array(fc.array(fc.tuple(hexId, fc.nat()), { maxLength: 20 }), {
      maxLength: 6,
    });
    fc.assert(fc.property(batches, (updates) => {
      let map = IdMap.empty<number>();
      let model = new Map<string, number>();
      const versions: [IdMap<number>, Map<string, number>][] = [];
      for (const update of updates) {
        map = map.withAll(update);
        model = new Map([...model, ...update]);
        versions.push([map, model]);
      }
      for (const [version, expected] of versions) {
        expect(version.size).toBe(expected.size);
        expect([...version.entries()]).toEqual([...expected].sort(([a], [b]) => a < b ? -1 : 1));
        for (const [key, value] of expected) expect(version.get(key)).toBe(value);
        expect(version.get("f".repeat(64))).toBe(expected.get("f".repeat(64)));
      }
    }));
  });
});

describe("accountKey()", () => {
  const idAt = (n: number): string => n.toString(16).padStart(64, "0");
  const keyOf = (id: string): string =>
    id.slice(0, 4) + toHex(taggedHash("sion/account-key/v1", fromHex(id))).slice(4);

  test("accountKey() and accountKeys() give the same, met before or not, twice or forgotten", () => {
    const few = Array.from({ length: 40 }, (_, n) => idAt(n));
    const many = Array.from({ length: 5000 }, (_, n) => idAt(n));
    for (const ids of [few, [...few, ...few], many, few, [...many, ...few]]) {
      expect(accountKeys(ids)).toEqual(ids.map(keyOf));
      expect(ids.slice(0, 40).map(accountKey)).toEqual(ids.slice(0, 40).map(keyOf));
    }
  });
});

describe("genesisState()", () => {
  test("genesisState() holds the accounts' money and the asset that counts it [L-164 L-594]", () => {
    const state = genesisState(ledger, {
      shards: 2,
      accounts: [[accountOf("alice"), usd(10)], [accountOf("bob"), 0n]],
      faucet: true,
    });
    checkConservation(ledger, state);
    expect(state.size()).toBe(3);
    expect(state.get(USD)).toEqual({
      kind: assetKind.name,
      value: {
        symbol: "USD",
        faucetAllowed: true,
        genesis: usd(10),
        faucet: 0n,
        fees: 0n,
        treasury: 0n,
      },
    });
    expect(USD).toMatch(/^[0-9a-f]{64}$/);
  });

  test("genesisState() refuses accounts named twice, and more than 64 bits of money", () => {
    const of = (accounts: [string, bigint][]) => () =>
      genesisState(ledger, { shards: 1, accounts });
    expect(of([["ab", 1n]])).toThrow(LedgerError);
    expect(of([[accountOf("alice"), 1n], [accountOf("alice"), 1n]])).toThrow(LedgerError);
    expect(of([[accountOf("alice"), 2n ** 63n], [accountOf("bob"), 2n ** 63n]])).toThrow(
      LedgerError,
    );
    for (const shards of [0, 257, 1.5]) {
      expect(() => genesisState(ledger, { shards, accounts: [] })).toThrow(RangeError);
    }
  });

  test("genesisState() has another root for other shards or money", () => {
    const root = (shards: number, amount: bigint) =>
      genesisState(ledger, { shards, accounts: [[accountOf("alice"), amount]] }).root().join();
    expect(new Set([root(1, 1n), root(2, 1n), root(1, 2n)]).size).toBe(3);
  });
});

describe("restoreState()", () => {
  test("restoreState() refuses what is no id, and reads no bytes that are no object", () => {
    const knowledge = { size: 0n, peaks: [] };
    const bytes = new Uint8Array([99]);
    expect(() => restoreState(ledger, { shards: 1, objects: [["x", bytes]], knowledge })).toThrow(
      LedgerError,
    );
    const state = restoreState(ledger, { shards: 1, objects: [[USD, bytes]], knowledge });
    expect(() => state.get(USD)).toThrow(SionError);
  });
});

test("shardOf() is the first two bytes of the id modulo the shards", () => {
  expect(shardOf(`0102${"00".repeat(30)}`, 256)).toBe(2);
  expect(shardOf(`ffff${"00".repeat(30)}`, 3)).toBe(0);
});

describe("eventValueCodec", () => {
  const value: fc.Arbitrary<EventValue> = fc.letrec<{ value: EventValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.string({ unit: "binary", maxLength: 20 }),
      hexId,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie("value"), { maxKeys: 3 }),
    ),
  })).value;

  test("eventValueCodec writes one encoding of a value and reads it back", () => {
    fc.assert(fc.property(value, (one) => {
      const bytes = encode(eventValueCodec, one);
      expect(decode(eventValueCodec, bytes)).toEqual(one);
    }));
  });

  test("eventValueCodec reads nothing that it would not write", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      let read: EventValue;
      try {
        read = decode(eventValueCodec, bytes);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SionError);
        return;
      }
      expect(encode(eventValueCodec, read)).toEqual(bytes);
    }));
  });

  test.each([
    [
      "an id as text",
      [4, 64, ...utf8("a".repeat(64))],
    ],
    ["fields out of order", [7, 2, 1, 98, 0, 1, 97, 0]],
    ["a field twice", [7, 2, 1, 97, 0, 1, 97, 0]],
    ["a field __proto__", [7, 1, 9, ...utf8("__proto__"), 0]],
    ["an unknown tag", [8]],
    ["lists in lists without end", Array.from({ length: 40 }, (_, at) => at % 2 === 0 ? 6 : 1)],
  ])("eventValueCodec refuses %s", (_what, bytes) => {
    expect(() => decode(eventValueCodec, Uint8Array.from(bytes))).toThrow(SionError);
  });

  test("eventValueCodec writes fields in ascending order, however they stand", () => {
    const fields = { b: 1n, a: 2n, c: "ab".repeat(32), Z: null };
    const sorted = { Z: null, a: 2n, b: 1n, c: "ab".repeat(32) };
    expect(toHex(encode(eventValueCodec, fields))).toBe(toHex(encode(eventValueCodec, sorted)));
    expect(decode(eventValueCodec, encode(eventValueCodec, fields))).toEqual(fields);
  });

  test("eventValueCodec refuses to write negative and large integers", () => {
    for (const wrong of [-1n, 2n ** 64n]) {
      expect(() => encode(eventValueCodec, wrong)).toThrow(TypeError);
    }
  });
});
