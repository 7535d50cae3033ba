/** Bytes of blocks and messages: one encoding each, and nothing else is read. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encode, SionError, struct, u64 } from "#internal/core/mod.ts";
import type { Block, Message } from "#internal/consensus/mod.ts";
import {
  checksOf,
  createBlockCodec,
  decodeMessage,
  encodeMessage,
  MESSAGE_TAGS,
  packBlocks,
  packUnits,
  statementKinds,
} from "#internal/consensus/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { blockHeaderCodec, FORMAT_VERSION, ZERO_HASH } from "#internal/proofs/mod.ts";
import { accountOf, payTo, World } from "../ledger/_world.ts";

const ledger = createLedger();
const codec = createBlockCodec(ledger, statementKinds);
const unit = "ab".repeat(32);
const header = {
  version: FORMAT_VERSION,
  chain: ZERO_HASH,
  session: 0,
  round: 9,
  author: 2,
  parents: [{ round: 8, author: 2, id: ZERO_HASH }],
  timeMs: 5n,
  link: { value: ZERO_HASH, next: ZERO_HASH },
};

const signed = new World().unit("alice", [payTo([accountOf("bob"), 1n])]);
const form = ledger.formOf(signed);

function madeBlock(): Block {
  const block = codec.make(header, {
    units: [{ form, forced: true }],
    evidence: [],
    statements: [
      { kind: "vote", body: { unit } },
      { kind: "stop", body: { account: unit, sequence: 3n, named: null } },
      { kind: "pulse_vote", body: { pulse: 1n, header: ZERO_HASH } },
    ],
  });
  return { ...block, signature: Uint8Array.of(1, 2, 3) };
}

describe("BlockCodec.decode()", () => {
  it("gives back what was made, with the same id", () => {
    const block = madeBlock();
    const read = codec.decode(block.bytes, block.signature);
    expect(read).toEqual(block);
    expect(read.id).toMatch(/^[0-9a-f]{64}$/);
    expect(codec.decode(block.bytes, new Uint8Array(9)).id).toBe(block.id);
  });

  it("refuses every changed byte, missing byte and added byte", () => {
    const { bytes, id } = madeBlock();
    for (let i = 0; i < bytes.length; i++) {
      const changed = bytes.slice();
      changed[i] = (changed[i] ?? 0) ^ 1;
      // A changed header is another block, of another id; anything else is none.
      try {
        expect(codec.decode(changed, ZERO_HASH).id).not.toBe(id);
        expect(i).toBeLessThan(
          encode(blockHeaderCodec, codec.decode(bytes, ZERO_HASH).header).length,
        );
      } catch (error) {
        expect(error).toBeInstanceOf(SionError);
      }
    }
    expect(() => codec.decode(bytes.subarray(1), ZERO_HASH)).toThrow(SionError);
    expect(() => codec.decode(bytes.subarray(0, -1), ZERO_HASH)).toThrow(SionError);
    expect(() => codec.decode(new Uint8Array([...bytes, 0]), ZERO_HASH)).toThrow(SionError);
  });

  it("refuses a body over 1 MiB and more than sixteen forced units", () => {
    const many = codec.make(header, {
      units: Array.from({ length: 17 }, () => ({ form, forced: true })),
      evidence: [],
      statements: [],
    });
    expect(() => codec.decode(many.bytes, ZERO_HASH)).toThrow("it has too many forced units");
    const large = codec.make(header, {
      units: [],
      evidence: [],
      statements: Array.from({ length: 33_000 }, () => ({ kind: "vote", body: { unit } })),
    });
    expect(() => codec.decode(large.bytes, ZERO_HASH)).toThrow("its body is over 1 MiB");
  });

  it("refuses a message that shares more than 64 units", () => {
    const bytes = ledger.encodeSigned(signed);
    const most = encodeMessage({ type: "units", units: Array(64).fill(bytes) });
    expect(decodeMessage(most, codec)).toMatchObject({ type: "units" });
    // The count is one byte, after the type.
    const more = Uint8Array.of(...most, ...most.subarray(2, 2 + (most.length - 2) / 64));
    more[1] = 65;
    expect(() => decodeMessage(more, codec)).toThrow("65 items where at most 64 are allowed");
  });

  it("refuses a unit named twice, and statements out of order or repeated", () => {
    const block = madeBlock();
    const [carried] = block.body.units;
    if (carried === undefined) throw new Error("no unit");
    const twice = codec.make(header, {
      ...block.body,
      units: [carried, { ...carried, forced: false }],
    });
    expect(() => codec.decode(twice.bytes, ZERO_HASH)).toThrow("it names a unit twice");
    const { statements } = block.body;
    const repeated = codec.make(header, {
      ...block.body,
      statements: [...statements, ...statements],
    });
    expect(() => codec.decode(repeated.bytes, ZERO_HASH)).toThrow("not in ascending order");
    const shuffled = codec.make(header, { ...block.body, statements: statements.toReversed() });
    expect(shuffled.id).toBe(block.id);
  });

  it("names what the caller has to verify", () => {
    const block = madeBlock();
    const checks = checksOf(block);
    expect(checks).toHaveLength(1);
    expect(checks[0]?.author).toBe(2);
  });

  it("refuses statements of kinds it does not know", () => {
    const extra = { name: "extra", tag: 77, codec: struct({ value: u64 }) };
    const other = createBlockCodec(ledger, [...statementKinds, extra]);
    const block = other.make(header, {
      units: [],
      evidence: [],
      statements: [{ kind: "extra", body: { value: 1n } }],
    });
    expect(other.decode(block.bytes, ZERO_HASH).id).toBe(block.id);
    expect(() => codec.decode(block.bytes, ZERO_HASH)).toThrow("a statement of an unknown kind");
    expect(() => createBlockCodec(ledger, [...statementKinds, { ...extra, tag: 1 }]))
      .toThrow(TypeError);
  });
});

describe("decodeMessage()", () => {
  it("refuses a want beyond its bounds", () => {
    const nothing = { type: "want", session: 0, ids: [], units: [] } as const;
    const want = { ...nothing, fromRound: 1, rounds: 64 };
    expect(decodeMessage(encodeMessage(want), codec)).toEqual(want);
    const wide = encodeMessage({ ...want, rounds: 65 });
    expect(() => decodeMessage(wide, codec)).toThrow(/over 64 rounds/);
    const ids = Array.from({ length: 65 }, () => unit);
    expect(() => encodeMessage({ ...want, ids })).toThrow(TypeError);
    expect(() => encodeMessage({ ...want, units: ids })).toThrow(TypeError);
    const many = encodeMessage({ ...want, ids: ids.slice(1) });
    many[5] = 65;
    expect(() => decodeMessage(many, codec)).toThrow(/at most 64 are allowed/);
    const manyUnits = encodeMessage({ ...want, units: ids.slice(1) });
    manyUnits[14] = 65;
    expect(() => decodeMessage(manyUnits, codec)).toThrow(/at most 64 are allowed/);
  });

  it("gives back each kind of message", () => {
    const block = madeBlock();
    const sent = { bytes: block.bytes, signature: block.signature };
    const bytes = ledger.encodeSigned(signed);
    const messages: Message[] = [
      { type: "block", block: sent },
      { type: "blocks", blocks: [sent, sent] },
      { type: "want", session: 1, ids: [unit], fromRound: 4, rounds: 64, units: [form] },
      { type: "units", units: [ledger.encodeSigned(signed)] },
    ];
    expect(messages.map((message) => decodeMessage(encodeMessage(message), codec))).toEqual([
      { type: "blocks", blocks: [block] },
      { type: "blocks", blocks: [block, block] },
      messages[2],
      {
        type: "units",
        units: [{ signed: codec.decodeUnit(bytes), bytes }],
      },
    ]);
  });

  it("throws nothing but codec errors, whatever arrives", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        const message = decodeMessage(bytes, codec);
        expect(Object.keys(MESSAGE_TAGS)).toContain(message.type);
      } catch (error) {
        expect(error).toMatchObject({ code: "codec" });
      }
    }));
    const bytes = encodeMessage({ type: "block", block: madeBlock() });
    fc.assert(fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const changed = bytes.slice();
      changed[at] = value;
      try {
        decodeMessage(changed, codec);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }));
  });
});

describe("packUnits()", () => {
  it("splits units into messages of at most 64 and at most 2 MiB", () => {
    const counts = (size: number, count: number): number[] =>
      packUnits(Array.from({ length: count }, () => new Uint8Array(size))).map((message) =>
        message.type === "units" ? message.units.length : 0
      );
    expect(counts(20_000, 130)).toEqual([64, 64, 2]);
    expect(counts(500_000, 9)).toEqual([4, 4, 1]);
    expect(counts(1, 0)).toEqual([]);
  });
});

describe("packBlocks()", () => {
  it("splits blocks into messages of at most 2 MiB", () => {
    const sent = { bytes: new Uint8Array(900_000), signature: new Uint8Array(100) };
    const sizes = packBlocks([sent, sent, sent, sent, sent]).map((message) =>
      message.type === "blocks" ? message.blocks.length : 0
    );
    expect(sizes).toEqual([2, 2, 1]);
    expect(packBlocks([])).toEqual([]);
  });
});
