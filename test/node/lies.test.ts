/** A light client at a lying node: each lie is refused, in the line that it is about. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode, encode, fromHex, FULL_DETECTION, toHex } from "#internal/core/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import { DUAL_SIGNATURE } from "#internal/ledger/mod.ts";
import { headerCodec, knowledgeProofCodec, receiptProofCodec } from "#internal/proofs/mod.ts";
import type { Case } from "./_lying_node.ts";
import {
  certified,
  devnet,
  digests,
  edited,
  flipped,
  folder,
  insteadOf,
  items,
  lied,
  ofOtherChain,
  pulse,
  refuse,
  startLab,
  stopLab,
  wallets,
} from "./_lying_node.ts";
import { CASES } from "./_pulse_lies.ts";
import { WORLD_CASES } from "./_world_lies.ts";

beforeAll(startLab);
afterAll(stopLab);

describe("a light client at a lying node", () => {
  test("there are at least forty lies, and the honest node tells none", async () => {
    expect(CASES.length).toBeGreaterThanOrEqual(40);
    const { report } = await lied({}).verifyPulse({ pulse });
    const failing = report.filter((line) => line.endsWith("✗"));
    expect(failing).toEqual([]);
  });

  for (const { name, line, reason, lies } of [...CASES, ...WORLD_CASES]) {
    test(`verifyPulse() refuses ${name} [L-277]`, async () => {
      using client = lied(lies);
      const { report, verified } = await client.verifyPulse({ pulse });
      expect(verified).toBe(false);
      expect(report).toHaveLength(9);
      expect(report[line - 1]).toMatch(/ ✗$/);
      expect(report[line - 1]).toMatch(reason);
      for (const before of report.slice(0, Math.min(line - 1, 4))) expect(before).not.toMatch(/✗$/);
      // What follows an identity, header or certificate that does not hold is not judged at all.
      for (const after of line <= 3 ? report.slice(line) : []) expect(after).toMatch(/not checked/);
    });
  }
});

describe("a light client at a node that answers garbage", () => {
  const METHODS = [
    "genesis",
    "header_proof",
    "header",
    "published",
    "receipts",
    "object_proof",
    "shares",
    "lane_certificates",
  ] as const;
  const garbled = fc.oneof(
    fc.record({ type: fc.constant("flip" as const), at: fc.nat(), bit: fc.nat(7) }),
    fc.record({ type: fc.constant("cut" as const), at: fc.nat(), bit: fc.constant(0) }),
    fc.record({ type: fc.constant("grow" as const), at: fc.nat(), bit: fc.constant(0) }),
  );

  test("verifyPulse() ends with a report that names it, whatever the bytes are [L-277]", async () => {
    const of = (hex: string, { type, at, bit }: { type: string; at: number; bit: number }) => {
      const bytes = fromHex(hex);
      const place = at % bytes.length;
      if (type === "cut") return toHex(bytes.slice(0, place));
      if (type === "grow") return `${hex}00`;
      return toHex(bytes.map((byte, i) => (i === place ? byte ^ (1 << bit) : byte)));
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), garbled, async (method, change) => {
        const list = (hexes: string[]) => hexes.map((hex, i) => (i === 0 ? of(hex, change) : hex));
        using client = lied({
          [method]: (answer: Record<string, unknown>) => ({
            ...answer,
            ...("bytes" in answer ? { bytes: of(answer["bytes"] as string, change) } : {}),
            ...("shares" in answer ? { shares: list(answer["shares"] as string[]) } : {}),
            ...("receipts" in answer ? { receipts: list(answer["receipts"] as string[]) } : {}),
          }),
        });
        const { report, verified } = await client.verifyPulse({ pulse });
        expect(verified).toBe(false);
        expect(report.filter((line) => line.endsWith("✗") && !/none is served/.test(line)))
          .not.toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a receipt from a lying node", () => {
  const LIES: readonly (readonly [string, RegExp, Case["lies"]])[] = [
    ["a swapped receipt", /is another transaction's/, {
      receipt_proof: insteadOf("receipt_proof", () => ({ digest: digests[1] })),
    }],
    ["a changed receipt", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, receipt: flipped(p.receipt, 100) })),
    }],
    ["another place", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, index: (p.index + 1) % p.count })),
    }],
    ["another Pulse", /not under the receipts root/, {
      receipt_proof: edited(receiptProofCodec, (p) => ({ ...p, pulse: p.pulse + 1n })),
    }],
    ["a certificate without a quorum", /certificate does not hold/, {
      header_proof: items((list) => list.slice(0, 1)),
    }],
    ["another chain", /not the pinned/, { genesis: ofOtherChain("genesis", {}) }],
    ["no proof", /does not give it/, { receipt_proof: refuse }],
  ];
  for (const [name, reason, lies] of LIES) {
    test(`receipt() refuses ${name} [L-331 L-332 L-333]`, async () => {
      using client = lied(lies);
      await expect(client.receipt(digests[0] as string)).rejects.toThrow(reason);
    });
  }

  test("receipt() shows no member that its digests do not fix [L-344]", async () => {
    using client = lied({
      receipt: async (answer) => {
        const unit = await wallets.signed("alice", 0n, [await wallets.payAction("dana", 9n)]);
        return { ...answer, tx: toHex(wallets.ledger.encodeSigned(unit)) };
      },
    });
    const { receipt } = await client.receipt(digests[0] as string);
    expect(receipt).toMatch(/^Done: transaction [0-9a-f]{8} executed; fee 0\.000567 USD\.$/);
  });
});

describe("following a lying node", () => {
  const followed = async (client: Client): Promise<number[]> => {
    const heads: number[] = [];
    for await (const { pulse } of client.followChain({ once: true })) heads.push(pulse);
    return heads;
  };

  test("followChain() notices data that is withheld [L-600]", async () => {
    using client = lied({ shares: (a) => ({ ...a, shares: [] }) }, { home: `${folder.path}/a` });
    await expect(followed(client)).rejects.toMatchObject({ code: "withheld" });
  });

  test("followChain() wants it shown that the knowledge log only grew [L-597]", async () => {
    const home = `${folder.path}/d`;
    using before = lied({ status: (a) => ({ ...a, certified_pulse: pulse }) }, { home });
    expect(await followed(before)).toEqual([pulse]);
    const body = {
      ...{ schema: "note/v1", subject: "it is so", formula: DUAL_SIGNATURE },
      ...{ adjudicator: null, detection: FULL_DETECTION, validFor: 100n },
    };
    const claim = await wallets.signed("dana", 0n, [{ kind: "claim_issue", body }]);
    const [digest = ""] = (await wallets.submit(claim)).digests;
    const told = await devnet.calls.receipt({ digest, wait_ms: 15_000 });
    await certified(told.receipt?.pulse as number);
    const other = (path: readonly Uint8Array[]) => [...path, new Uint8Array(32)];
    const LIES: readonly Case["lies"][] = [
      { knowledge_proof: refuse },
      {
        knowledge_proof: edited(knowledgeProofCodec, ({ consistency, ...rest }) => ({
          ...rest,
          consistency: consistency && { ...consistency, path: other(consistency.path) },
        })),
      },
    ];
    for (const lies of LIES) {
      using client = lied(lies, { home });
      await expect(followed(client)).rejects.toMatchObject({ code: "not-proven" });
    }
    using client = lied({}, { home });
    expect(await followed(client)).toHaveLength(1);
  });

  test("followChain() refuses heads without a certificate, and says when the node is behind", async () => {
    const home = `${folder.path}/b`;
    using unsigned = lied({ header_proof: items(() => []) }, { home });
    await expect(followed(unsigned)).rejects.toMatchObject({ code: "not-proven" });
    using client = lied({}, { home });
    expect(await followed(client)).toHaveLength(1);
    using behind = lied({ status: (a) => ({ ...a, certified_pulse: 2 }) }, { home });
    await expect(followed(behind)).rejects.toMatchObject({ code: "behind" });
  });

  test("followChain() reports a fork and keeps the other side [L-602]", async () => {
    const home = `${folder.path}/c`;
    using client = lied({}, { home });
    await followed(client);
    const { openLightState } = await import("#internal/store/mod.ts");
    {
      // What is trusted here is changed: the node's certified header then contradicts it.
      using kept = openLightState(home);
      const head = kept.trusted(devnet.chain);
      if (head === undefined) throw new Error("nothing is trusted");
      const changed = {
        ...decode(headerCodec, head.header),
        timeMs: 1n,
        number: BigInt(head.number + 1),
      };
      kept.trust(devnet.chain, {
        ...head,
        number: head.number + 1,
        header: encode(headerCodec, changed),
      });
    }
    await certified((await devnet.calls.status({})).certified_pulse + 3);
    await expect(followed(client)).rejects.toMatchObject({ code: "fork" });
    using kept = openLightState(home);
    expect(kept.forks(devnet.chain)).toBe(1);
  });
});
