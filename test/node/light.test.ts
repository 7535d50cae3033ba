/** A light client at a real devnet of one process: every check holds, and the proofs are served. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode, encode, fromHex, toHex } from "#internal/core/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import { accountKey } from "#internal/ledger/mod.ts";
import { DataSquare, verifyCommitment } from "#internal/merkle/mod.ts";
import {
  chainOriginCodec,
  configHash,
  headerCodec,
  knowledgeProofCodec,
  pulseDataCodec,
  squareCommitmentCodec,
  stateProofCodec,
  verifyClaimInclusion,
  verifyKnowledgeGrowth,
} from "#internal/proofs/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import {
  overJson,
  pinnedClient,
  startTestDevnet,
  temporaryFolder,
  testClient,
} from "./devnet_fixture.ts";
import type { TestClient, TestDevnet } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
let devnet: TestDevnet;
let wallets: TestClient;
let client: Client;
let digest: string;
let pulse: number;

beforeAll(async () => {
  folder = temporaryFolder();
  devnet = await startTestDevnet(folder.path, { shape: { epochPulses: 4 } });
  wallets = testClient(devnet.calls, devnet.chain);
  client = pinnedClient(devnet.calls, devnet.chain, `${folder.path}/home`);
  const paid = await wallets.pay("alice", "bob", 1_500_000n, 0n);
  digest = paid.digests[0] as string;
  const answer = await devnet.calls.receipt({ digest, wait_ms: 15_000 });
  pulse = answer.receipt?.pulse as number;
});
afterAll(async () => {
  client[Symbol.dispose]();
  await devnet[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

let sequence = 0n;
/** Pays until a Pulse is certified: an idle chain takes its time. */
const certified = async (number: number): Promise<void> => {
  while ((await devnet.calls.status({})).certified_pulse < number) {
    const paid = await wallets.pay("carol", "bob", 1n, sequence++);
    await devnet.calls.receipt({ digest: paid.digests[0] as string, wait_ms: 15_000 });
  }
};

describe("a light client at a devnet", () => {
  test("verifyPulse() reports the nine lines [L-245 L-246 L-248 L-251 L-257 L-258 L-259 L-262 L-263 L-266 L-267 L-268 L-269 L-271 L-272 L-273 L-274 L-275 L-276]", async () => {
    await certified(pulse);
    const { pinned, report, verified } = await client.verifyPulse({ pulse });
    const chain = devnet.chain.slice(0, 8);
    expect(pinned).toBe(true);
    expect(report).toEqual([
      `chain: ${chain} matches the pinned identity; 4 validators, keys derive their identifiers ✓`,
      expect.stringMatching(
        new RegExp(
          `^Pulse ${pulse} header [0-9a-f]{8} \\(state root [0-9a-f]{8}, knowledge root ` +
            `[0-9a-f]{8}, 0 claims\\)$`,
        ),
      ),
      expect.stringMatching(
        /^certificate: [34]00000 of 400000 stake signed \(quorum 266667\), each signature insecure, for tests only ✓$/,
      ),
      "forced inclusion: no overdue intents (0 pending within their deadline) ✓",
      "receipts: 1 of 1 transactions proven against the receipts root, in the certified order ✓",
      "state: an account object proven against the state root ✓",
      "availability: 16 of 16 random shares of the 16×16 square verified; a withholding would go " +
      "unnoticed with probability < 1.9e-3 ✓",
      expect.stringMatching(
        new RegExp(
          '^world proof: 2 leaves re-verified by stack \\["A", "B"\\]; the published data is ' +
            "what executed and encodes to the certified data root \\([0-9]+ KB; replay proofs " +
            "simulate succinct ones\\) ✓$",
        ),
      ),
      "lane certificates: all 1 executed transactions locked their inputs with a quorum of their " +
      "shard's committee, taken from the proven validator set ✓",
    ]);
    expect(verified).toBe(true);
  });

  test("verifyPulse() without an identity says that the node vouches for itself [L-246 L-254 L-261]", async () => {
    const unpinned = openClient({
      env: {},
      home: `${folder.path}/home`,
      transport: overJson(devnet.calls),
    });
    const { pinned, report } = await unpinned.verifyPulse({});
    expect(pinned).toBe(false);
    expect(report[0]).toMatch(/is what the node says, no identity is pinned; .* ✓$/);
    const other = await unpinned.verifyPulse({ chain: "ab".repeat(32) });
    expect(other).toMatchObject({ pinned: true, verified: false });
    expect(other.report).toHaveLength(9);
    expect(other.report[0]).toBe(
      `chain: this node serves ${devnet.chain.slice(0, 8)}, not the pinned abababab ✗`,
    );
    unpinned[Symbol.dispose]();
  });

  test("receipt() proves what became of a payment [L-330 L-331 L-332 L-333 L-336 L-337 L-338 L-339 L-340 L-341 L-343 L-345]", async () => {
    const value = await client.receipt(digest);
    expect(Object.keys(value)).toEqual([
      "certificate",
      "chain",
      "chain_pinned",
      "digest",
      "events",
      "outcome",
      "pulse",
      "receipt",
      "verified",
    ]);
    expect(value).toMatchObject({
      chain: devnet.chain,
      chain_pinned: true,
      digest,
      events: [{ Transferred: { outputs: [[expect.any(String), 1_500_000n]] } }],
      outcome: "success",
      pulse,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      verified: true,
    });
    expect(value.certificate.quorum).toBe(266667);
    expect(Number(value.certificate.signed)).toBeGreaterThanOrEqual(266667);
  });

  test("sessions are followed by certificates, and old Pulses stay verifiable [L-602]", async () => {
    await certified(14);
    const { report } = await client.verifyPulse({ pulse: 13 });
    expect(report.filter((line) => line.endsWith("✗"))).toEqual([]);
    const last = await client.verifyPulse({ pulse: 4 });
    expect(last.verified).toBe(true);
  });

  test("status() counts the leaders that were committed [L-108]", async () => {
    const { anchors, pulse: newest } = await devnet.calls.status({});
    let counted = 0;
    for (let number = 1; number <= newest; number++) {
      const { bytes } = await devnet.calls.published({ number });
      counted += decode(pulseDataCodec, fromHex(bytes)).anchors.length;
    }
    expect(anchors).toBe(counted);
    expect(counted).toBeGreaterThan(newest);
  });

  test("status() commits to the parameters and the validators of its session [L-118]", async () => {
    const first = decode(chainOriginCodec, fromHex((await devnet.calls.genesis({})).bytes)).config;
    const { commitment, session, epoch } = await devnet.calls.status({});
    const now = { ...first, session, epoch: BigInt(epoch) };
    expect(commitment.config).toBe(toHex(configHash(now)));
    const { parameters, validators: [one, ...others] } = now;
    if (one === undefined) throw new Error("there are no validators");
    for (
      const other of [
        { ...now, parameters: { ...parameters, epochPulses: 5n } },
        { ...now, validators: [{ ...one, stake: one.stake + 1n }, ...others] },
      ]
    ) expect(commitment.config).not.toBe(toHex(configHash(other)));
  });

  test("status() names a Pulse that both stacks came to [L-135]", async () => {
    const proven = async (): Promise<number> => (await devnet.calls.status({})).proven_pulse;
    while (await proven() === 0) await sleep(20);
    expect(await proven()).toBeLessThanOrEqual((await devnet.calls.status({})).pulse);
  });

  test("followChain() goes from head to head and keeps what it trusts [L-602]", async () => {
    const numbers: number[] = [];
    for (const _ of [1, 2]) {
      for await (const head of client.followChain({ once: true })) numbers.push(head.pulse);
      await certified((numbers.at(-1) ?? 0) + 2);
    }
    expect(numbers).toHaveLength(2);
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? 0);
  });

  test("published data, commitment, state and knowledge are proven [L-249 L-597 L-600 L-601]", async () => {
    const number = (await devnet.calls.status({})).certified_pulse;
    const header = decode(headerCodec, fromHex((await devnet.calls.header({ number })).bytes));
    const { bytes, size } = await devnet.calls.published({ number });
    const data = fromHex(bytes);
    expect(data).toHaveLength(size);
    expect(encode(pulseDataCodec, decode(pulseDataCodec, data))).toEqual(data);
    expect(DataSquare.of(data).root(header.chain)).toEqual(header.dataRoot);
    const { bytes: square } = await devnet.calls.square_commitment({ number });
    const commitment = decode(squareCommitmentCodec, fromHex(square));
    expect(verifyCommitment(header.dataRoot, header.chain, commitment)).toBe(true);
    const absent = accountKey("ab".repeat(32));
    const proof = await devnet.calls.object_proof({ number, key: absent });
    expect(decode(stateProofCodec, fromHex(proof.bytes)).object).toBeNull();
    const grown = await devnet.calls.knowledge_proof({ number, from: 0n });
    const knowledge = decode(knowledgeProofCodec, fromHex(grown.bytes));
    expect(verifyKnowledgeGrowth({ ...header, knowledgeSize: 0n }, header, knowledge))
      .toBe(header.knowledgeSize === 0n);
    expect(verifyClaimInclusion("ab".repeat(32), header, knowledge)).toBe(false);
    await expect(devnet.calls.knowledge_proof({ number, claim: toHex(header.beacon) }))
      .rejects.toMatchObject({ code: "not-found" });
    await expect(devnet.calls.published({ number: 99_999 })).rejects.toMatchObject({
      code: "not-found",
    });
  });
});
