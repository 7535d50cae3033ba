import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { concatBytes, decode, fromHex, stringifyJson, toHex } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { Receipt } from "#internal/ledger/mod.ts";
import { createLedger, NO_NAMES } from "#internal/ledger/mod.ts";
import {
  genesisOf,
  headerCodec,
  headerDigest,
  pulseCertificateCodec,
  verifyPulseCertificate,
} from "#internal/proofs/mod.ts";
import type { MethodResult, ReceiptView } from "#internal/rpc/mod.ts";
import { methods } from "#internal/rpc/mod.ts";
import { startTestDevnet, temporaryFolder, testClient } from "./devnet_fixture.ts";
import type { TestClient, TestDevnet } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
let devnet: TestDevnet;
let client: TestClient;

beforeAll(async () => {
  folder = temporaryFolder();
  devnet = await startTestDevnet(folder.path);
  client = testClient(devnet.calls, devnet.chain);
});
afterAll(async () => {
  await devnet[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Waits for a transaction of a unit to be executed. */
async function executed(
  submitted: MethodResult<"submit">,
  member = 0,
): Promise<{ receipt: ReceiptView; tx: string }> {
  expect(submitted).toMatchObject({ answer: "accepted" });
  const digest = submitted.digests[member] as string;
  const answer = await devnet.calls.receipt({ digest, wait_ms: 15_000 });
  expect(answer).toMatchObject({ state: "executed", digest, unit: submitted.unit });
  return { receipt: answer.receipt as ReceiptView, tx: answer.tx as string };
}

describe("status", () => {
  test("status() has the members of the specification [L-103 L-104 L-106 L-114 L-124 L-130 L-142]", async () => {
    const status = await devnet.calls.status({});
    const facts = genesisOf(devnet.folder.genesis, createLedger());
    expect(methods.status.result.parse(status, "status")).toEqual(status);
    expect(status).toMatchObject({
      active: true,
      active_validators: 4,
      chain: facts.chain,
      chain_id: "sion-devnet-1",
      epoch: 0,
      epoch_end: 9223372036854775807n,
      forced_overdue: 0,
      forced_pending: 0,
      genesis: facts.genesis,
      insecure_signatures: true,
      session: 0,
      shards: 2,
      validator: facts.committee.members[0]?.id,
      validators: 4,
    });
    expect(status.commitment.pulse).toBe(status.pulse);
    expect(status.commitment.knowledge_size).toBe(status.claims);
  });
});

describe("submit and receipt", () => {
  test("a payment is final, then executed once, with receipt, unit and event [L-596 L-598 L-283 L-285]", async () => {
    const before = await client.balance("bob");
    const submitted = await client.pay("alice", "bob", 1_500_000n, 0n);
    const digest = submitted.digests[0] as string;
    const final = await devnet.calls.receipt({ digest, until: "final", wait_ms: 15_000 });
    expect(["final", "executed"]).toContain(final.state);
    const { receipt, tx } = await executed(submitted);
    expect(receipt).toMatchObject({
      fee: 1100n,
      kind: "pay",
      index: 0,
      outcome: { kind: "success" },
    });
    expect(await client.balance("bob")).toBe(before + 1_500_000n);
    const unit = client.ledger.decodeSigned(fromHex(tx));
    const sentence = client.ledger.outcome(
      { ...receipt, pulse: BigInt(receipt.pulse) } as unknown as Receipt,
      unit.unit.members[0],
      NO_NAMES,
    );
    expect(sentence).toMatch(/^Done: paid 1\.5 USD to [0-9a-f]{8}; fee 0\.0011 USD\.$/);
    const { events } = await devnet.calls.events({ from: receipt.pulse });
    expect(events.filter(({ tx: cause }) => cause === digest)).toEqual([
      { event: receipt.events[0], pulse: receipt.pulse, tx: digest },
    ]);
  });

  test("a failed transaction costs its fee and is counted as failed [L-126 L-290]", async () => {
    const { executed: before } = await devnet.calls.status({});
    const { account } = await client.wallet("carol");
    const unit = await client.signed("carol", 0n, [{
      kind: "agent_suspend",
      body: { agent: account },
    }]);
    const { receipt } = await executed(await client.submit(unit));
    expect(receipt).toMatchObject({ fee: 1100n, events: [], outcome: { kind: "failed" } });
    expect(await client.balance("carol")).toBe(10_000_000_000n - 1100n);
    const { executed: after } = await devnet.calls.status({});
    expect(after[1]).toBe(before[1] + 1);
  });

  test("a batch is one unit whose members have receipts of their own [L-573 L-575]", async () => {
    const actions = [
      await client.payAction("bob", 1n),
      await client.payAction("carol", 2n),
      await client.payAction("alice", 3n),
    ];
    const submitted = await client.submit(await client.signed("dana", 0n, actions));
    expect(submitted.digests).toHaveLength(3);
    for (const member of [0, 1, 2]) {
      const { receipt } = await executed(submitted, member);
      expect(receipt).toMatchObject({ fee: 567n, index: member, sequence: BigInt(member) });
    }
  });

  test("handing the same unit in again changes nothing and says where it stands", async () => {
    const before = await client.balance("dana");
    const { sequence } = await devnet.calls.account({
      account: (await client.wallet("bob")).account,
    });
    const unit = await client.signed("bob", sequence, [await client.payAction("dana", 5n)]);
    const first = await client.submit(unit);
    const second = await client.submit(unit);
    expect(second.unit).toBe(first.unit);
    await executed(first);
    const late = await client.submit(unit);
    expect(late).toMatchObject({ answer: "refused", code: "executed" });
    expect(await client.balance("dana")).toBe(before + 5n);
  });

  test.each<[string, string, string, (tx: Uint8Array) => Uint8Array]>([
    ["cut bytes", "bad-request", "Cannot read transaction", (tx) => tx.slice(0, -1)],
    [
      "bytes behind it",
      "bad-request",
      "Cannot read transaction",
      (tx) => concatBytes(tx, new Uint8Array(1)),
    ],
    ["no bytes", "bad-request", "Cannot read transaction", () => new Uint8Array()],
  ])("submit() refuses %s [L-300]", async (_what, code, message, change) => {
    const unit = await client.signed("alice", 50n, [await client.payAction("bob", 1n)]);
    const tx = change(client.ledger.encodeSigned(unit));
    await expect(devnet.calls.submit({ tx })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test("submit() refuses a signature that does not hold, and another chain [L-300]", async () => {
    const unit = await client.signed("alice", 1n, [await client.payAction("bob", 1n)]);
    const [signature] = unit.authorization.signatures;
    const forged = {
      ...unit,
      authorization: {
        ...unit.authorization,
        signatures: [{ key: 0, signature: signature!.signature.map((byte) => byte ^ 1) }],
      },
    };
    expect(await client.submit(forged)).toMatchObject({ answer: "refused", code: "authorization" });
    const elsewhere = await client.signed("alice", 1n, [await client.payAction("bob", 1n)], {
      chain: "00".repeat(32),
    });
    expect(await client.submit(elsewhere)).toMatchObject({ answer: "refused", code: "chain" });
  });

  test("receipt() says unknown at once, and returns when its time is over", async () => {
    const digest = "ee".repeat(32);
    expect(await devnet.calls.receipt({ digest })).toMatchObject({ state: "unknown" });
    expect(await devnet.calls.receipt({ digest, wait_ms: 20 })).toMatchObject({ state: "unknown" });
  });
});

describe("faucet", () => {
  test("faucet() mints for an account, signed and paid for by the operator [L-594]", async () => {
    const { account } = await client.wallet("erin");
    expect(await devnet.calls.account({ account })).toMatchObject({ exists: false, balances: [] });
    const many = [1n, 2n, 3n].map((amount) => devnet.calls.faucet({ account, amount }));
    for (const { receipt } of await Promise.all(many)) {
      expect(receipt).toMatchObject({ kind: "faucet", outcome: { kind: "success" } });
      expect(receipt.account).toBe((await client.wallet("operator-0")).account);
    }
    expect(await devnet.calls.account({ account })).toMatchObject({
      exists: true,
      balances: [{ amount: 6n, symbol: "USD" }],
    });
  });

  test("faucet() passes on the ledger's refusal", async () => {
    const { account } = await client.wallet("erin");
    await expect(devnet.calls.faucet({ account, amount: 0n })).rejects.toMatchObject({
      code: "refused",
      message: "an amount must be above 0",
    });
  });
});

describe("object and objects", () => {
  test("objects() lists a person's agents a page at a time, object() shows one [L-577]", async () => {
    const { account } = await client.wallet("operator-1");
    const agents = await Promise.all(["one", "two", "three"].map(async (name) => ({
      kind: "agent_register",
      body: { name, parent: null, account: (await client.wallet(name)).account },
    })));
    const submitted = await client.submit(await client.signed("operator-1", 0n, agents));
    const made = [];
    for (const member of [0, 1, 2]) made.push(...(await executed(submitted, member)).receipt.made);
    const where = { member: "principal", equals: account };
    const page = await devnet.calls.objects({ kind: "identity", where, limit: 2 });
    expect(page.objects).toHaveLength(2);
    const rest = await devnet.calls.objects({
      kind: "identity",
      where,
      limit: 2,
      after: page.next as string,
    });
    const found = [...page.objects, ...rest.objects];
    expect(found.map(({ id }) => id)).toEqual(made.toSorted());
    const [first] = found;
    expect(await devnet.calls.object({ id: first!.id })).toMatchObject({
      exists: true,
      kind: "identity",
      object: first!.object,
    });
    expect(stringifyJson(first!.object)).toContain(`"principal":"${account}"`);
    expect(
      await devnet.calls.objects({
        kind: "identity",
        where: { ...where, equals: "ab".repeat(32) },
      }),
    )
      .toMatchObject({ objects: [] });
    expect(await devnet.calls.object({ id: "ab".repeat(32) })).toMatchObject({ exists: false });
  });
});

describe("header and certificate", () => {
  test("a Pulse's certificate shows a quorum's votes on exactly its header [L-112 L-597]", async () => {
    const facts = genesisOf(devnet.folder.genesis, createLedger());
    await executed(await client.pay("alice", "bob", 1n, 1n));
    await expect.poll(async () => (await devnet.calls.status({})).certified_pulse)
      .toBeGreaterThan(0);
    const { certified_pulse: number } = await devnet.calls.status({});
    const header = decode(headerCodec, fromHex((await devnet.calls.header({ number })).bytes));
    const { bytes } = await devnet.calls.certificate({ number });
    const certificate = decode(pulseCertificateCodec, fromHex(bytes));
    expect(certificate.header).toEqual(header);
    expect(toHex(header.chain)).toBe(devnet.chain);
    const previous = decode(
      headerCodec,
      fromHex((await devnet.calls.header({ number: number - 1 })).bytes),
    );
    expect(toHex(header.previous)).toBe(toHex(headerDigest(previous)));
    const context = {
      chain: fromHex(devnet.chain),
      session: 0,
      committee: facts.committee,
      backend: await loadDualBackend("insecure"),
    };
    expect(await verifyPulseCertificate(certificate, context)).toMatchObject({ ok: true });
    const other = { ...certificate, header: { ...header, timeMs: header.timeMs + 1n } };
    expect(await verifyPulseCertificate(other, context)).toMatchObject({ ok: false });
  });

  test("header() and certificate() say when there is none", async () => {
    await expect(devnet.calls.header({ number: 1 << 30 })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(devnet.calls.certificate({ number: 0 })).rejects.toMatchObject({
      code: "not-found",
    });
    const genesis = decode(headerCodec, fromHex((await devnet.calls.header({ number: 0 })).bytes));
    expect(genesis.number).toBe(0n);
  });
});

describe("validators", () => {
  test("all validators come to the same Pulses [L-595]", async () => {
    const { certified_pulse: number } = await devnet.calls.status({});
    const headers = await Promise.all(devnet.validators.map(async ({ calls }) => {
      await expect.poll(async () => (await calls.status({})).pulse)
        .toBeGreaterThanOrEqual(number);
      return (await calls.header({ number })).bytes;
    }));
    expect(new Set(headers).size).toBe(1);
  });
});
