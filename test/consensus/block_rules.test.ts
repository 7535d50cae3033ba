/** What makes a block's header or evidence invalid, one fault at a time. */
import { describe, expect, it } from "vitest";
import { compareBytes } from "#internal/core/mod.ts";
import type { BlockHeader, BlockRef } from "#internal/proofs/mod.ts";
import { blockId, committeeOf, FORMAT_VERSION, ZERO_HASH } from "#internal/proofs/mod.ts";
import { evidenceFault, headerFault } from "../../internal/consensus/block_rules.ts";

const session = {
  chain: ZERO_HASH,
  session: 3,
  firstRound: 9,
  committee: committeeOf([0, 1, 2, 3].map((i) => ({ publicKey: Uint8Array.of(i), stake: 1n }))),
};
const ref = (round: number, author: number): BlockRef => ({ round, author, id: ZERO_HASH });
const header = (change: Partial<BlockHeader> = {}): BlockHeader => ({
  version: FORMAT_VERSION,
  chain: ZERO_HASH,
  session: 3,
  round: 200,
  author: 1,
  parents: [ref(199, 1), ref(199, 0), ref(199, 3)],
  timeMs: 0n,
  link: { value: ZERO_HASH, next: ZERO_HASH },
  bodyRoot: ZERO_HASH,
  statementsRoot: ZERO_HASH,
  ...change,
});
const fault = (change: Partial<BlockHeader>) => headerFault(header(change), session);

describe("headerFault()", () => {
  it("finds nothing wrong with an honest header", () => {
    expect(fault({})).toBeUndefined();
    expect(fault({ round: 9, parents: [] })).toBeUndefined();
    // Its own last block may be older than any other parent.
    const parents = [ref(10, 1), ref(199, 0), ref(199, 2), ref(199, 3), ref(72, 2)];
    expect(fault({ parents })).toBeUndefined();
  });

  it("refuses another version, chain or session, a stranger, and rounds of another session", () => {
    expect(fault({ version: FORMAT_VERSION + 1 })).toBe("it has another format version");
    expect(fault({ chain: new Uint8Array(32).fill(1) })).toBe("it is of another chain");
    expect(fault({ session: 2 })).toBe("it is of another session");
    expect(fault({ author: 4 })).toBe("its author is no validator");
    expect(fault({ round: 8, parents: [] })).toBe("its round is before the session's first");
  });

  it("refuses parents that no honest author names", () => {
    const quorum = [ref(199, 0), ref(199, 2), ref(199, 3)];
    expect(fault({ parents: quorum.slice(1) }))
      .toBe("its parents of the round before are no quorum");
    expect(fault({ parents: [] })).toBe("its parents of the round before are no quorum");
    expect(fault({ parents: [...quorum, ref(199, 2)] }))
      .toBe("it has two parents of one author and round");
    expect(fault({ parents: [...quorum, ref(199, 1)] }))
      .toBe("its author's own block is not its first parent");
    expect(fault({ parents: [ref(199, 1), ref(198, 1), ...quorum] }))
      .toBe("its author's own block is not its first parent");
    expect(fault({ parents: [...quorum, ref(71, 2)] })).toBe("a parent is too old");
    expect(fault({ parents: [...quorum, ref(200, 2)] })).toBe("a parent's round is impossible");
    expect(fault({ parents: [...quorum, ref(8, 2)] })).toBe("a parent's round is impossible");
    expect(fault({ parents: [...quorum, ref(198, 9)] })).toBe("a parent's author is no validator");
    expect(fault({ round: 9 })).toBe("a block of the first round has no parents");
  });
});

describe("evidenceFault()", () => {
  const signed = (change: Partial<BlockHeader>) => ({
    header: header(change),
    signature: ZERO_HASH,
  });
  const pair = (a: Partial<BlockHeader>, b: Partial<BlockHeader>) => {
    const [first, second] = [signed(a), signed(b)]
      .sort((x, y) => compareBytes(blockId(x.header), blockId(y.header)));
    return { first: first ?? signed(a), second: second ?? signed(b) };
  };

  it("takes two headers of one place, in order", () => {
    const evidence = pair({ timeMs: 1n }, { timeMs: 2n });
    expect(evidenceFault([evidence], session)).toBeUndefined();
    expect(evidenceFault([{ first: evidence.second, second: evidence.first }], session))
      .toBe("its evidence is one header, or not in order");
    expect(evidenceFault([evidence, evidence], session))
      .toBe("its evidence names one validator twice");
  });

  it("refuses one header twice, two places, and headers that are invalid", () => {
    expect(evidenceFault([pair({}, {})], session))
      .toBe("its evidence is one header, or not in order");
    expect(
      evidenceFault(
        [pair({}, { author: 0, parents: [ref(199, 0), ...header().parents.slice(1)] })],
        session,
      ),
    )
      .toMatch(/^its evidence/);
    expect(evidenceFault([pair({}, { session: 2 })], session))
      .toBe("its evidence is none: it is of another session");
  });
});
