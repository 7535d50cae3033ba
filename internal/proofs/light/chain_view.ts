/**
 * What a light client has proven of a chain: its origin and the sessions that lead from it, or from
 * what was trusted before, to the one it needs.
 */
import { decode, fromHex } from "#internal/core/mod.ts";
import type { CertificateContext, CertificateVerdict } from "../certificate.ts";
import { readOrigin } from "../chain_origin.ts";
import type { KnownOrigin } from "../chain_origin.ts";
import type { Header } from "../header.ts";
import {
  headerProofCodec,
  headerProofFault,
  provenHeader,
  verifyHeaderProof,
} from "./header_proof.ts";
import type { KnownSession } from "./session_walk.ts";
import { isLastOfSession } from "../session_rules.ts";
import { contextOf, hasConfigOf, takeStep } from "./session_walk.ts";
import { notServed } from "./source.ts";
import type { LightSource } from "./source.ts";

/** Sessions that a client is led through: some 170 days of the shortest epochs at one Pulse a second. */
const MAX_SESSIONS = 1 << 22;

/** Sessions that are remembered: more than the Pulses in which a full order is executed. */
const KEPT_SESSIONS = 64;

/** A chain as far as it is proven. */
export interface ChainView {
  readonly origin: KnownOrigin;
  /** The identity, 32 bytes. */
  readonly chain: Uint8Array;
  /** A session, reached by certificates. @throws {SionError} `not-served`, `codec` */
  session(number: number): Promise<KnownSession>;
  /** A session that is proven already. */
  known(number: number): KnownSession | undefined;
  /**
   * The header of a Pulse, with its proof decoded.
   * @throws {SionError} `not-served`, `codec`: what is wrong, the certificate aside.
   */
  readHeader(number: number): Promise<ReadHeader>;
}

/** A header whose certificate has not been checked. */
export interface ReadHeader {
  readonly header: Header;
  readonly session: KnownSession;
  /** Checks the certificate. */
  verify(): Promise<CertificateVerdict>;
}

/** What a view begins from. */
export interface ViewOptions {
  readonly source: LightSource;
  readonly backend: CertificateContext["backend"];
  /** A session proven before, from which the walk goes on. @default the origin's */
  readonly from?: KnownSession;
}

/** The view of a chain whose origin is known. */
export function chainView(origin: KnownOrigin, options: ViewOptions): ChainView {
  const { source, backend } = options;
  const chain = fromHex(origin.chain);
  const first: KnownSession = { config: origin.config, committee: origin.committee, after: 0 };
  const start = options.from ?? first;
  const sessions = new Map<number, KnownSession>([[0, first], [start.config.session, start]]);
  let newest = start;
  const session = async (number: number): Promise<KnownSession> => {
    while (!sessions.has(number)) {
      const at = newest.config.session;
      if (number < at || number > MAX_SESSIONS) throw notServed(`session ${number} is not known`);
      const steps = await source.sessionSteps(at);
      if (steps.length === 0) throw notServed(`the end of session ${at} is not shown`);
      for (const bytes of steps) {
        const next = await takeStep(newest, bytes, chain, backend);
        if (typeof next === "string") {
          throw notServed(`the end of session ${newest.config.session} is not proven: ${next}`);
        }
        sessions.set(next.config.session, next);
        newest = next;
        // Of a long walk only the newest are of use: a Pulse's own session, and what that left.
        if (next.config.session > KEPT_SESSIONS) {
          sessions.delete(next.config.session - KEPT_SESSIONS);
        }
        if (next.config.session >= number) break;
      }
    }
    return sessions.get(number) as KnownSession;
  };
  return {
    origin,
    chain,
    session,
    known: (number) => sessions.get(number),
    async readHeader(number) {
      const proof = decode(headerProofCodec, await source.header(number));
      const fault = headerProofFault(proof, number, chain);
      if (fault !== undefined) {
        throw notServed(`the header is not that of Pulse ${number}: ${fault}`);
      }
      const header = provenHeader(proof);
      const own = await session(header.session);
      const next = isLastOfSession(header) ? await session(header.session + 1) : undefined;
      if (!hasConfigOf(header, own, next)) {
        throw notServed("the header is of other validators or parameters");
      }
      return {
        header,
        session: own,
        verify: () => verifyHeaderProof(proof, contextOf(own, chain, backend)),
      };
    },
  };
}

/**
 * The origin that a node serves, or what is wrong with it.
 * @throws {SionError} `not-served`
 */
export async function askOrigin(source: LightSource): Promise<KnownOrigin> {
  const origin = readOrigin(await source.origin());
  if (typeof origin === "string") throw notServed(`the chain's origin does not hold: ${origin}`);
  return origin;
}
