/** Certificates of Pulses and lanes: what a light client accepts, and nothing else. */
import { describe, expect, it } from "vitest";
import { decode, encode } from "#internal/core/mod.ts";
import type { CertificateItem } from "#internal/proofs/mod.ts";
import {
  encodePulseCertificate,
  laneCertificateCodec,
  pulseCertificateCodec,
  verifyLaneCertificate,
  verifyPulseCertificate,
} from "#internal/proofs/mod.ts";
import { confirmOf, context, header, item, pulseVote } from "./_signed.ts";

const reasonOf = async (items: readonly CertificateItem[]): Promise<string | undefined> => {
  const verdict = await verifyPulseCertificate({ header, items }, context);
  return verdict.ok ? undefined : verdict.reason;
};
const three = () => [0, 1, 3].map((author) => item(author, pulseVote()));

describe("verifyPulseCertificate()", () => {
  it("accepts PulseVotes of a quorum and names their stake [L-263 L-597]", async () => {
    const verdict = await verifyPulseCertificate({ header, items: three() }, context);
    expect(verdict).toEqual({ ok: true, weight: 300_000n, signers: 0b1011 });
  });

  it("accepts the canonical encoding, and no other bytes", () => {
    const bytes = encodePulseCertificate({ header, items: three() });
    expect(encode(pulseCertificateCodec, decode(pulseCertificateCodec, bytes))).toEqual(bytes);
    expect(() => decode(pulseCertificateCodec, bytes.subarray(1))).toThrow();
  });

  it("refuses less than a quorum, and one validator counted twice [L-264]", async () => {
    expect(await reasonOf(three().slice(1))).toBe(
      "200000 of 400000 stake signed, the quorum is 266667",
    );
    expect(await reasonOf([...three().slice(1), item(1, pulseVote())])).toBe(
      "validator 1 counts twice",
    );
  });

  it("refuses a vote for another header, Pulse, chain or session", async () => {
    const other = item(0, pulseVote({ ...header, timeMs: 1n }));
    expect(await reasonOf([other, ...three().slice(1)])).toMatch(/does not hold the statement/);
    const earlier = item(0, pulseVote({ ...header, number: 8n }));
    expect(await reasonOf([earlier, ...three().slice(1)])).toMatch(/does not hold the statement/);
    const foreign = item(0, pulseVote(), { chain: new Uint8Array(32) });
    expect(await reasonOf([foreign, ...three().slice(1)])).toBe("a block is of another chain");
    const old = item(0, pulseVote(), { session: 1 });
    expect(await reasonOf([old, ...three().slice(1)])).toBe("a block is of another session");
    const stranger = item(7, pulseVote());
    expect(await reasonOf([stranger, ...three().slice(1)])).toBe("a block is of no validator");
  });

  it("refuses any changed byte of a signature or path [L-265]", async () => {
    const [first, ...rest] = three();
    if (first === undefined) throw new Error("no item");
    const flip = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 5 ? byte ^ 1 : byte));
    expect(await reasonOf([{ ...first, signature: flip(first.signature) }, ...rest])).toBe(
      "a signature of validator 0 is invalid",
    );
    expect(await reasonOf([{ ...first, path: first.path.map(flip) }, ...rest])).toMatch(
      /does not hold the statement/,
    );
    expect(await reasonOf([{ ...first, index: 0 }, ...rest])).toMatch(
      /does not hold the statement/,
    );
    const header2 = { ...first.header, timeMs: 7n };
    expect(await reasonOf([{ ...first, header: header2 }, ...rest])).toBe(
      "a signature of validator 0 is invalid",
    );
  });

  it("refuses a header of another chain", async () => {
    const certificate = { header: { ...header, chain: new Uint8Array(32) }, items: three() };
    expect(await verifyPulseCertificate(certificate, context)).toEqual({
      ok: false,
      reason: "the header is of another chain",
    });
  });
});

describe("verifyLaneCertificate()", () => {
  const unit = "ab".repeat(32);
  const confirms = (rounds: readonly number[]) =>
    rounds.map((round, author) => item(author, confirmOf(unit), { round }));

  it("accepts Confirms of a quorum below the bound [L-596]", async () => {
    const certificate = { unit, items: confirms([40, 41, 104]) };
    expect(await verifyLaneCertificate(certificate, 105, context)).toMatchObject({ ok: true });
    const bytes = encode(laneCertificateCodec, certificate);
    expect(decode(laneCertificateCodec, bytes)).toEqual(certificate);
  });

  it("refuses Confirms at the bound, too far apart, or of another unit", async () => {
    const at = async (rounds: readonly number[], bound: number, of = unit) => {
      const verdict = await verifyLaneCertificate(
        { unit: of, items: confirms(rounds) },
        bound,
        context,
      );
      return verdict.ok ? undefined : verdict.reason;
    };
    expect(await at([40, 41, 42], 42)).toBe("a confirmation is too late for the unit");
    expect(await at([40, 41, 105], 200)).toBe("the confirmations are more than 64 rounds apart");
    expect(await at([40, 41, 42], 50, "cd".repeat(32))).toMatch(/does not hold the statement/);
    expect(await at([40, 41], 50)).toMatch(/200000 of 400000/);
  });
});
