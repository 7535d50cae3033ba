import { describe, expect, test } from "vitest";
import { fromHex } from "#internal/core/mod.ts";
import type { Block, Body, Received } from "#internal/consensus/mod.ts";
import {
  createBlockCodec,
  encodeMessage,
  MESSAGE_TAGS,
  statementKinds,
} from "#internal/consensus/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { createLedger, USD } from "#internal/ledger/mod.ts";
import type { CertificateClaim, PulseCertificate } from "#internal/proofs/mod.ts";
import { committeeOf, FORMAT_VERSION, genesisOf } from "#internal/proofs/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { createIntake } from "../../internal/node/intake.ts";
import type { Intake } from "../../internal/node/intake.ts";
import { testWallet } from "./devnet_fixture.ts";

const ledger = createLedger();
const codec = createBlockCodec(ledger, statementKinds);
const ZERO = new Uint8Array(32);

interface Rig {
  readonly intake: Intake;
  readonly got: [number, Received][];
  readonly units: SignedUnit[];
  readonly loads: boolean[];
  /** What was held against peers. */
  readonly offences: string[];
  /** Signatures verified so far. */
  readonly verified: () => number;
  /** A block of a validator as a frame. */
  frame(
    author: number,
    body?: Partial<Body>,
    tamper?: (block: Block) => Partial<Block>,
  ): Promise<Uint8Array>;
  /** Resolves once all that was offered is done. */
  idle(): Promise<void>;
}

async function rig(
  options: {
    wants?: (block: Block) => boolean;
    takesWant?: () => boolean;
    wantsParts?: () => boolean;
    needsUnit?: (form: string) => boolean;
    endClaim?: (certificate: PulseCertificate) => CertificateClaim | undefined;
    verify?: DualBackend["verify"];
    onFault?: (error: unknown) => void;
  } = {},
): Promise<Rig> {
  const real = await loadDualBackend("insecure");
  const keys: DualKeys[] = [];
  for (let i = 0; i < 4; i++) keys.push(await real.keysFromSeed(new Uint8Array(32).fill(i)));
  const committee = committeeOf(keys.map(({ publicKey }) => ({ publicKey, stake: 1n })));
  let verified = 0;
  const backend: DualBackend = {
    ...real,
    verify(...args) {
      verified++;
      return (options.verify ?? real.verify)(...args);
    },
  };
  const got: [number, Received][] = [];
  const units: SignedUnit[] = [];
  const loads: boolean[] = [];
  const offences: string[] = [];
  const intake = createIntake({
    ledger,
    committeeOf: (session) => session === 0 ? committee : undefined,
    backend,
    blocks: codec,
    wants: options.wants ?? (() => true),
    wantsParts: options.wantsParts ?? (() => false),
    needsUnit: options.needsUnit ?? (() => false),
    endClaim: options.endClaim ?? (() => undefined),
    onUnit: (unit) => void units.push(unit),
    onMessage: (from, message) => void got.push([from, message]),
    onLoad: (waiting) => void loads.push(waiting),
    onOffence: (from, offence) => void offences.push(`${from} ${offence}`),
    onUseless: (from, bytes) => void offences.push(`${from} ${bytes > 0 ? "useless" : "?"}`),
    takesWant: options.takesWant ?? (() => true),
    onFault: options.onFault ?? ((error) => {
      throw error;
    }),
  });
  return {
    intake,
    got,
    units,
    loads,
    offences,
    verified: () => verified,
    async frame(author, body = {}, tamper = () => ({})) {
      const block = codec.make({
        version: 1,
        chain: ZERO,
        session: 0,
        round: 1,
        author,
        parents: [],
        timeMs: 0n,
        link: { value: ZERO, next: ZERO },
      }, { units: [], evidence: [], statements: [], ...body });
      const signer = keys[author] ?? keys[0]!;
      const signature = await real.sign(signer, fromHex(block.id), systemRandom);
      return encodeMessage({
        type: "block",
        block: { ...block, signature, ...tamper({ ...block, signature }) },
      });
    },
    // Clients' units come last, so one that is done means that all before it are.
    idle: async () => void await intake.offerUnit(await pay(99n), new Uint8Array([1])),
  };
}

function genesisHeader(publicKey: Uint8Array): PulseCertificate["header"] {
  const genesis = {
    chainId: "sion-test-1",
    version: FORMAT_VERSION,
    shards: 1,
    timeMs: 0n,
    validators: [{ publicKey, stake: 1n, operator: "0e".repeat(32) }],
    accounts: [],
    parameters: {},
    insecure: true,
  };
  return genesisOf(genesis, ledger).header;
}

async function pay(
  sequence: bigint,
  more: { forged?: boolean; copies?: number } = {},
): Promise<SignedUnit> {
  const alice = await testWallet("alice", ledger);
  const outputs = Array.from({ length: more.copies ?? 1 }, () => [alice.account, 1n] as const);
  const signed = await alice.sign({
    chain: "c0".repeat(32),
    validUntil: 9n,
    maxFee: 1100n,
    members: [{ account: alice.account, sequence, kind: "pay", body: { asset: USD, outputs } }],
  });
  if (more.forged !== true) return signed;
  const signatures = [{ key: 0, signature: new Uint8Array(32) }];
  return { ...signed, authorization: { ...signed.authorization, signatures } };
}

describe("createIntake()", () => {
  test("what peers do wrong is told of them, and nothing else", async () => {
    const { intake, got, offences, frame, idle } = await rig({
      wants: (block) => block.header.author !== 3,
      takesWant: () => false,
    });
    const forged = new Uint8Array(32);
    intake.offerFrame(1, new Uint8Array([9, 9]));
    intake.offerFrame(2, await frame(2, {}, () => ({ signature: forged })));
    // Known already, or of another session: nobody looks at its signature.
    intake.offerFrame(1, await frame(3, {}, () => ({ signature: forged })));
    intake.offerFrame(256, await frame(1));
    const want = { session: 0, ids: [], fromRound: 1, rounds: 1, units: [] };
    intake.offerFrame(0, encodeMessage({ type: "want", ...want }));
    intake.offerFrame(0, await frame(0));
    await idle();
    expect(offences).toEqual(["1 undecodable", "2 bad-signature", "1 useless", "256 useless"]);
    expect(got.map(([from, { type }]) => `${from} ${type}`)).toEqual(["0 blocks"]);
  });

  test("a peer's block is handed on once its author's signature holds, before the units that it names", async () => {
    const { intake, got, units, verified, frame, idle } = await rig();
    const unit = await pay(0n);
    const form = ledger.formOf(unit);
    intake.offerFrame(2, await frame(2, { units: [{ form, forced: false }] }));
    intake.offerFrame(2, encodeMessage({ type: "units", units: [ledger.encodeSigned(unit)] }));
    await idle();
    await idle();
    expect(got).toMatchObject([
      [2, { type: "blocks", blocks: [{ header: { author: 2 } }] }],
      [2, { type: "units" }],
    ]);
    expect(units.map((one) => ledger.formOf(one))).toContain(form);
    expect(verified()).toBe(1 + 2);
  });

  test("a certificate of a session's end is handed on once its signatures hold [L-595]", async () => {
    const digest = new Uint8Array(32).fill(7);
    const real = await loadDualBackend("insecure");
    const signer = await real.keysFromSeed(new Uint8Array(32));
    const signature = await real.sign(signer, digest, systemRandom);
    const claimOf = (signature: Uint8Array): CertificateClaim => ({
      ok: true,
      weight: 3n,
      signers: 7,
      signatures: [{ author: 0, publicKey: signer.publicKey, digest, signature }],
    });
    const claims = [
      claimOf(signature),
      claimOf(new Uint8Array(32)),
      { ok: false, reason: "no quorum" } as const,
      undefined,
    ];
    const { intake, got, offences, idle } = await rig({ endClaim: () => claims.shift() });
    const certificate = { header: genesisHeader(signer.publicKey), items: [] };
    for (const from of [0, 1, 2, 3]) {
      intake.offerFrame(from, encodeMessage({ type: "end", certificate }));
    }
    await idle();
    expect(got.map(([from, { type }]) => `${from} ${type}`)).toEqual(["0 end"]);
    expect(offences).toEqual(["1 bad-end", "2 bad-end", "3 useless"]);
  });

  test("a block of another's signature or of no validator comes to nothing", async () => {
    const { intake, got, frame, idle } = await rig();
    intake.offerFrame(
      1,
      await frame(1, {}, ({ signature }) => ({
        signature: signature.map((byte) => byte ^ 1),
      })),
    );
    intake.offerFrame(1, await frame(9));
    await idle();
    expect(got).toEqual([]);
  });

  test("what a follower asks is handed on, blocks that it sends are not verified", async () => {
    const { intake, got, verified, frame, idle } = await rig();
    const want = { type: "want", session: 0, ids: [], fromRound: 1, rounds: 2, units: [] } as const;
    const asked = encodeMessage(want);
    intake.offerFrame(300, await frame(1));
    intake.offerFrame(300, asked);
    await idle();
    await idle();
    expect(got).toEqual([[300, want]]);
    // The unit of `idle` alone.
    expect(verified()).toBe(1);
    for (let n = 0; n < 80_000; n++) intake.offerFrame(300, asked);
    await expect.poll(() => got.length).toBe(1 + Math.floor((1 << 20) / (asked.length + 256)));
  });

  test("bytes that are no message come to nothing, and the next message is handled", async () => {
    const { intake, got, frame, idle } = await rig();
    const good = await frame(3);
    for (
      const bad of [new Uint8Array(), new Uint8Array(9).fill(255), good.slice(0, -1), good.slice(1)]
    ) {
      intake.offerFrame(3, bad);
    }
    intake.offerFrame(3, good);
    await idle();
    expect(got).toHaveLength(1);
  });

  test("a unit is verified once, however many peers and clients bring it", async () => {
    const { intake, got, verified, idle } = await rig();
    const unit = await pay(0n);
    const units = [ledger.encodeSigned(unit)];
    for (const peer of [1, 2, 3]) intake.offerFrame(peer, encodeMessage({ type: "units", units }));
    expect(await intake.offerUnit(unit, ledger.encodeSigned(unit))).toBe(true);
    await idle();
    expect(got).toHaveLength(3);
    expect(verified()).toBe(1 + 1);
  });

  test("a unit that a block waits for goes before blocks, and has room where others have none", async () => {
    const needed = await pay(1n);
    const form = ledger.formOf(needed);
    const { intake, got, frame, idle } = await rig({ needsUnit: (one) => one === form });
    const frames = await Promise.all([1, 2, 3].map((author) => frame(author)));
    const large = await pay(0n, { copies: 60 });
    const units = Array.from({ length: 64 }, () => ledger.encodeSigned(large));
    const times = Math.ceil((2 << 20) / (64 * units[0]!.length));
    for (let k = 0; k < times; k++) intake.offerFrame(1, encodeMessage({ type: "units", units }));
    intake.offerFrame(2, encodeMessage({ type: "units", units: [ledger.encodeSigned(needed)] }));
    frames.forEach((bytes, i) => intake.offerFrame(i + 1, bytes));
    await expect.poll(() => intake.holdsUnit(ledger.formOf(large))).toBe(true);
    expect(intake.holdsUnit("00".repeat(32))).toBe(false);
    await idle();
    expect(got.map(([from, { type }]) => `${from} ${type}`).slice(0, 4))
      .toEqual(["2 units", "1 blocks", "2 blocks", "3 blocks"]);
  });

  test("a block that is of no use is not verified", async () => {
    const { intake, got, verified, frame } = await rig({ wants: () => false });
    intake.offerFrame(1, await frame(1));
    const unit = await pay(0n);
    await intake.offerUnit(unit, ledger.encodeSigned(unit));
    expect(got).toEqual([]);
    expect(verified()).toBe(1);
  });

  test("peers' blocks go before clients' units", async () => {
    const { intake, got, frame } = await rig();
    const frames = await Promise.all([1, 2, 3].map((author) => frame(author)));
    const units = await Promise.all([0n, 1n].map((sequence) => pay(sequence)));
    const first = intake.offerUnit(units[0]!, ledger.encodeSigned(units[0]!));
    const second = intake.offerUnit(units[1]!, ledger.encodeSigned(units[1]!));
    frames.forEach((bytes, i) => intake.offerFrame(i + 1, bytes));
    await first;
    await second;
    expect(got).toHaveLength(3);
  });

  test("a unit that a peer shares is handed on once its authorization holds, and verified once", async () => {
    const { intake, got, offences, verified, frame, idle } = await rig();
    const unit = await pay(0n);
    const units = [unit, await pay(1n, { forged: true })].map(ledger.encodeSigned);
    intake.offerFrame(2, encodeMessage({ type: "units", units }));
    intake.offerFrame(1, await frame(1));
    await idle();
    expect(offences).toEqual(["2 bad-signature"]);
    const shared = got.filter(([, { type }]) => type === "units");
    expect(shared).toMatchObject([[2, { units: [{ bytes: units[0] }] }]]);
    expect(verified()).toBe(1 + 2 + 1);
  });

  test("what peers share beyond the room for waiting units is dropped", async () => {
    const { intake, got, idle } = await rig();
    const large = await pay(0n, { copies: 60 });
    const units = Array.from({ length: 64 }, () => ledger.encodeSigned(large));
    const times = 2 + Math.ceil((4 << 20) / (64 * units[0]!.length));
    for (let k = 0; k < times; k++) intake.offerFrame(1, encodeMessage({ type: "units", units }));
    await idle();
    expect(got.length).toBeGreaterThan(0);
    expect(got.length).toBeLessThan(64 * times);
  });

  test("a fault of the verifier at what peers share is told, and nobody is blamed", async () => {
    const faults: unknown[] = [];
    const { intake, offences } = await rig({
      verify: () => Promise.reject(new Error("the kernel is gone")),
      onFault: (error) => void faults.push(error),
    });
    intake.offerFrame(
      1,
      encodeMessage({ type: "units", units: [ledger.encodeSigned(await pay(0n))] }),
    );
    await expect.poll(() => faults).toMatchObject([{ message: "the kernel is gone" }]);
    expect(offences).toEqual([]);
  });

  test("a part of a snapshot is decoded only where one is owed", async () => {
    const part = new Uint8Array(3 << 20);
    part[0] = MESSAGE_TAGS.part;
    const stranger = await rig();
    stranger.intake.offerFrame(1, part);
    expect(stranger.offences).toEqual(["1 useless"]);
    const asked = await rig({ wantsParts: () => true });
    asked.intake.offerFrame(1, part);
    expect(asked.offences).toEqual(["1 undecodable"]);
  });

  test("clients are told to come again when more waits than is kept, and nothing is lost", async () => {
    const { intake } = await rig();
    const large = new Uint8Array(512 * 1024);
    const unit = await pay(0n);
    const asked = Array.from({ length: 20 }, () => intake.offerUnit(unit, large));
    const answers = await Promise.allSettled(asked);
    const busy = answers.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(busy.length).toBeGreaterThan(0);
    for (const { reason } of busy) {
      expect(reason).toBeInstanceOf(RpcError);
      expect(reason).toMatchObject({ code: "busy", data: { retry_after_ms: expect.any(Number) } });
    }
    expect(answers.length - busy.length).toBeGreaterThanOrEqual(8);
    expect(await intake.offerUnit(unit, large)).toBe(true);
  });

  test("frames of a peer beyond those that may wait are dropped, and others' are taken", async () => {
    const { intake, got, offences, frame, idle } = await rig();
    // All in one turn, so that nothing is taken from the queue meanwhile; the first is being looked at.
    const large = new Uint8Array(1 << 20);
    for (let n = 0; n < 12; n++) intake.offerFrame(1, large);
    for (let n = 0; n < 8; n++) intake.offerFrame(256, new Uint8Array(512 << 10));
    const good = await frame(2);
    intake.offerFrame(2, good);
    await idle();
    expect(offences.filter((line) => line === "1 undecodable").length).toBe(8);
    expect(got.map(([from]) => from)).toEqual([2]);
    // Followers' turn comes between clients'.
    const followers = () => offences.filter((line) => line === "256 undecodable").length;
    await expect.poll(followers).toBe(1);
    await idle();
    expect(followers()).toBe(1);
  });

  test("small frames count for what they take", async () => {
    const { intake, offences, idle } = await rig();
    for (let n = 0; n < 40_000; n++) intake.offerFrame(1, new Uint8Array(1));
    await idle();
    expect(offences.length).toBe(1 + Math.floor((8 << 20) / 257));
  });

  test("a backlog is told when it begins and when it ends", async () => {
    const { intake, loads } = await rig();
    const units = await Promise.all([0n, 1n, 2n].map((sequence) => pay(sequence)));
    await Promise.all(units.map((unit) => intake.offerUnit(unit, ledger.encodeSigned(unit))));
    await expect.poll(() => loads.at(-1)).toBe(false);
    expect(loads[0]).toBe(true);
    expect(loads.every((load, i) => load === (i % 2 === 0))).toBe(true);
  });

  test("close() refuses what waits and what comes", async () => {
    const { intake } = await rig();
    const units = await Promise.all([0n, 1n, 2n].map((sequence) => pay(sequence)));
    const asked = Promise.allSettled(
      units.map((unit) => intake.offerUnit(unit, ledger.encodeSigned(unit))),
    );
    intake.close();
    const answers = await asked;
    expect(answers.slice(1).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(intake.offerUnit(units[0]!, new Uint8Array(1))).rejects.toMatchObject({
      code: "stopping",
    });
  });
});
