/**
 * The certificate of a session's last Pulse as others hand it over. A validator leaves a session as
 * soon as it holds one, and what it would still have said there, its own vote among it, is said
 * nowhere else: so that nobody is left behind, the certificate is given to everybody, and to whoever
 * asks for blocks of that session later.
 */
import { equalBytes } from "#internal/core/mod.ts";
import type { CertificateClaim, PulseCertificate } from "#internal/proofs/mod.ts";
import { headerDigest, isLastOfSession, readPulseCertificate } from "#internal/proofs/mod.ts";
import type { Committer } from "./committer.ts";
import type { Effect } from "./contract.ts";
import type { Session } from "./session.ts";

/** One session's end, as it is known from others. */
export class SessionEnd {
  readonly #session: Pick<Session, "facts" | "view">;
  /** It may come before the Pulse is executed here. */
  #handed: PulseCertificate | undefined;

  constructor(session: Pick<Session, "facts" | "view">) {
    this.#session = session;
  }

  /** What a certificate comes to, its signatures aside; undefined if it is of no use here. */
  claim(certificate: PulseCertificate): CertificateClaim | undefined {
    const { facts: { session, chain, committee } } = this.#session;
    const { header } = certificate;
    const isOfUse = header.session === session && this.#handed === undefined &&
      isLastOfSession(header);
    return isOfUse ? readPulseCertificate(certificate, { session, chain, committee }) : undefined;
  }

  /** Takes a certificate whose signatures hold. */
  take(certificate: PulseCertificate): void {
    if (this.claim(certificate)?.ok === true) this.#handed = certificate;
  }

  /**
   * Certifies the session's last Pulse, once it is executed here to the header that was certified.
   * @returns its number when a quorum certified another header.
   */
  certify({ isClosed, pulse, digest }: Committer, effects: Effect[]): number | undefined {
    const { pulseVotes } = this.#session.view;
    const certificate = this.#handed;
    if (certificate === undefined || !isClosed || pulseVotes.certified >= pulse) return undefined;
    if (!equalBytes(headerDigest(certificate.header), digest)) return pulse;
    effects.push({ type: "certified", number: pulse, certificate });
    pulseVotes.setCertified(pulse);
    return undefined;
  }
}
