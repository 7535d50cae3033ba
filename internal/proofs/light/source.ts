/** What a light client asks a node for, and what stands for a node that does not give it. */
import { SionError } from "#internal/core/mod.ts";
import type { ShareProof } from "#internal/merkle/mod.ts";
import type { SampleCoordinate } from "../availability.ts";

/**
 * `not-served`: the node did not give what it should, or gave something else; the message says what.
 * A check that meets it has failed.
 */
export type LightErrorCode = "not-served";

/** Something that a node should have given. */
export function notServed(what: string, cause?: unknown): SionError<LightErrorCode> {
  return new SionError("not-served", what, cause === undefined ? {} : { cause });
}

/**
 * A node's answers, as canonical bytes that nothing is believed of. Every method throws `not-served`
 * for what the node has not or will not give; what else they throw (no connection) ends the
 * verification without a verdict.
 */
export interface LightSource {
  /** The chain's origin. */
  origin(): Promise<Uint8Array>;
  /** Steps from session `from` to the next ones, one each, as many as fit one answer. */
  sessionSteps(from: number): Promise<readonly Uint8Array[]>;
  /** A header proof. */
  header(number: number): Promise<Uint8Array>;
  /** A header alone: something that is proven names it. */
  bareHeader(number: number): Promise<Uint8Array>;
  /** What the Pulse published. */
  data(number: number): Promise<Uint8Array>;
  /** Its receipts in certified order, each in its canonical bytes. */
  receipts(number: number): Promise<readonly Uint8Array[]>;
  receiptProof(digest: string): Promise<Uint8Array>;
  /** A state proof under the Pulse's header; without a key of an object the node chooses. */
  state(number: number, key: string | undefined): Promise<Uint8Array>;
  /** Shares of the square in the order asked for; what is missing is undefined. */
  shares(
    number: number,
    places: readonly SampleCoordinate[],
  ): Promise<readonly (ShareProof | undefined)[]>;
  /** What the data root commits to. */
  commitment(number: number): Promise<Uint8Array>;
  /** A proof that the data root stands for no data, from a node that has one. */
  badEncoding(number: number): Promise<Uint8Array>;
  /** Pages of lane locks from a place of the certified order on. */
  locks(number: number, from: number): Promise<Uint8Array>;
  /** What the knowledge log under a header is to show. */
  knowledge(number: number, from: bigint): Promise<Uint8Array>;
  /** The witness of the World Proof; undefined from a node that has none. */
  world(number: number): Promise<Uint8Array | undefined>;
}
