/** NIST's, Wycheproof's and Bouncy Castle's vectors; fixtures/ says where they come from. */
import { ml_dsa44 } from "@noble/post-quantum/ml-dsa.js";
import { beforeAll, describe, expect, it } from "vitest";
import { concatBytes, fromHex, toHex } from "#internal/core/mod.ts";
import type { HalfScheme } from "../../internal/crypto/half.ts";
import { kernel } from "../../internal/crypto/kernel/kernel.ts";
import { liboqsMlDsa, liboqsSlhDsa } from "../../internal/crypto/liboqs.ts";
import { nobleMlDsa, nobleSlhDsa } from "../../internal/crypto/noble.ts";
import { nodeMlDsa, nodeSlhDsa } from "../../internal/crypto/node_native.ts";
import { simdSlhDsa, slhKeygen, slhSign, slhVerify } from "../../internal/crypto/simd.ts";
import { webMlDsa } from "../../internal/crypto/web_native.ts";
import { fixture, flipBit } from "./fixtures.ts";

let mlDsa: readonly HalfScheme[];
let slhDsa: readonly HalfScheme[];

beforeAll(async () => {
  const native = nodeMlDsa() ?? await webMlDsa();
  const nativeSlh = nodeSlhDsa((seed) => slhKeygen(kernel(), seed).pkRoot);
  mlDsa = [nobleMlDsa, await liboqsMlDsa(), ...(native === undefined ? [] : [native])];
  slhDsa = [
    nobleSlhDsa,
    await liboqsSlhDsa(),
    simdSlhDsa(),
    ...(nativeSlh === undefined ? [] : [nativeSlh]),
  ];
});

interface MlDsaKeygen {
  tcId: number;
  seed: string;
  pk: string;
}

interface MlDsaSigGen {
  tcId: number;
  sk: string;
  message: string;
  context: string;
  rnd?: string;
  signature: string;
}

interface MlDsaSigVer {
  tcId: number;
  pk: string;
  message: string;
  context: string;
  signature: string;
  testPassed: boolean;
  reason: string;
}

interface WycheproofVerify {
  tcId: number;
  publicKey: string;
  msg: string;
  sig: string;
  result: "valid" | "invalid";
}

interface WycheproofSign extends WycheproofVerify {
  privateSeed: string;
}

interface SlhKeygen {
  skSeed: string;
  skPrf: string;
  pkSeed: string;
  pk: string;
}

interface SlhKat {
  count: number;
  seed: string;
  msg: string;
  pk: string;
  optrand: string;
  /** Hex, `zero_length`, or `none` when the message is signed as it is (internal interface). */
  context: string;
  sm: string;
}

/** M' of FIPS 205: the parts that a known-answer test signs. */
function messageParts({ context, msg }: SlhKat): Uint8Array[] {
  if (context === "none") return [fromHex(msg)];
  const bytes = context === "zero_length" ? new Uint8Array() : fromHex(context);
  return [Uint8Array.of(0, bytes.length), bytes, fromHex(msg)];
}

describe("ML-DSA-44", () => {
  it("keyFromSeed() of every implementation gives NIST's ACVP keys", async () => {
    const rows = fixture<MlDsaKeygen>("acvp/ml_dsa_44_keygen.json");
    expect(rows).toHaveLength(25);
    for (const scheme of mlDsa) {
      for (const row of rows) {
        const { publicKey } = await scheme.keyFromSeed(fromHex(row.seed));
        expect([row.tcId, toHex(publicKey) === row.pk]).toEqual([row.tcId, true]);
      }
    }
  });

  it("noble, the reference, signs as NIST's ACVP vectors do, with and without randomness", () => {
    for (const row of fixture<MlDsaSigGen>("acvp/ml_dsa_44_siggen.json")) {
      const signature = ml_dsa44.sign(fromHex(row.message), fromHex(row.sk), {
        context: fromHex(row.context),
        extraEntropy: row.rnd === undefined ? false : fromHex(row.rnd),
      });
      expect([row.tcId, toHex(signature) === row.signature]).toEqual([row.tcId, true]);
    }
  });

  it("noble, the reference, decides NIST's ACVP signatures", () => {
    for (const row of fixture<MlDsaSigVer>("acvp/ml_dsa_44_sigver.json")) {
      const holds = ml_dsa44.verify(fromHex(row.signature), fromHex(row.message), fromHex(row.pk), {
        context: fromHex(row.context),
      });
      expect([row.tcId, row.reason, holds]).toEqual([row.tcId, row.reason, row.testPassed]);
    }
  });

  it("verify() of every implementation decides Wycheproof's signatures", async () => {
    for (const row of fixture<WycheproofVerify>("wycheproof/mldsa_44_verify.json")) {
      const publicKey = fromHex(row.publicKey);
      const signature = fromHex(row.sig);
      for (const scheme of mlDsa) {
        // Wrong lengths never reach a scheme: the dual signature is cut at fixed places.
        const sized = publicKey.length === scheme.publicKeyBytes &&
          signature.length === scheme.signatureBytes;
        const holds = sized && await scheme.verify(publicKey, fromHex(row.msg), signature);
        expect([row.tcId, scheme.name, holds])
          .toEqual([row.tcId, scheme.name, row.result === "valid"]);
      }
    }
  });

  it("every implementation derives Wycheproof's keys and accepts their signatures", async () => {
    for (const row of fixture<WycheproofSign>("wycheproof/mldsa_44_sign_seed.json")) {
      const seed = fromHex(row.privateSeed);
      if (row.result === "invalid") {
        expect(seed.length).not.toBe(32);
        continue;
      }
      const reference = ml_dsa44.keygen(seed);
      const message = fromHex(row.msg);
      const signature = ml_dsa44.sign(message, reference.secretKey, { extraEntropy: false });
      expect([row.tcId, toHex(signature)]).toEqual([row.tcId, row.sig]);
      for (const scheme of mlDsa) {
        const { publicKey } = await scheme.keyFromSeed(seed);
        expect([row.tcId, toHex(publicKey) === row.publicKey]).toEqual([row.tcId, true]);
        expect(await scheme.verify(publicKey, message, signature)).toBe(true);
      }
    }
  });
});

describe("SLH-DSA-SHA2-128f", () => {
  it("keyFromSeed() of every implementation gives NIST's ACVP keys", async () => {
    const rows = fixture<SlhKeygen>("acvp/slh_dsa_sha2_128f_keygen.json");
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      const seed = concatBytes(fromHex(row.skSeed), fromHex(row.skPrf), fromHex(row.pkSeed));
      for (const scheme of slhDsa) {
        expect(toHex((await scheme.keyFromSeed(seed)).publicKey)).toBe(row.pk);
      }
    }
  });

  it("slhSign() gives the known answers bit for bit: contexts, none, empty, hedged", () => {
    const engine = kernel();
    for (const row of fixture<SlhKat>("slh_dsa_kat/sha2_128f.json")) {
      const key = slhKeygen(engine, fromHex(row.seed));
      expect(toHex(concatBytes(key.pkSeed, key.pkRoot))).toBe(row.pk);
      const parts = messageParts(row);
      const signature = slhSign(engine, key, parts, fromHex(row.optrand));
      expect([row.count, toHex(signature) === row.sm]).toEqual([row.count, true]);
      expect(slhVerify(engine, fromHex(row.pk), parts, signature)).toBe(true);
      expect(slhVerify(engine, fromHex(row.pk), [...parts, Uint8Array.of(0)], signature))
        .toBe(false);
    }
  });

  it("verify() of every implementation accepts the known answers with an empty context", async () => {
    const rows = fixture<SlhKat>("slh_dsa_kat/sha2_128f.json")
      .filter(({ context }) => context === "zero_length");
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      for (const scheme of slhDsa) {
        expect(await scheme.verify(fromHex(row.pk), fromHex(row.msg), fromHex(row.sm))).toBe(true);
      }
    }
  });

  it("slhSign() begins NIST's first ACVP signature: pure, deterministic, empty context", () => {
    const sk = fromHex(
      "d5213ba4bb6470f1b9eda88cbc94e6277a58a951ef7f2b81461dbac41b5a6b83" +
        "fa495fb834defea7cc96a81309479135a67029e90668c5a58b96e60111491f3d",
    );
    const [skSeed, skPrf, pkSeed, pkRoot] = [0, 16, 32, 48].map((i) => sk.slice(i, i + 16)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const key = { skSeed, skPrf, pkSeed, pkRoot };
    const seed = concatBytes(skSeed, skPrf, pkSeed);
    expect(slhKeygen(kernel(), seed)).toEqual(key);
    const signature = slhSign(kernel(), key, [Uint8Array.of(0, 0, 0x3f)], pkSeed);
    expect(toHex(signature.subarray(0, 80))).toBe(
      "bd40e6d66893f38d5c5fad99e4885329925bb207d49e62bcb9b1c4685154a8b3" +
        "2e58b70c7aed0e28507f31b49ec7ed6ed6dcb8db2da90fe938994d75c80e6712" +
        "f2421c22def8af88906b768333e7ebf6",
    );
  });

  it("slhVerify() refuses a bit flipped anywhere in the signature and the key", () => {
    const engine = kernel();
    const row = fixture<SlhKat>("slh_dsa_kat/sha2_128f.json")[0] as SlhKat;
    const parts = messageParts(row);
    const signature = fromHex(row.sm);
    const publicKey = fromHex(row.pk);
    // A step of 691 bytes meets R, FORS secrets and nodes, chain values and nodes of all 22 layers.
    for (let at = 0; at < signature.length; at += 691) {
      expect([at, slhVerify(engine, publicKey, parts, flipBit(signature, 8 * at + (at & 7)))])
        .toEqual([at, false]);
    }
    for (let at = 0; at < publicKey.length; at += 5) {
      expect(slhVerify(engine, flipBit(publicKey, 8 * at), parts, signature)).toBe(false);
    }
    expect(slhVerify(engine, publicKey, parts, signature.subarray(1))).toBe(false);
    expect(slhVerify(engine, publicKey.subarray(1), parts, signature)).toBe(false);
  });

  it("slhSign() leaves no secret in the kernel's memory", () => {
    const engine = kernel();
    const seed = Uint8Array.from({ length: 48 }, (_, i) => 200 - i);
    const key = slhKeygen(engine, seed);
    slhSign(engine, key, [seed], key.pkSeed);
    const { work, signature } = engine.at;
    expect(engine.bytes.subarray(work, signature + 17088).every((byte) => byte === 0)).toBe(true);
  });
});
