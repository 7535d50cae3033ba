/**
 * A header with what shows that it is the chain's. Certificates of most old Pulses are not kept; a
 * later one speaks for them, since each header names the one before.
 */
import type { Codec } from "#internal/core/mod.ts";
import { equalBytes, list, struct } from "#internal/core/mod.ts";
import { CHECKPOINT_PULSES, FORMAT_VERSION } from "#internal/ledger/mod.ts";
import type { CertificateContext, PulseCertificate } from "../certificate.ts";
import { pulseCertificateCodec, verifyPulseCertificate } from "../certificate.ts";
import type { Header } from "../header.ts";
import { headerCodec, headerDigest } from "../header.ts";

/** Headers up to a certificate: usually less than two spans. */
const MAX_BEFORE = 4 * CHECKPOINT_PULSES;
/** Bound of the encoding: a certificate of sixteen, and the headers up to a checkpoint. */
export const MAX_HEADER_PROOF_BYTES = 1 << 20;

/** From a header to a certified one. */
export interface HeaderProof {
  /** The header and those after it, ascending; none when it has a certificate itself. */
  readonly before: readonly Header[];
  readonly certificate: PulseCertificate;
}

/** The encoding in which nodes serve it. */
export const headerProofCodec: Codec<HeaderProof> = struct({
  before: list(headerCodec, MAX_BEFORE),
  certificate: pulseCertificateCodec,
});

/** The header that a proof is of. */
export function provenHeader({ before, certificate }: HeaderProof): Header {
  return before[0] ?? certificate.header;
}

/**
 * What is wrong with a header that is said to be Pulse `number`'s, its certificate's signatures
 * aside.
 * @param chain the identity, 32 bytes.
 */
export function headerProofFault(
  proof: HeaderProof,
  number: number,
  chain: Uint8Array,
): string | undefined {
  const headers = [...proof.before, proof.certificate.header];
  for (const [i, header] of headers.entries()) {
    if (header.version !== FORMAT_VERSION) {
      return `it has format ${header.version}, this sion knows ${FORMAT_VERSION}`;
    }
    if (!equalBytes(header.chain, chain)) return "it is of another chain";
    if (header.number !== BigInt(number + i)) {
      return i === 0 ? `it is Pulse ${header.number}'s` : "a header after it is missing";
    }
    if (header.session !== headers[0]?.session) return "its certificate is of another session";
    const before = headers[i - 1];
    if (before !== undefined && !equalBytes(headerDigest(before), header.previous)) {
      return `Pulse ${header.number} names another header before it`;
    }
  }
  return undefined;
}

/** Whether a quorum signed for it; {@link headerProofFault} is asked before. */
export function verifyHeaderProof(
  proof: HeaderProof,
  context: CertificateContext,
): ReturnType<typeof verifyPulseCertificate> {
  return verifyPulseCertificate(proof.certificate, context);
}
