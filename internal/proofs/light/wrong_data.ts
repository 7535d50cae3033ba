/**
 * Data roots that stand for no data. That one does is shown by a proof of bad encoding, which a node
 * serves that was handed one, or which whoever is given enough shares makes itself. A certified header
 * with such a root is refused for ever: a quorum signed what cannot be.
 */
import { decode, encode } from "#internal/core/mod.ts";
import type { ProvenShare, SquareCommitment } from "#internal/merkle/mod.ts";
import {
  AXIS_PATH,
  reconstruct,
  SQUARE_WIDTH,
  verifyBadEncoding,
  verifyCommitment,
  verifyShare,
} from "#internal/merkle/mod.ts";
import { badEncodingCodec, squareCommitmentCodec } from "../availability.ts";
import type { SampleCoordinate } from "../availability.ts";
import type { Header } from "../header.ts";
import { isNotShown } from "./contents.ts";
import type { LightSource } from "./source.ts";

/**
 * Whether these bytes prove that a header's data root stands for no data.
 * @throws {SionError} `codec` unless they are a proof's encoding.
 */
export function provesWrongData(
  bytes: Uint8Array,
  { chain, dataRoot }: Pick<Header, "chain" | "dataRoot">,
): boolean {
  return verifyBadEncoding(dataRoot, chain, decode(badEncodingCodec, bytes));
}

/**
 * The proof that a node serves of a header's data, if it holds. A node that has none, or one that
 * proves nothing, says nothing.
 */
export async function servedWrongData(
  header: Header,
  source: LightSource,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await source.badEncoding(Number(header.number));
    return provesWrongData(bytes, header) ? bytes : undefined;
  } catch (thrown) {
    if (isNotShown(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * A proof made from what a node serves of the square: for data that is known not to encode to the
 * header's root. Undefined when too few shares come to tell.
 */
export async function foundWrongData(
  header: Header,
  source: LightSource,
): Promise<Uint8Array | undefined> {
  const number = Number(header.number);
  try {
    const commitment = decode(squareCommitmentCodec, await source.commitment(number));
    if (!verifyCommitment(header.dataRoot, header.chain, commitment)) return undefined;
    const shares: ProvenShare[] = [];
    for (let row = 0; row < SQUARE_WIDTH; row++) {
      shares.push(...await rowOf(row, header, commitment, source));
    }
    const found = reconstruct(commitment, shares);
    return found.kind === "bad-encoding" ? encode(badEncodingCodec, found.proof) : undefined;
  } catch (thrown) {
    if (isNotShown(thrown)) return undefined;
    throw thrown;
  }
}

/** The shares of a row that come and hold, each by its path within the row. */
async function rowOf(
  row: number,
  { number, chain, dataRoot }: Header,
  { dataBytes }: SquareCommitment,
  source: LightSource,
): Promise<ProvenShare[]> {
  const places = Array.from(
    { length: SQUARE_WIDTH },
    (_, column): SampleCoordinate => ({ row, column, through: "row" }),
  );
  const answers = await source.shares(Number(number), places);
  return answers.flatMap((answer) => {
    if (answer === undefined || answer.dataBytes !== dataBytes) return [];
    if (!verifyShare(dataRoot, chain, answer)) return [];
    const { column, through, share, path } = answer;
    return [{ row: answer.row, column, through, share, path: path.slice(0, AXIS_PATH) }];
  });
}
