import { describe, expect, test } from "vitest";
import { compareBytes, idBytes } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend, taggedHash } from "#internal/crypto/mod.ts";
import type { Policy, SignedUnit, Unit } from "#internal/ledger/mod.ts";
import { accountId, NO_SALT, policyOfKey, verifyAuthorization } from "#internal/ledger/mod.ts";
import { accountOf, payTo, World } from "./_world.ts";

const { ledger } = new World();
const random = (n: number) => new Uint8Array(n);

async function keysOf(backend: DualBackend, name: string) {
  return await backend.keysFromSeed(taggedHash("test/seed", new TextEncoder().encode(name)));
}

function unitOf(policy: Policy, salts: readonly Uint8Array[]): Unit {
  const { unit } = new World().unit("alice", [payTo([accountOf("bob"), 1n])]);
  const members = salts.map((salt) => ({
    account: accountId(policy, salt),
    sequence: 0n,
    ...payTo([accountOf("bob"), 1n]),
  }));
  return { ...unit, members };
}

async function signedBy(
  backend: DualBackend,
  names: readonly string[],
  salts: readonly Uint8Array[],
): Promise<SignedUnit> {
  const all = await Promise.all(names.map((name) => keysOf(backend, name)));
  all.sort((a, b) => compareBytes(a.publicKey, b.publicKey));
  const policy: Policy = { threshold: names.length, keys: all.map(({ publicKey }) => publicKey) };
  const unit = unitOf(policy, salts);
  const digest = idBytes(ledger.unitDigest(unit));
  const signatures = await Promise.all(
    all.map(async (keys, key) => ({ key, signature: await backend.sign(keys, digest, random) })),
  );
  return { unit, authorization: { policy, salts, signatures } };
}

describe("verifyAuthorization()", () => {
  test("verifyAuthorization() takes a wallet's signature and no other's [L-586]", async () => {
    const backend = await loadDualBackend("insecure");
    const signed = await signedBy(backend, ["alice"], [NO_SALT]);
    expect(await verifyAuthorization(backend, signed, ledger)).toBe(true);
    const mallory = policyOfKey((await keysOf(backend, "mallory")).publicKey);
    const { unit, authorization } = signed;
    const forged = await signedBy(backend, ["mallory"], [NO_SALT]);
    expect(
      await verifyAuthorization(backend, { unit, authorization: forged.authorization }, ledger),
    )
      .toBe(false);
    expect(
      await verifyAuthorization(
        backend,
        { unit, authorization: { ...authorization, policy: mallory } },
        ledger,
      ),
    ).toBe(false);
  });

  test("verifyAuthorization() asks for the whole threshold of a policy", async () => {
    const backend = await loadDualBackend("insecure");
    const signed = await signedBy(backend, ["alice", "bob"], [NO_SALT]);
    expect(await verifyAuthorization(backend, signed, ledger)).toBe(true);
    const [first] = signed.authorization.signatures;
    if (!first) throw new Error();
    for (const signatures of [[first], [first, { ...first, key: 1 }], []]) {
      const authorization = { ...signed.authorization, signatures };
      expect(await verifyAuthorization(backend, { ...signed, authorization }, ledger)).toBe(false);
    }
  });

  test("verifyAuthorization() covers every account of a batch by its salt [L-571 L-572]", async () => {
    const backend = await loadDualBackend("insecure");
    const salts = [NO_SALT, idBytes("11".repeat(32)), idBytes("22".repeat(32))];
    const signed = await signedBy(backend, ["alice"], salts);
    expect(await verifyAuthorization(backend, signed, ledger)).toBe(true);
    const authorization = { ...signed.authorization, salts: [...salts].reverse() };
    expect(await verifyAuthorization(backend, { ...signed, authorization }, ledger)).toBe(false);
  });

  test("verifyAuthorization() refuses a signature of another unit [L-300 L-603]", async () => {
    const backend = await loadDualBackend("insecure");
    const signed = await signedBy(backend, ["alice"], [NO_SALT]);
    const unit = { ...signed.unit, maxFee: signed.unit.maxFee + 1n };
    expect(await verifyAuthorization(backend, { ...signed, unit }, ledger)).toBe(false);
  });

  test("verifyAuthorization() checks real dual signatures, each half of them [L-603]", async () => {
    const backend = await loadDualBackend();
    const signed = await signedBy(backend, ["alice"], [NO_SALT]);
    expect(await verifyAuthorization(backend, signed, ledger)).toBe(true);
    for (const at of [0, 2420]) {
      const signature = signed.authorization.signatures[0]?.signature.slice();
      if (!signature) throw new Error();
      signature[at + 100] = (signature[at + 100] ?? 0) ^ 1;
      const authorization = { ...signed.authorization, signatures: [{ key: 0, signature }] };
      expect(await verifyAuthorization(backend, { ...signed, authorization }, ledger)).toBe(false);
    }
  });
});
