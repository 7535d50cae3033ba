/** Data as a square of shares, with everything that a node serves of it. */
import { sha256Many } from "#internal/crypto/mod.ts";
import { LEAF_PREFIX_BYTES } from "../log_hash.ts";
import { encodeParity } from "./axis_code.ts";
import type { ProvenShare, ShareProof, SquareCommitment } from "./commitment.ts";
import { AXIS_PATH, dataRoot, leafAt, pathIn, ROOT_PATH, treeLevels } from "./commitment.ts";
import type { Axis } from "./shape.ts";
import { DATA_WIDTH, isPlace, shareBytes, SQUARE_SHARES, SQUARE_WIDTH } from "./shape.ts";

/** A square of 16 × 16 shares in memory: four times the data. It never changes. */
export class DataSquare {
  /** Bytes of the data. */
  readonly dataBytes: number;
  readonly #shares: readonly Uint8Array[];
  /** The tree's levels, once something needs them. */
  #levels: readonly (readonly Uint8Array[])[] | undefined;

  private constructor(dataBytes: number, shares: readonly Uint8Array[]) {
    this.dataBytes = dataBytes;
    this.#shares = shares;
  }

  /**
   * The square of the data, which is copied: row by row into the upper left quarter, zeros behind it,
   * then extended to the right and down.
   * @throws {SionError} `data-size`.
   */
  static of(data: Uint8Array): DataSquare {
    const size = shareBytes(data.length);
    const rowBytes = SQUARE_WIDTH * size;
    const bytes = new Uint8Array(SQUARE_WIDTH * rowBytes);
    const part = (at: number, length: number) => bytes.subarray(at, at + length);
    for (let row = 0; row < DATA_WIDTH; row++) {
      const from = row * DATA_WIDTH * size;
      bytes.set(data.subarray(from, from + DATA_WIDTH * size), row * rowBytes);
      const shares = range(SQUARE_WIDTH, (column) => part(row * rowBytes + column * size, size));
      encodeParity(shares.slice(0, DATA_WIDTH), shares.slice(DATA_WIDTH));
    }
    // Rows as long shares: all columns at once.
    const rows = range(SQUARE_WIDTH, (row) => part(row * rowBytes, rowBytes));
    encodeParity(rows.slice(0, DATA_WIDTH), rows.slice(DATA_WIDTH));
    return new DataSquare(data.length, range(SQUARE_SHARES, (i) => part(i * size, size)));
  }

  /**
   * The square of these 256 shares, row by row, whether or not they extend any data: what a faulty
   * validator may publish.
   * @throws {TypeError} unless there are 256 of the size that the data's length asks for.
   */
  static ofShares(dataBytes: number, shares: readonly Uint8Array[]): DataSquare {
    const size = shareBytes(dataBytes);
    if (shares.length !== SQUARE_SHARES || shares.some((share) => share.length !== size)) {
      throw new TypeError(
        `Cannot make a square: it takes ${SQUARE_SHARES} shares of ${size} bytes`,
      );
    }
    return new DataSquare(dataBytes, shares);
  }

  /** A share. Shared: never to be changed. @throws {RangeError} when there is no such place. */
  share(row: number, column: number): Uint8Array {
    const inside = isPlace(row) && isPlace(column);
    const share = inside ? this.#shares[row * SQUARE_WIDTH + column] : undefined;
    if (share === undefined) {
      throw new RangeError(`Cannot find a share: row ${row}, column ${column} is no place`);
    }
    return share;
  }

  /** What the data root commits to. */
  get commitment(): SquareCommitment {
    const roots = this.#tree()[AXIS_PATH] as readonly Uint8Array[];
    const copies = roots.map((root) => root.slice());
    return {
      dataBytes: this.dataBytes,
      rowRoots: copies.slice(0, SQUARE_WIDTH),
      columnRoots: copies.slice(SQUARE_WIDTH),
    };
  }

  /** The data root on a chain, whose identity has 32 bytes. */
  root(chain: Uint8Array): Uint8Array {
    return dataRoot(chain, this.commitment);
  }

  /**
   * The share with its path to the data root: what answers a sample.
   * @throws {RangeError} when there is no such place.
   */
  prove(row: number, column: number, through: Axis): ShareProof {
    return { dataBytes: this.dataBytes, ...this.#prove(row, column, through, ROOT_PATH) };
  }

  /**
   * The share with its path to its row's or column's root, for who has the commitment.
   * @throws {RangeError} when there is no such place.
   */
  proveInAxis(row: number, column: number, through: Axis): ProvenShare {
    return this.#prove(row, column, through, AXIS_PATH);
  }

  #prove(row: number, column: number, through: Axis, length: number): ProvenShare {
    const share = this.share(row, column);
    const path = pathIn(this.#tree(), leafAt(row, column, through), length);
    return { row, column, share, through, path };
  }

  #tree(): readonly (readonly Uint8Array[])[] {
    if (this.#levels !== undefined) return this.#levels;
    const byRow = sha256Many(LEAF_PREFIX_BYTES, this.#shares);
    const byColumn = range(SQUARE_SHARES, (i) => {
      const [column, row] = [Math.floor(i / SQUARE_WIDTH), i % SQUARE_WIDTH];
      return byRow[leafAt(row, column, "row")] as Uint8Array;
    });
    return this.#levels = treeLevels([...byRow, ...byColumn]);
  }
}

function range<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}
