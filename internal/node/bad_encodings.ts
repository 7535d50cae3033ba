/**
 * Proofs that a certified header is over data that is wrongly encoded: taken from whoever hands one in,
 * checked, kept and served. An honest chain has none: a quorum must have signed such a header.
 */
import { decode, fromHex, SionError, toHex } from "#internal/core/mod.ts";
import {
  committeeOf,
  headerProofCodec,
  headerProofFault,
  provenHeader,
  provesWrongData,
  sessionConfigCodec,
  verifyHeaderProof,
} from "#internal/proofs/mod.ts";
import type { Committee, HeaderProof } from "#internal/proofs/mod.ts";
import type { MethodParams } from "#internal/rpc/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import type { ValidatorParts } from "./parts.ts";

/** A node's proofs of bad encoding. */
export interface BadEncodings {
  /** @throws {RpcError} `not-found` */
  served(params: MethodParams<"bad_encoding">): { readonly bytes: string; readonly number: number };
  /**
   * Keeps what holds. The log has one line for each.
   * @throws {RpcError} `refused`: what is wrong with it.
   */
  take(params: MethodParams<"report_bad_encoding">): Promise<void>;
}

/** Those of a validator's store. */
export function createBadEncodings(parts: ValidatorParts): BadEncodings {
  const { store, backend, facts, logger } = parts;
  const chain = fromHex(facts.chain);

  const committeeFor = (session: number): Committee | undefined => {
    if (session === 0) return facts.committee;
    const end = store.endOfSession(session - 1);
    return end && committeeOf(decode(sessionConfigCodec, end.next).validators);
  };

  /** Why the header is not one of this chain under a certificate. */
  const headerFault = async (proof: HeaderProof, number: number): Promise<string | undefined> => {
    const fault = headerProofFault(proof, number, chain);
    if (fault !== undefined) return fault;
    const { session } = provenHeader(proof);
    const committee = committeeFor(session);
    if (committee === undefined) return `session ${session} is not known here`;
    const verdict = await verifyHeaderProof(proof, { chain, session, committee, backend });
    return verdict.ok ? undefined : verdict.reason;
  };

  return {
    served({ number }) {
      const proof = store.badEncoding(number);
      if (proof === undefined) {
        throw new RpcError(
          "not-found",
          `There is no proof of bad encoding of Pulse ${number} here`,
        );
      }
      return { bytes: toHex(proof), number };
    },
    async take({ number, header, proof }) {
      if (store.badEncoding(number) !== undefined) return;
      const bytes = fromHex(proof);
      const { headerProof, proves } = read(fromHex(header), bytes);
      // What costs no signature first.
      const fault = proves
        ? await headerFault(headerProof, number)
        : "it does not show that the header's data is wrongly encoded";
      if (fault !== undefined) throw refused(fault);
      store.keepBadEncoding(number, bytes);
      logger.log(
        "error",
        `A quorum certified Pulse ${number} over data that is wrongly encoded: the proof is kept ` +
          "and served, trust nothing after it",
      );
    },
  };
}

/** What the bytes say. @throws {RpcError} `refused` when they are no proofs */
function read(
  header: Uint8Array,
  proof: Uint8Array,
): { readonly headerProof: HeaderProof; readonly proves: boolean } {
  try {
    const headerProof = decode(headerProofCodec, header);
    return { headerProof, proves: provesWrongData(proof, provenHeader(headerProof)) };
  } catch (cause) {
    // Anything else is a fault of this program, not of whoever hands it in.
    if (!(cause instanceof SionError) || cause.code !== "codec") throw cause;
    throw refused(cause.message, cause);
  }
}

function refused(fault: string, cause?: unknown): RpcError {
  return new RpcError("refused", `Cannot take the proof: ${fault}`, { cause });
}
