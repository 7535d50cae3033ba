/** Blocks that cannot be placed: a validator keeps a bounded number of them. */
import { expect, it } from "vitest";
import { fromHex } from "#internal/core/mod.ts";
import type { StoredBlock } from "#internal/consensus/mod.ts";
import { createBlockCodec, statementKinds } from "#internal/consensus/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { BlockHeader } from "#internal/proofs/mod.ts";
import { FORMAT_VERSION, ZERO_HASH } from "#internal/proofs/mod.ts";
import type { UnitRecord } from "../../internal/consensus/local_view.ts";
import type { ProducerContext } from "../../internal/consensus/producer.ts";
import { Producer } from "../../internal/consensus/producer.ts";
import { Net } from "./_net.ts";

/** An empty block of a network's chain. */
function blockOf(net: Net, change: Partial<BlockHeader>): StoredBlock {
  const block = createBlockCodec(net.ledger, statementKinds).make({
    version: FORMAT_VERSION,
    chain: fromHex(net.chain),
    session: 0,
    round: 1,
    author: 1,
    parents: [],
    timeMs: 0n,
    link: { value: ZERO_HASH, next: ZERO_HASH },
    ...change,
  }, { units: [], evidence: [], statements: [] });
  const { id, bytes, header: { round, author } } = block;
  return { id, round, author, bytes, signature: new Uint8Array(4) };
}

/** Parents of the round before that are nowhere, an author's own first. */
function nowhere(round: number, author: number, n: number): BlockHeader["parents"] {
  return [author, ...[0, 1, 2, 3].filter((other) => other !== author)].map((parent) => ({
    round: round - 1,
    author: parent,
    id: taggedHash("test/nowhere", Uint8Array.of(n, n >> 8, parent)),
  }));
}

it("a validator lets go of the farthest blocks of the author that has most waiting", () => {
  const net = new Net();
  for (let n = 0; n < 2_200; n++) {
    const [round, author] = [2 + n % 100, n % 10 === 0 ? 2 : 1];
    net.show(0, 3, blockOf(net, { round, author, parents: nowhere(round, author, n) }));
  }
  expect(net.peer(0).validator.status().waiting).toBe(2_048);
  expect(net.peer(0).refused).toEqual([]);
  net.submit(0, net.payment("alice", "bob", 1n));
  expect(net.run(60_000, () => net.all.length > 0)).toBe(true);
});

it("a validator keeps so many blocks of the next session and no more", () => {
  const net = new Net({ parameters: { epochPulses: 4n } });
  const { validator } = net.peer(0);
  const isBetween = (): boolean =>
    validator.status().session === 0 && validator.committeeOf(1) !== undefined;
  for (let i = 0; i < 400 && !isBetween(); i++) {
    net.submit(0, net.payment("alice", "bob", 1n));
    net.run(300, isBetween);
  }
  expect(isBetween()).toBe(true);
  const codec = createBlockCodec(net.ledger, statementKinds);
  const blocks = Array.from(
    { length: 257 },
    (_, n) => blockOf(net, { session: 1, round: 5 + n, parents: nowhere(5 + n, 1, n) }),
  );
  const wanted = (): boolean[] =>
    blocks.map(({ bytes, signature }) => validator.wants(codec.decode(bytes, signature)));
  expect(wanted()).toEqual(Array(257).fill(true));
  for (const block of blocks.slice(0, 255)) net.show(0, 3, block);
  expect(wanted()).toEqual([...Array(255).fill(false), true, true]);
  net.show(0, 3, blocks[255] as StoredBlock);
  expect(wanted()).toEqual(Array(257).fill(false));
});

it("a validator keeps so many bytes of blocks of the next session and no more", () => {
  const net = new Net({ parameters: { epochPulses: 4n } });
  const { validator } = net.peer(0);
  const isBetween = (): boolean =>
    validator.status().session === 0 && validator.committeeOf(1) !== undefined;
  for (let i = 0; i < 400 && !isBetween(); i++) {
    net.submit(0, net.payment("alice", "bob", 1n));
    net.run(300, isBetween);
  }
  const codec = createBlockCodec(net.ledger, statementKinds);
  const bytes = new Uint8Array(1 << 20);
  const large = Array.from({ length: 65 }, (_, n) => {
    const small = blockOf(net, { session: 1, round: 5 + n, parents: nowhere(5 + n, 1, n) });
    return { ...codec.decode(small.bytes, small.signature), bytes };
  });
  for (const block of large.slice(0, 64)) {
    expect(validator.wants(block)).toBe(true);
    validator.step({
      type: "message",
      from: 1,
      message: { type: "blocks", blocks: [block] },
      nowMs: net.nowMs,
    });
  }
  expect(large.map((block) => validator.wants(block))).toEqual(Array(65).fill(false));
});

it("a producer is offered so many units of others' clients and no more", () => {
  // Offering reads nothing but the record.
  const producer = new Producer({} as ProducerContext);
  const record = (): UnitRecord =>
    ({ standing: "open", carriers: [], carriedAt: 0 }) as unknown as UnitRecord;
  const taken = Array.from({ length: 257 }, () => producer.offer(record()));
  expect(taken).toEqual([...Array(256).fill(true), false]);
  expect(producer.offers).toBe(256);
});

it("a validator keeps two blocks of one author and round, and more only if another names them", () => {
  const net = new Net();
  const codec = createBlockCodec(net.ledger, statementKinds);
  const rivals = [1n, 2n, 3n].map((timeMs) => blockOf(net, { timeMs }));
  for (const block of rivals.slice(0, 2)) net.show(0, 3, block);
  const [, , third] = rivals as [StoredBlock, StoredBlock, StoredBlock];
  const isWanted = (): boolean =>
    net.peer(0).validator.wants(codec.decode(third.bytes, third.signature));
  expect(isWanted()).toBe(false);
  const named = nowhere(2, 1, 0).map((parent, at) =>
    at === 0 ? { ...parent, id: fromHex(third.id) } : parent
  );
  net.show(0, 3, blockOf(net, { round: 2, parents: named }));
  expect(isWanted()).toBe(true);
});
