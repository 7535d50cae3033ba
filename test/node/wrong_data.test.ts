/** A quorum certifies a Pulse over data that cannot be: light clients refuse it for ever. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode, encode, toHex } from "#internal/core/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import { badEncodingCodec, headerDigest, headerProofCodec } from "#internal/proofs/mod.ts";
import { openLightState } from "#internal/store/mod.ts";
import { devnet, folder, honest, lied, pulse, startLab, stopLab } from "./_lying_node.ts";
import type { WrongPulse } from "./_wrong_square.ts";
import { liesOf, wrongPulse } from "./_wrong_square.ts";

let wrong: WrongPulse;
beforeAll(async () => {
  await startLab();
  wrong = await wrongPulse(pulse);
});
afterAll(stopLab);

const digest = (): string => toHex(headerDigest(wrong.header));
const reported = (change: Partial<Record<"header" | "number" | "proof", unknown>> = {}) => ({
  header: toHex(wrong.headerProof),
  number: pulse,
  proof: toHex(encode(badEncodingCodec, wrong.proof)),
  ...change,
});

/** The lines of a report that fail. */
async function failing(
  home: string,
  serves: Parameters<typeof liesOf>[1],
): Promise<{ readonly line: number; readonly text: string }> {
  using client = lied(liesOf(() => wrong, serves), { home });
  const { report, verified } = await client.verifyPulse({ pulse });
  expect(verified).toBe(false);
  const at = [6, 1].find((line) => report[line]?.endsWith("✗")) ?? -1;
  return { line: at + 1, text: report[at] ?? "" };
}

describe("a header over data that is wrongly encoded", () => {
  test("verifyPulse() refuses it by the proof that a node serves, then without one [L-269]", async () => {
    const home = `${folder.path}/served`;
    const wrongly = "availability: a proof shows that the certified data is wrongly encoded ✗";
    expect(await failing(home, "the proof")).toEqual({ line: 7, text: wrongly });
    using kept = openLightState(home);
    expect([...kept.refused(devnet.chain)]).toEqual([[digest(), pulse]]);
    expect(await failing(home, "no proof")).toEqual({
      line: 2,
      text:
        `Pulse ${pulse}: its header was refused here, its data is proven to be wrongly encoded ✗`,
    });
  });

  test("verifyPulse() finds the proof by itself where a node serves none [L-269]", async () => {
    const home = `${folder.path}/found`;
    expect(await failing(home, "no proof")).toMatchObject({ line: 7 });
    using kept = openLightState(home);
    expect(kept.refused(devnet.chain).has(digest())).toBe(true);
  });

  test("followChain() ends at it, and at it again, and follows an honest node [L-602]", async () => {
    const home = `${folder.path}/followed`;
    const follow = async (lies: Parameters<typeof lied>[0]): Promise<number[]> => {
      using client = lied(lies, { home });
      const heads: number[] = [];
      for await (const head of client.followChain({ once: true })) heads.push(head.pulse);
      return heads;
    };
    for (const serves of ["the proof", "no proof"] as const) {
      await expect(follow(liesOf(() => wrong, serves))).rejects.toMatchObject({
        code: "bad-encoding",
        data: { pulse },
      });
    }
    expect(await follow({})).toHaveLength(1);
  });

  test("a proof of bad encoding proves nothing of an honest header", async () => {
    using client = lied({ bad_encoding: liesOf(() => wrong, "the proof").bad_encoding! });
    expect(await client.verifyPulse({ pulse })).toMatchObject({ verified: true });
  });

  test("a node takes a proof that holds, keeps and serves it, and no other", async () => {
    const { before, certificate } = decode(headerProofCodec, wrong.headerProof);
    const items = certificate.items.slice(0, 1);
    const alone = toHex(
      encode(headerProofCodec, { before, certificate: { ...certificate, items } }),
    );
    const right = (await honest("header_proof", { number: pulse }))["bytes"];
    const square = DataSquare.of(new Uint8Array(100));
    const other = { ...wrong.proof, commitment: square.commitment };
    const refusals: [ReturnType<typeof reported>, RegExp][] = [
      [reported({ header: right }), /does not show/],
      [reported({ proof: toHex(encode(badEncodingCodec, other)) }), /does not show/],
      [reported({ header: alone }), /quorum/],
      [reported({ number: pulse + 1 }), /it is Pulse \d+'s/],
      [reported({ proof: "00ff" }), /Cannot decode/],
      [reported({ header: "00" }), /Cannot decode/],
    ];
    const lone = devnet.validators[2];
    if (lone === undefined) throw new Error("There is no such validator");
    const report = (params: unknown) =>
      lone.calls.report_bad_encoding(
        params as Parameters<typeof lone.calls.report_bad_encoding>[0],
      );
    for (const [params, message] of refusals) {
      await expect(report(params)).rejects.toMatchObject({
        code: "refused",
        message: expect.stringMatching(message),
      });
    }
    await expect(lone.calls.bad_encoding({ number: pulse })).rejects.toMatchObject({
      code: "not-found",
    });
    await report(reported());
    await report(reported());
    expect((await lone.calls.bad_encoding({ number: pulse })).bytes).toBe(reported().proof);
  });
});
