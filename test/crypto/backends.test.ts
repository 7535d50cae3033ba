import { beforeAll, describe, expect, it } from "vitest";
import { toHex, utf8 } from "#internal/core/mod.ts";
import type { BackendName, DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import {
  DUAL_PUBLIC_KEY_BYTES,
  DUAL_SIGNATURE_BYTES,
  loadDualBackend,
  SEED_BYTES,
  sha256,
} from "#internal/crypto/mod.ts";
import { fixedRandom, flipBit, isDeno } from "./fixtures.ts";

const SECURE: readonly BackendName[] = isDeno
  ? ["simd", "liboqs", "noble"]
  : ["simd", "native", "liboqs", "noble"];
const MESSAGE = sha256(utf8("a unit"));
const SEED = sha256(utf8("a wallet"));
/** Bytes of the ML-DSA half of a key and of a signature. */
const KEY_SPLIT = 1312;
const SIGNATURE_SPLIT = 2420;

interface Signed {
  readonly name: BackendName;
  readonly backend: DualBackend;
  readonly keys: DualKeys;
  readonly signature: Uint8Array;
}

async function signedBy(name: BackendName): Promise<Signed> {
  const backend = await loadDualBackend(name);
  const keys = await backend.keysFromSeed(SEED);
  return { name, backend, keys, signature: await backend.sign(keys, MESSAGE, fixedRandom) };
}

let signed: readonly Signed[];
let first: Signed;

beforeAll(async () => {
  signed = await Promise.all(SECURE.map(signedBy));
  first = signed[0] as Signed;
});

describe("loadDualBackend()", () => {
  it("loadDualBackend() takes the kernel with native ML-DSA when no name is given", async () => {
    expect((await loadDualBackend()).name).toBe("simd+native");
  });

  it("loadDualBackend() loads a backend once", async () => {
    expect(await loadDualBackend("noble")).toBe(await loadDualBackend("noble"));
  });

  it("loadDualBackend() says which named backend does not work here", async () => {
    const name = isDeno ? "native" : ("nothing" as BackendName);
    await expect(loadDualBackend(name)).rejects.toMatchObject({
      code: "backend-unavailable",
      data: { backend: name },
    });
  });

  it("loadDualBackend() gives each secure backend its name and the sizes of FIPS 204 and 205", () => {
    const names = signed.map(({ backend }) => backend.name);
    expect(names).toEqual(["simd+native", ...SECURE.slice(1)]);
    for (const { backend } of signed) {
      expect(backend.publicKeyBytes).toBe(DUAL_PUBLIC_KEY_BYTES);
      expect(backend.signatureBytes).toBe(DUAL_SIGNATURE_BYTES);
    }
  });
});

describe("DualBackend", () => {
  it("keysFromSeed() derives the same keys in every backend [L-603 L-606]", () => {
    for (const { keys } of signed) {
      expect(keys.publicKey).toHaveLength(DUAL_PUBLIC_KEY_BYTES);
      expect(toHex(keys.publicKey)).toBe(toHex(first.keys.publicKey));
    }
  });

  it("verify() of every backend accepts the signatures of every other [L-265 L-603]", async () => {
    for (const { signature, keys } of signed) {
      expect(signature).toHaveLength(DUAL_SIGNATURE_BYTES);
      for (const { backend } of signed) {
        expect(await backend.verify(keys.publicKey, MESSAGE, signature)).toBe(true);
        expect(await backend.verifyHalves(keys.publicKey, MESSAGE, signature))
          .toEqual({ mldsa: true, slh: true });
      }
    }
  });

  it("verify() refuses a signature of which either half is tampered with [L-265]", async () => {
    const inMlDsa = flipBit(first.signature, 8 * 1000);
    const inSlh = flipBit(first.signature, 8 * (SIGNATURE_SPLIT + 9000));
    const { publicKey } = first.keys;
    for (const { backend } of signed) {
      expect(await backend.verify(publicKey, MESSAGE, inMlDsa)).toBe(false);
      expect(await backend.verify(publicKey, MESSAGE, inSlh)).toBe(false);
      expect(await backend.verifyHalves(publicKey, MESSAGE, inMlDsa))
        .toEqual({ mldsa: false, slh: true });
      expect(await backend.verifyHalves(publicKey, MESSAGE, inSlh))
        .toEqual({ mldsa: true, slh: false });
    }
  });

  it("verify() refuses another message, another key and another key's half", async () => {
    const { publicKey } = first.keys;
    for (const { backend, signature } of signed) {
      const other = (await backend.keysFromSeed(new Uint8Array(SEED_BYTES))).publicKey;
      const mixed = other.slice();
      mixed.set(publicKey.subarray(0, KEY_SPLIT));
      expect(await backend.verify(publicKey, flipBit(MESSAGE, 0), signature)).toBe(false);
      expect(await backend.verify(other, MESSAGE, signature)).toBe(false);
      expect(await backend.verifyHalves(mixed, MESSAGE, signature))
        .toEqual({ mldsa: true, slh: false });
    }
  });

  it("verify() is false and never throws for wrong lengths and junk", async () => {
    const { publicKey } = first.keys;
    const junk = new Uint8Array(DUAL_SIGNATURE_BYTES).fill(255);
    for (const { backend, signature } of signed) {
      for (const bad of [signature.subarray(1), new Uint8Array(), junk]) {
        expect(await backend.verify(publicKey, MESSAGE, bad)).toBe(false);
        expect(await backend.verifyHalves(publicKey, MESSAGE, bad))
          .toEqual({ mldsa: false, slh: false });
      }
      for (const bad of [publicKey.subarray(1), new Uint8Array()]) {
        expect(await backend.verify(bad, MESSAGE, signature)).toBe(false);
      }
      const junkKey = new Uint8Array(DUAL_PUBLIC_KEY_BYTES).fill(255);
      expect(await backend.verify(junkKey, MESSAGE, signature)).toBe(false);
    }
  });

  it("sign() covers messages of any length", async () => {
    for (const { backend, keys } of signed) {
      const long = new Uint8Array(3000).fill(7);
      for (const message of [new Uint8Array(), long]) {
        const signature = await backend.sign(keys, message, fixedRandom);
        expect(await backend.verify(keys.publicKey, message, signature)).toBe(true);
      }
    }
  });

  it("sign() with the same randomness gives noble's SLH-DSA half on the kernel", () => {
    const half = ({ signature }: Signed) => toHex(signature.subarray(SIGNATURE_SPLIT));
    expect(half(first)).toBe(half(signed.at(-1) as Signed));
  });

  it("sign() with other randomness gives another signature that is as good", async () => {
    const { backend, keys, signature } = first;
    const other = await backend.sign(keys, MESSAGE, (n) => new Uint8Array(n));
    expect(toHex(other.subarray(SIGNATURE_SPLIT)))
      .not.toBe(toHex(signature.subarray(SIGNATURE_SPLIT)));
    expect(await backend.verify(keys.publicKey, MESSAGE, other)).toBe(true);
  });

  it("sign() at once from one backend does not mix its operations", async () => {
    const { backend, keys } = first;
    const messages = Array.from({ length: 6 }, (_, i) => sha256(Uint8Array.of(i)));
    const signatures = await Promise.all(
      messages.map((message) => backend.sign(keys, message, fixedRandom)),
    );
    const verdicts = await Promise.all(
      signatures.map((signature, i) =>
        backend.verify(keys.publicKey, messages[i] as Uint8Array, signature)
      ),
    );
    expect(verdicts).toEqual(messages.map(() => true));
  });

  it("keysFromSeed() and sign() refuse wrong seeds and keys with a TypeError", async () => {
    for (const { backend, keys } of signed) {
      for (const seed of [new Uint8Array(31), new Uint8Array(33), new Uint8Array()]) {
        await expect(backend.keysFromSeed(seed)).rejects.toThrow(TypeError);
      }
      const copy = { publicKey: keys.publicKey };
      await expect(backend.sign(copy, MESSAGE, fixedRandom)).rejects.toThrow(TypeError);
    }
  });

  it("DualKeys show no secret when they are printed", () => {
    for (const { keys } of signed) expect(Object.keys(keys)).toEqual(["publicKey"]);
  });
});

describe("the insecure backend", () => {
  it("the insecure backend is deterministic, small, and says what it is [L-131 L-132]", async () => {
    const backend = await loadDualBackend("insecure");
    expect(backend.name).toBe("insecure");
    const keys = await backend.keysFromSeed(SEED);
    const signature = await backend.sign(keys, MESSAGE, fixedRandom);
    expect(keys.publicKey).toHaveLength(backend.publicKeyBytes);
    expect(signature).toHaveLength(backend.signatureBytes);
    expect(await backend.sign(keys, MESSAGE, () => new Uint8Array())).toEqual(signature);
    expect(await backend.verify(keys.publicKey, MESSAGE, signature)).toBe(true);
    expect(await backend.verifyHalves(keys.publicKey, MESSAGE, signature))
      .toEqual({ mldsa: true, slh: true });
  });

  it("the insecure backend notices other messages, keys, lengths and flipped bits", async () => {
    const backend = await loadDualBackend("insecure");
    const keys = await backend.keysFromSeed(SEED);
    const signature = await backend.sign(keys, MESSAGE, fixedRandom);
    const other = await backend.keysFromSeed(new Uint8Array(SEED_BYTES));
    const { publicKey } = keys;
    expect(await backend.verify(publicKey, flipBit(MESSAGE, 3), signature)).toBe(false);
    expect(await backend.verify(other.publicKey, MESSAGE, signature)).toBe(false);
    expect(await backend.verify(publicKey, MESSAGE, flipBit(signature, 3))).toBe(false);
    expect(await backend.verify(publicKey, MESSAGE, signature.subarray(1))).toBe(false);
    expect(await backend.verify(publicKey.subarray(1), MESSAGE, signature)).toBe(false);
    await expect(backend.keysFromSeed(new Uint8Array(16))).rejects.toThrow(TypeError);
    await expect(backend.sign({ publicKey }, MESSAGE, fixedRandom)).rejects.toThrow(TypeError);
  });
});
