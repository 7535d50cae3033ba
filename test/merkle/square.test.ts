/** The square: its shape, roots and proofs, reconstruction, and proofs that one is badly encoded. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalBytes, toHex } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";
import type { BadEncodingProof, ProvenShare, ShareProof } from "#internal/merkle/mod.ts";
import {
  dataRoot,
  DataSquare,
  logRoot,
  MAX_DATA_BYTES,
  nodeHash,
  reconstruct,
  shareBytes,
  verifyBadEncoding,
  verifyCommitment,
  verifyLogInclusion,
  verifyProvenShare,
  verifyShare,
} from "#internal/merkle/mod.ts";
import {
  CHAIN,
  isDecodable,
  provenShares,
  sharesOf,
  shuffledPlaces,
  someBytes,
  withOneWrongShare,
} from "./_squares.ts";

const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);
const ALL = range(256);
const DATA = someBytes(3000);
const SQUARE = DataSquare.of(DATA);
const ROOT = SQUARE.root(CHAIN);
/** Rows proven through rows and columns by turns. */
const mixed = (place: number) => (place * 7) % 3 === 0 ? "row" as const : "column" as const;

/** The proof that a square is badly encoded, from these places of it. */
function proofAgainst(square: DataSquare, shares: Iterable<ProvenShare>): BadEncodingProof {
  const found = reconstruct(square.commitment, shares);
  if (found.kind !== "bad-encoding") throw new Error(`No proof: ${found.kind}`);
  return found.proof;
}

describe("shareBytes()", () => {
  it("shareBytes() is a 64th of the data, rounded up to a multiple of 64 [L-270]", () => {
    const sizes = [0, 1, 4096, 4097, 115_000, 1 << 20, MAX_DATA_BYTES].map(shareBytes);
    expect(sizes).toEqual([64, 64, 64, 128, 1856, 16_384, 4_194_304]);
  });

  it("shareBytes() refuses more than a square takes", () => {
    expect(() => shareBytes(MAX_DATA_BYTES + 1)).toThrow(
      expect.objectContaining({
        code: "data-size",
        data: { length: MAX_DATA_BYTES + 1, max: MAX_DATA_BYTES },
      }),
    );
    for (const length of [-1, 0.5, NaN, 2 ** 60]) {
      expect(() => shareBytes(length)).toThrow(expect.objectContaining({ code: "data-size" }));
    }
  });
});

describe("DataSquare", () => {
  it("DataSquare.of() holds the data row by row in its first quarter, zeros behind it [L-600]", () => {
    const size = shareBytes(DATA.length);
    const held = new Uint8Array(64 * size);
    for (const place of range(64)) {
      held.set(SQUARE.share(place >> 3, place & 7), place * size);
    }
    expect(held.subarray(0, DATA.length)).toEqual(DATA);
    expect(held.subarray(DATA.length).every((byte) => byte === 0)).toBe(true);
  });

  it("DataSquare.of() extends rows and columns alike: every one is determined by any half [L-270]", () => {
    const { commitment } = SQUARE;
    for (const axis of ["row", "column"] as const) {
      for (const index of range(16)) {
        const places = range(8, index % 9).map((i) =>
          axis === "row" ? index * 16 + i : i * 16 + index
        );
        const found = reconstruct(commitment, provenShares(SQUARE, places, mixed));
        expect(found).toEqual({ kind: "incomplete", missing: 240, refused: 0 });
      }
    }
  });

  it("DataSquare copies its data and depends on every byte and on the length", () => {
    const data = DATA.slice();
    const square = DataSquare.of(data);
    data.fill(1);
    expect(square.root(CHAIN)).toEqual(ROOT);
    const roots = [
      DATA,
      DATA.with(0, DATA[0]! ^ 1),
      DATA.with(2999, DATA[2999]! ^ 1),
      DATA.subarray(0, 2999),
      Uint8Array.of(...DATA, 0),
      new Uint8Array(0),
      Uint8Array.of(0),
      new Uint8Array(4096),
    ].map((each) => toHex(DataSquare.of(each).root(CHAIN)));
    expect(new Set(roots).size).toBe(roots.length);
  });

  it("DataSquare.root() is the tagged hash of the length and RFC 6962's root over rows and columns", () => {
    const shares = sharesOf(SQUARE);
    const columns = range(256).map((i) => shares[(i % 16) * 16 + (i >> 4)]!);
    const top = logRoot([...shares, ...columns]);
    const length = Uint8Array.of(3000 & 255, 3000 >> 8, 0, 0);
    expect(ROOT).toEqual(taggedHash("sion/data/v1", CHAIN, length, top));
    expect(SQUARE.commitment.rowRoots).toEqual(
      range(16).map((row) => logRoot(shares.slice(16 * row, 16 * row + 16))),
    );
    expect(SQUARE.commitment.columnRoots).toEqual(
      range(16).map((column) => logRoot(columns.slice(16 * column, 16 * column + 16))),
    );
    expect(dataRoot(CHAIN, SQUARE.commitment)).toEqual(ROOT);
    expect(SQUARE.root(sha256())).not.toEqual(ROOT);
  });

  it("DataSquare refuses places outside it and squares of another shape", () => {
    for (const [row, column] of [[16, 0], [0, 16], [-1, 0], [0, -1], [0.5, 0]] as const) {
      expect(() => SQUARE.share(row, column)).toThrow(RangeError);
      expect(() => SQUARE.prove(row, column, "row")).toThrow(RangeError);
    }
    expect(() => DataSquare.ofShares(1, sharesOf(SQUARE).slice(1))).toThrow(TypeError);
    expect(() => DataSquare.ofShares(5000, sharesOf(SQUARE))).toThrow(TypeError);
  });
});

describe("verifyShare()", () => {
  it("verifyShare() accepts every share through its row and through its column [L-269]", () => {
    for (const place of ALL) {
      for (const through of ["row", "column"] as const) {
        const proof = SQUARE.prove(place >> 4, place & 15, through);
        expect(verifyShare(ROOT, CHAIN, proof)).toBe(true);
        const inAxis = SQUARE.proveInAxis(place >> 4, place & 15, through);
        expect(verifyProvenShare(SQUARE.commitment, inAxis)).toBe(true);
        expect(proof.path.slice(0, 4)).toEqual(inAxis.path);
      }
    }
  });

  it("a share's path is RFC 6962's inclusion path", () => {
    const { row, column, share, path } = SQUARE.prove(5, 11, "column");
    const { rowRoots, columnRoots } = SQUARE.commitment;
    let level: Uint8Array[] = [...rowRoots, ...columnRoots];
    while (level.length > 1) {
      level = range(level.length / 2).map((i) => nodeHash(level[2 * i]!, level[2 * i + 1]!));
    }
    expect(verifyLogInclusion(level[0]!, 512, 256 + column * 16 + row, share, path)).toBe(true);
  });

  it("verifyShare() refuses a share with anything changed", () => {
    const proof = SQUARE.prove(3, 9, "row");
    const flipped = (bytes: Uint8Array) => bytes.with(0, bytes[0]! ^ 128);
    const lies: Partial<ShareProof>[] = [
      { row: 4 },
      { column: 8 },
      { row: 9, column: 3 },
      { through: "column" },
      { row: 3 + 16 },
      { row: -13 },
      { column: 2.5 },
      { column: NaN },
      { dataBytes: 2999 },
      { dataBytes: -1 },
      { dataBytes: 2 ** 40 },
      { dataBytes: NaN },
      { share: flipped(proof.share) },
      { share: proof.share.subarray(1) },
      { share: new Uint8Array(0) },
      { path: proof.path.slice(1) },
      { path: [...proof.path, sha256()] },
      { path: proof.path.with(8, flipped(proof.path[8]!)) },
      { path: proof.path.with(0, proof.path[0]!.subarray(1)) },
      { path: [] },
    ];
    for (const lie of lies) expect(verifyShare(ROOT, CHAIN, { ...proof, ...lie })).toBe(false);
    expect(verifyShare(ROOT, sha256(), proof)).toBe(false);
    expect(verifyShare(flipped(ROOT), CHAIN, proof)).toBe(false);
    expect(verifyShare(new Uint8Array(0), CHAIN, proof)).toBe(false);
    expect(verifyShare(ROOT, CHAIN, proof)).toBe(true);
  });

  it("verifyCommitment() accepts the commitment and refuses it with anything changed", () => {
    const { commitment } = SQUARE;
    const { rowRoots, columnRoots } = commitment;
    expect(verifyCommitment(ROOT, CHAIN, commitment)).toBe(true);
    const lies = [
      { rowRoots: columnRoots, columnRoots: rowRoots },
      { rowRoots: rowRoots.slice(1) },
      { columnRoots: [...columnRoots, sha256()] },
      { rowRoots: rowRoots.with(15, sha256()) },
      { rowRoots: [...rowRoots, ...columnRoots], columnRoots: [] },
      { rowRoots: rowRoots.with(3, new Uint8Array(0)) },
      { dataBytes: 3001 },
      { dataBytes: 2 ** 33 },
      { dataBytes: 0.5 },
    ];
    for (const lie of lies) {
      expect(verifyCommitment(ROOT, CHAIN, { ...commitment, ...lie })).toBe(false);
    }
  });
});

describe("reconstruct()", () => {
  it("reconstruct() gives exactly the data back, of any length", () => {
    for (const length of [0, 1, 63, 64, 4095, 4096, 4097, 9000]) {
      const data = someBytes(length, length);
      const square = DataSquare.of(data);
      const quarter = ALL.filter((place) => (place >> 4) < 8 && (place & 15) >= 8);
      const found = reconstruct(square.commitment, provenShares(square, quarter, mixed));
      expect(found).toEqual({ kind: "data", data });
    }
  });

  it("reconstruct() succeeds from exactly the sets of shares that rows and columns can complete", () => {
    fc.assert(
      fc.property(fc.nat(65_535), fc.integer({ min: 64, max: 200 }), (seed, count) => {
        const places = shuffledPlaces(seed).slice(0, count);
        const found = reconstruct(SQUARE.commitment, provenShares(SQUARE, places, mixed));
        const decodable = isDecodable(new Set(places));
        expect(found.kind).toBe(decodable ? "data" : "incomplete");
        if (found.kind === "data") expect(equalBytes(found.data, DATA)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("reconstruct() succeeds from 64 shares: eight of each of eight rows, wherever they are", () => {
    const whichRows = fc.shuffledSubarray(range(16), { minLength: 8, maxLength: 8 });
    const whichPlaces = fc.array(whichRows, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(whichRows, whichPlaces, fc.boolean(), (rows, columns, turned) => {
        const places = rows.flatMap((row, i) =>
          columns[i]!.map((column) => turned ? column * 16 + row : row * 16 + column)
        );
        expect(places).toHaveLength(64);
        const found = reconstruct(SQUARE.commitment, provenShares(SQUARE, places, mixed));
        expect(found).toEqual({ kind: "data", data: DATA });
      }),
      { numRuns: 15 },
    );
  });

  it("reconstruct() is blocked by 81 missing shares of 9 rows and 9 columns, and by none of them fewer [L-270]", () => {
    const whichNine = fc.shuffledSubarray(range(16), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(whichNine, whichNine, fc.nat(80), (rows, columns, spared) => {
        const missing = rows.flatMap((row) => columns.map((column) => row * 16 + column));
        const there = ALL.filter((place) => !missing.includes(place));
        const shares = provenShares(SQUARE, there);
        const blocked = reconstruct(SQUARE.commitment, shares);
        expect(blocked).toEqual({ kind: "incomplete", missing: 81, refused: 0 });
        shares.push(...provenShares(SQUARE, [missing[spared]!]));
        expect(reconstruct(SQUARE.commitment, shares).kind).toBe("data");
      }),
      { numRuns: 6 },
    );
  });

  it("no 80 missing shares block reconstruction, at random or in ten rows by eight columns [L-270]", () => {
    for (const seed of range(60)) {
      expect(isDecodable(new Set(shuffledPlaces(seed).slice(80)))).toBe(true);
    }
    // Whatever blocks has nine missing in each of its rows and columns: here the columns go first.
    const there = ALL.filter((place) => !((place >> 4) < 10 && (place & 15) < 8));
    const found = reconstruct(SQUARE.commitment, provenShares(SQUARE, there, mixed));
    expect(found).toEqual({ kind: "data", data: DATA });
  });

  it("reconstruct() leaves out shares that are not what was committed to", () => {
    const other = DataSquare.of(someBytes(3000, 9));
    const there = provenShares(SQUARE, range(128));
    const wrong = [
      ...provenShares(other, [200, 201]),
      { ...there[0]!, share: there[1]!.share },
      { ...there[0]!, row: 200 },
      { ...there[0]!, path: [] },
    ];
    const found = reconstruct(SQUARE.commitment, [...wrong, ...there]);
    expect(found).toEqual({ kind: "data", data: DATA });
    const few = reconstruct(SQUARE.commitment, [...wrong, ...there.slice(0, 7)]);
    expect(few).toEqual({ kind: "incomplete", missing: 249, refused: 5 });
  });
});

describe("verifyBadEncoding()", () => {
  it("any one wrong share is found in a square that commits to it, and can be shown", () => {
    fc.assert(
      fc.property(fc.nat(255), fc.nat(65_535), (place, seed) => {
        const square = withOneWrongShare(SQUARE, place);
        const shares = provenShares(square, shuffledPlaces(seed), mixed);
        const proof = proofAgainst(square, shares);
        expect(verifyBadEncoding(square.root(CHAIN), CHAIN, proof)).toBe(true);
        expect(verifyBadEncoding(ROOT, CHAIN, proof)).toBe(false);
        expect(verifyBadEncoding(square.root(CHAIN), sha256(), proof)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  it("a proof exists exactly if the extension is wrong", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { maxLength: 5 }),
        fc.nat(65_535),
        (changes, seed) => {
          const shares = sharesOf(SQUARE).map((share) => share.slice());
          for (const [place, mask] of changes) shares[place]![7]! ^= mask;
          const wrong = shares.some((share, i) => !equalBytes(share, sharesOf(SQUARE)[i]!));
          const square = DataSquare.ofShares(DATA.length, shares);
          const proven = provenShares(square, shuffledPlaces(seed), mixed);
          expect(reconstruct(square.commitment, proven).kind).toBe(wrong ? "bad-encoding" : "data");
        },
      ),
      { numRuns: 25 },
    );
  });

  it("row roots and column roots of two honest squares are shown not to belong together", () => {
    const other = DataSquare.of(someBytes(3000, 4));
    const commitment = { ...SQUARE.commitment, columnRoots: other.commitment.columnRoots };
    const root = dataRoot(CHAIN, commitment);
    const byRow = provenShares(SQUARE, range(128));
    const byColumn = provenShares(other, [255], () => "column");
    for (const shares of [[...byRow, ...byColumn], [...byColumn, ...byRow], byRow]) {
      const found = reconstruct(commitment, shares);
      if (found.kind !== "bad-encoding") throw new Error(found.kind);
      expect(verifyBadEncoding(root, CHAIN, found.proof)).toBe(true);
      expect(found.proof.fault.kind).toBe("axis");
    }
  });

  it("bytes behind the data are shown", () => {
    const longer = DataSquare.of(Uint8Array.of(...DATA, 0, 0, 5));
    const square = DataSquare.ofShares(DATA.length, sharesOf(longer));
    const root = square.root(CHAIN);
    const proof = proofAgainst(square, provenShares(square, ALL));
    expect(proof.fault.kind).toBe("padding");
    expect(verifyBadEncoding(root, CHAIN, proof)).toBe(true);
    const [clean, parity] = provenShares(square, [0, 255]);
    for (const body of [clean!, parity!]) {
      const lie = { ...proof, fault: { kind: "padding", body } as const };
      expect(verifyBadEncoding(root, CHAIN, lie)).toBe(false);
    }
  });

  it("verifyBadEncoding() accepts nothing against an honest square, whatever is put together", () => {
    const places = fc.shuffledSubarray(range(16), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(places, fc.nat(15), fc.boolean(), (chosen, index, isRow) => {
        const at = chosen.map((place) => isRow ? index * 16 + place : place * 16 + index);
        const shares = provenShares(SQUARE, at, mixed);
        const body = { axis: isRow ? "row" as const : "column" as const, index, shares };
        const proof = { commitment: SQUARE.commitment, fault: { kind: "axis" as const, body } };
        expect(verifyBadEncoding(ROOT, CHAIN, proof)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("verifyBadEncoding() refuses a true proof with anything changed", () => {
    const square = withOneWrongShare(SQUARE, 37);
    const root = square.root(CHAIN);
    const { commitment, fault } = proofAgainst(square, provenShares(square, ALL, mixed));
    if (fault.kind !== "axis") throw new Error(fault.kind);
    const { axis, index, shares } = fault.body;
    const judged = (change: Partial<typeof fault.body>, roots = commitment) => {
      const body = { ...fault.body, ...change };
      return verifyBadEncoding(root, CHAIN, { commitment: roots, fault: { ...fault, body } });
    };
    expect(judged({})).toBe(true);
    expect(judged({ shares: shares.toReversed() })).toBe(true);
    const [first, second] = shares as [ProvenShare, ProvenShare];
    const elsewhere = provenShares(square, [255, 254, 253, 252, 251, 250, 249, 248]);
    const lies: Partial<typeof fault.body>[] = [
      { index: (index + 1) % 16 },
      { index: index + 16 },
      { index: -1 },
      { index: NaN },
      { axis: axis === "row" ? "column" : "row" },
      { shares: shares.slice(1) },
      { shares: [...shares, first] },
      { shares: shares.with(0, second) },
      { shares: shares.with(0, { ...first, share: second.share }) },
      { shares: shares.with(0, { ...first, path: second.path }) },
      { shares: shares.with(0, elsewhere[0]!) },
      { shares: elsewhere },
      { shares: [] },
    ];
    for (const lie of lies) expect(judged(lie)).toBe(false);
    expect(judged({}, SQUARE.commitment)).toBe(false);
    expect(judged({}, { ...commitment, dataBytes: 2990 })).toBe(false);
  });
});
