/**
 * From session to session: the last header of each, certified by its committee, fixes who the next
 * one's validators are.
 */
import type { Codec } from "#internal/core/mod.ts";
import { decode, equalBytes, struct } from "#internal/core/mod.ts";
import type { CertificateContext, ClaimedSignature, PulseCertificate } from "../certificate.ts";
import { firstForged, pulseCertificateCodec, readPulseCertificate } from "../certificate.ts";
import type { Header } from "../header.ts";
import { isLastOfSession } from "../session_rules.ts";
import type { SessionConfig } from "../session_config.ts";
import { committeeIn, configHash, lastConfigHash, sessionConfigCodec } from "../session_config.ts";
import type { Committee } from "../validator_set.ts";

/** Bound of a step's encoding. */
export const MAX_SESSION_STEP_BYTES = 1 << 20;

/** The end of one session and the beginning of the next. */
export interface SessionStep {
  /** Of the session's last header. */
  readonly certificate: PulseCertificate;
  /** The next session's. */
  readonly next: SessionConfig;
}

/** The encoding in which nodes serve it. */
export const sessionStepCodec: Codec<SessionStep> = struct({
  certificate: pulseCertificateCodec,
  next: sessionConfigCodec,
});

/** A session whose validators are proven. */
export interface KnownSession {
  readonly config: SessionConfig;
  readonly committee: Committee;
  /** Number of the last Pulse of the session before; 0 for the first session. */
  readonly after: number;
}

/** What of a known session the checks look at. */
export type ProvenSession = Pick<KnownSession, "config" | "committee">;

/** What certificates of a session are checked with. */
export function contextOf(
  { config, committee }: KnownSession,
  chain: Uint8Array,
  backend: CertificateContext["backend"],
): CertificateContext {
  return { chain, session: config.session, committee, backend };
}

/** The session that a step leads to, if its signatures hold. */
export interface SessionClaim {
  readonly session: KnownSession;
  readonly signatures: readonly ClaimedSignature[];
}

/** The session after a known one, by a step's certificate but for its signatures; or why not. */
export function readStep(
  known: ProvenSession,
  { certificate, next }: SessionStep,
  chain: Uint8Array,
): SessionClaim | string {
  const { header } = certificate;
  const { config: { session, epoch, parameters }, committee } = known;
  const claim = readPulseCertificate(certificate, { chain, session, committee });
  if (!claim.ok) return claim.reason;
  if (header.session !== session || !isLastOfSession(header)) return "it is not the last header";
  if (next.session !== session + 1 || next.epoch < epoch) return "it leads to another session";
  const hash = lastConfigHash(configHash(known.config), configHash(next));
  if (!equalBytes(header.config, hash)) {
    return `Pulse ${header.number} fixes other validators or parameters`;
  }
  if (!sameParameters(next.parameters, parameters)) return "the chain's parameters change";
  const nextCommittee = committeeIn(next);
  if (typeof nextCommittee === "string") return nextCommittee;
  return {
    session: { config: next, committee: nextCommittee, after: Number(header.number) },
    signatures: claim.signatures,
  };
}

/**
 * The session after a known one, or why the step does not lead there.
 * @throws {SionError} `codec` unless the bytes are a step's encoding.
 */
export async function takeStep(
  known: KnownSession,
  bytes: Uint8Array,
  chain: Uint8Array,
  backend: CertificateContext["backend"],
): Promise<KnownSession | string> {
  const claim = readStep(known, decode(sessionStepCodec, bytes), chain);
  if (typeof claim === "string") return claim;
  const forged = await firstForged(claim.signatures, backend);
  return forged === undefined
    ? claim.session
    : `a signature of validator ${forged.author} is invalid`;
}

/** Whether a header has the config of its session; of a last header, `next` is needed too. */
export function hasConfigOf(
  header: Header,
  { config }: ProvenSession,
  next: ProvenSession | undefined,
): boolean {
  if (header.epoch !== config.epoch || header.session !== config.session) return false;
  const own = configHash(config);
  if (!isLastOfSession(header)) return equalBytes(header.config, own);
  return next !== undefined &&
    equalBytes(header.config, lastConfigHash(own, configHash(next.config)));
}

function sameParameters(
  a: SessionConfig["parameters"],
  b: SessionConfig["parameters"],
): boolean {
  return a.epochPulses === b.epochPulses && a.shards === b.shards && a.faucet === b.faucet &&
    a.insecure === b.insecure;
}
