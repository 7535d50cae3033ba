/** Proofs that light clients are given, made from a network of validators and then broken. */
import { describe, expect, it } from "vitest";
import { decode, encode, fromHex, idBytes, toHex } from "#internal/core/mod.ts";
import { accountKey, CHECKPOINT_PULSES } from "#internal/ledger/mod.ts";
import { MerkleLog } from "#internal/merkle/mod.ts";
import type {
  Header,
  HeaderProof,
  KnowledgeProof,
  PulseCertificate,
} from "#internal/proofs/mod.ts";
import {
  headerProofCodec,
  orderedOf,
  proveState,
  pulseDataCodec,
  pulseDataFault,
  shownQuorum,
  shownStake,
  verifyClaimInclusion,
  verifyKnowledgeGrowth,
} from "#internal/proofs/mod.ts";
import { committeeOf } from "#internal/proofs/mod.ts";
import {
  headerProofFault,
  provenHeader,
  verifyHeaderProof,
} from "../../internal/proofs/light/header_proof.ts";
import { orderFault } from "../../internal/proofs/light/contents.ts";
import { forcedLine } from "../../internal/proofs/light/report.ts";
import { verifyStateProof } from "../../internal/proofs/light/state_proof.ts";
import { Net } from "../consensus/_net.ts";
import { accountOf } from "../ledger/_world.ts";

/** A network that executed a few payments and certified ten Pulses. */
function ran(): Net {
  const net = new Net({ delayMs: [5, 15] });
  for (let k = 0; k < 8; k++) {
    net.submit(0, net.payment("alice", "bob", 1n));
    net.run(500);
  }
  net.run(120_000, () => net.peer(0).certificates.length >= 10);
  return net;
}
const net = ran();
const chain = fromHex(net.chain);
const headerOf = (number: number): Header => net.effects[number - 1]?.header as Header;
const certificateOf = (number: number): PulseCertificate =>
  net.peer(0).certificates.find(({ header }) => header.number === BigInt(number)) as never;
/** Pulse 3's header, by the certificate of Pulse 7 or of another. */
const bridged = (): HeaderProof => ({
  before: [3, 4, 5, 6].map(headerOf),
  certificate: certificateOf(7),
});
const flipped = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => i === 3 ? byte ^ 1 : byte);

describe("headerProofFault()", () => {
  it("lets a later certificate speak for the headers that it names [L-247]", async () => {
    const proof = bridged();
    expect(headerProofFault(proof, 3, chain)).toBeUndefined();
    expect(provenHeader(proof)).toEqual(headerOf(3));
    expect((await verifyHeaderProof(proof, net.certificateContext())).ok).toBe(true);
    expect(decode(headerProofCodec, encode(headerProofCodec, proof))).toEqual(proof);
    expect(CHECKPOINT_PULSES).toBe(64);
  });

  it("refuses a gap, another order, another link and another number", () => {
    const { before, certificate } = bridged();
    const fault = (headers: readonly Header[], number = 3) =>
      headerProofFault({ before: headers, certificate }, number, chain);
    expect(fault(before.filter(({ number }) => number !== 5n))).toBe(
      "a header after it is missing",
    );
    expect(fault([...before].reverse())).toBe("it is Pulse 6's");
    expect(fault(before, 4)).toBe("it is Pulse 3's");
    const changed = before.map((header, i) =>
      i === 0 ? { ...header, stateRoot: flipped(header.stateRoot) } : header
    );
    expect(fault(changed)).toBe("Pulse 4 names another header before it");
    const session = before.map((header, i) => i === 2 ? { ...header, session: 1 } : header);
    expect(fault(session)).toBe("its certificate is of another session");
  });
});

describe("verifyStateProof()", () => {
  const { state, header } = net.effects.at(-1) as Net["effects"][number];
  const prove = (key: string) => proveState(state, key, state.bytes(key));

  it("shows who is there and who is not, under the header's root [L-249 L-268]", () => {
    for (const name of ["alice", "bob", "nobody"]) {
      const proof = prove(accountKey(accountOf(name)));
      expect(proof.object === null).toBe(name === "nobody");
      expect(verifyStateProof(header.stateRoot, 2, proof)).toBe(true);
    }
  });

  it("refuses the present as absent, the absent as present, another shard and any change", () => {
    const present = prove(accountKey(accountOf("alice")));
    const absent = prove(accountKey(accountOf("nobody")));
    const holds = (proof: typeof present, shards = 2) =>
      verifyStateProof(header.stateRoot, shards, proof);
    expect(holds({ ...present, object: null })).toBe(false);
    expect(holds({ ...absent, object: present.object })).toBe(false);
    expect(holds({ ...present, key: absent.key })).toBe(false);
    expect(holds({ ...present, other: { key: idBytes(present.key), valueHash: chain } })).toBe(
      false,
    );
    expect(holds({ ...present, shardRoot: flipped(present.shardRoot) })).toBe(false);
    expect(holds({ ...present, shardPath: [] })).toBe(false);
    expect(holds({ ...present, siblings: present.siblings.map(flipped) })).toBe(
      present.siblings.length === 0,
    );
    expect(holds(present, 3)).toBe(false);
    expect(holds({ ...present, object: flipped(present.object as Uint8Array) })).toBe(false);
  });
});

describe("pulseDataFault()", () => {
  const number =
    net.effects.findIndex(({ number, receipts }) => number > 2 && receipts.length > 0) + 1;
  const { data, header } = net.effects[number - 1] as Net["effects"][number];
  const published = decode(pulseDataCodec, data);
  const committee = committeeOf(net.genesis.validators);
  const fault = (change: Partial<typeof published>) =>
    pulseDataFault({ ...published, ...change }, header, headerOf(number - 1), committee);

  it("finds anchors, time and beacon again, and what does not give them [L-600]", () => {
    expect(number).toBeGreaterThan(1);
    expect(fault({})).toBeUndefined();
    expect(fault({ anchors: published.anchors.slice(1) })).toMatch(/anchors/);
    const later = published.times.map((time) => ({ ...time, timeMs: time.timeMs + 9n }));
    expect(fault({ times: later })).toMatch(/times do not give/);
    expect(fault({ links: published.links.slice(1) })).toMatch(/beacon/);
    expect(fault({ links: [...published.links].reverse() })).toMatch(/ascending/);
    expect(fault({ times: published.times.map((time) => ({ ...time, author: 9 })) }))
      .toMatch(/ascending/);
    expect(orderedOf(published)?.length).toBe(published.units.length);
  });
});

describe("orderFault()", () => {
  const { receipts, header } = net.effects
    .find(({ receipts }) => receipts.length > 0) as Net["effects"][number];
  const digests = receipts.map(({ digest }) => digest);
  const fault = (published: readonly string[], of = receipts) =>
    orderFault(of, { digests: published } as Parameters<typeof orderFault>[1], header);

  it("wants one receipt for each transaction, in the certified order [L-247 L-267 L-598]", () => {
    expect(fault(digests)).toBeUndefined();
    expect(fault([...digests, "ab".repeat(32)])).toMatch(/receipts for .* transactions and slots/);
    const [first = "", ...rest] = digests;
    expect(fault(["ab".repeat(32), ...rest]))
      .toBe("receipt 0 is not that of the certified order");
    const two = [...receipts, ...receipts].slice(0, 2);
    const other = two.map((receipt, at) => ({ ...receipt, digest: at === 0 ? "cd" : first }));
    expect(fault([first, "cd"], other as typeof receipts))
      .toBe("receipt 0 is not that of the certified order");
    const later = receipts.map((receipt) => ({ ...receipt, pulse: receipt.pulse + 1n }));
    expect(fault(digests, later)).toBe(`a receipt is of Pulse ${header.number + 1n}`);
  });
});

describe("forcedLine()", () => {
  const { forcedRoot } = headerOf(1);
  const some = flipped(forcedRoot);

  it("fails for an overdue unit, and for counts that the root does not bear out [L-248 L-266 L-599]", () => {
    const line = (forcedPending: number, forcedOverdue: number, root: Uint8Array) =>
      forcedLine({ forcedPending, forcedOverdue, forcedRoot: root });
    expect(line(0, 0, forcedRoot)).toMatchObject({
      ok: true,
      text: expect.stringContaining("no overdue intents (0 pending within their deadline)"),
    });
    expect(line(2, 0, some)).toMatchObject({
      ok: true,
      text: expect.stringContaining("no overdue intents (2 pending within their deadline)"),
    });
    expect(line(2, 1, some)).toMatchObject({
      ok: false,
      text: expect.stringContaining("1 overdue intents (1 pending within their deadline)"),
    });
    for (
      const [pending, overdue, root] of [[1, 2, some], [1, 0, forcedRoot], [0, 0, some]] as const
    ) {
      expect(line(pending, overdue, root).ok).toBe(false);
    }
  });
});

describe("knowledge proofs", () => {
  const claims = Array.from({ length: 11 }, (_, i) => toHex(new Uint8Array(32).fill(i + 1)));
  const log = new MerkleLog();
  for (const claim of claims) log.append(idBytes(claim));
  const at = (size: number) => ({ knowledgeRoot: log.root(size), knowledgeSize: BigInt(size) });
  const proof: KnowledgeProof = {
    inclusion: { index: 4n, path: log.proveInclusion(4, 9) },
    consistency: { from: 6n, path: log.proveConsistency(6, 9) },
  };

  it("show a claim and that the log only grew, under the sizes they are of [L-597]", () => {
    expect(verifyClaimInclusion(claims[4] as string, at(9), proof)).toBe(true);
    expect(verifyClaimInclusion(claims[5] as string, at(9), proof)).toBe(false);
    expect(verifyClaimInclusion(claims[4] as string, at(10), proof)).toBe(false);
    expect(verifyKnowledgeGrowth(at(6), at(9), proof)).toBe(true);
    expect(verifyKnowledgeGrowth(at(5), at(9), proof)).toBe(false);
    expect(verifyKnowledgeGrowth(at(6), at(10), proof)).toBe(false);
    expect(verifyKnowledgeGrowth(at(6), at(9), { ...proof, consistency: null })).toBe(false);
  });
});

describe("shownQuorum()", () => {
  it("is in whole units, rounded up: 266667 of 400000 [L-264]", () => {
    expect(shownStake(400_000_000_000n)).toBe(400_000n);
    expect(shownQuorum(266_666_666_667n)).toBe(266_667n);
    expect(shownQuorum(1_000_000n)).toBe(1n);
  });
});
