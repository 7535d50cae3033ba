/**
 * What peers are held to. Each kind of misbehaviour has its points; points fade with time; whose
 * points reach the limit is refused for a while, longer each time, never for good: blocks prove their
 * authors by themselves, so that one who errs is worth hearing again. Pure.
 * docs/protocol/connections.md, "Peers that misbehave".
 */

/** Misbehaviour, its points for each time, and how the log says so many of them. */
export const OFFENCES = {
  /** A frame over the connection's limit. */
  "oversize": { points: 100, said: "a frame over the limit" },
  /** A frame that is no message. */
  "undecodable": { points: 25, said: "bytes that are no message" },
  /** A block of use whose author's, evidence's or client's signature fails. */
  "bad-signature": { points: 50, said: "a block whose signatures fail" },
  /** A block that does not hold; its author's, who signed it. It may only have come too early. */
  "invalid-block": { points: 5, said: "a block against the rules" },
  /** A part of a snapshot that does not hold against the chain's identity. */
  "bad-snapshot": { points: 100, said: "a snapshot that does not hold" },
  /** A certificate of a session's end that does not hold. */
  "bad-end": { points: 50, said: "a certificate that does not hold" },
  /** Each 64 KiB of blocks that are of no use, beyond what comes of asking several peers. */
  "useless": { points: 1, said: "blocks of no use" },
  /** A `want` beyond what catching up takes; it is not answered. */
  "wants": { points: 1, said: "more wants than are answered" },
} as const;

/** A kind of misbehaviour. */
export type Offence = keyof typeof OFFENCES;

/** Points at which a peer is refused. */
export const LIMIT_POINTS = 100;
/** Points that fade each second. */
const FADING_POINTS = 1;
/** The first refusal, ms; each further one is twice as long. */
export const FIRST_REFUSAL_MS = 1_000;
/** The longest refusal, ms. */
export const LONGEST_REFUSAL_MS = 32_000;
/** Time in which no refusal follows after which the next is half as long, ms. */
export const FORGIVEN_MS = 300_000;

/** Wants at once, and those a second that come to be allowed again. */
export const WANTS_BURST = 512;
export const WANTS_A_SECOND = 64;
/** Bytes of blocks of no use at once, and those a second that come to be allowed again. */
export const USELESS_BURST_BYTES = 16 << 20;
export const USELESS_A_SECOND_BYTES = 512 << 10;
/** Bytes of blocks of no use, beyond those, that are one offence. */
const USELESS_BYTES = 64 << 10;

/** Peers that are remembered: of one more, the one whose points and refusals fade first is not. */
export const MAX_REMEMBERED = 1_024;

/** A peer's record. */
interface Record {
  points: number;
  /** When `points` were counted. */
  atMs: number;
  /** Refusals that the next one's length counts. */
  refusals: number;
  /** When the last of them ends, or when one of them was forgiven last. */
  refusedUntilMs: number;
  wants: number;
  wantsAtMs: number;
  useless: number;
  uselessAtMs: number;
  readonly counts: Map<Offence, number>;
}

/** What is to be done with a peer. */
export type Verdict =
  | { readonly type: "heard" }
  | {
    /** Its connections end. */
    readonly type: "dropped";
    /** How long it is refused, ms; 0 when it may come back at once. */
    readonly refusedMs: number;
    /** What it did, for the log. */
    readonly why: string;
  };

const HEARD: Verdict = { type: "heard" };

/** The records of a node's peers, by any name that a peer keeps. Times never run backwards. */
export class PeerScores {
  readonly #records = new Map<string, Record>();

  /**
   * Notes misbehaviour.
   * @param options.mayRefuse false where it cannot be spared: then it is only dropped.
   */
  note(
    peer: string,
    offence: Offence,
    { nowMs, mayRefuse = () => true }: {
      readonly nowMs: number;
      readonly mayRefuse?: () => boolean;
    },
  ): Verdict {
    const record = this.#recordOf(peer, nowMs);
    record.counts.set(offence, (record.counts.get(offence) ?? 0) + 1);
    record.points += OFFENCES[offence].points;
    if (record.points < LIMIT_POINTS) return HEARD;
    const why = [...record.counts]
      .map(([kind, count]) => `${OFFENCES[kind].said}${count > 1 ? ` (${count} times)` : ""}`)
      .join(", ");
    record.points = 0;
    record.counts.clear();
    if (!mayRefuse()) return { type: "dropped", refusedMs: 0, why };
    const refusedMs = Math.min(FIRST_REFUSAL_MS * 2 ** record.refusals, LONGEST_REFUSAL_MS);
    record.refusals++;
    record.refusedUntilMs = nowMs + refusedMs;
    return { type: "dropped", refusedMs, why };
  }

  /** Whether a `want` is within what is answered. What is beyond is for the caller to note. */
  takesWant(peer: string, nowMs: number): boolean {
    const record = this.#recordOf(peer, nowMs);
    const more = (nowMs - record.wantsAtMs) / 1_000 * WANTS_A_SECOND;
    record.wants = Math.min(record.wants + more, WANTS_BURST);
    record.wantsAtMs = nowMs;
    if (record.wants < 1) return false;
    record.wants--;
    return true;
  }

  /** Counts bytes of blocks of no use; answers how many offences they are. */
  countUseless(peer: string, bytes: number, nowMs: number): number {
    const record = this.#recordOf(peer, nowMs);
    const more = (nowMs - record.uselessAtMs) / 1_000 * USELESS_A_SECOND_BYTES;
    record.useless = Math.min(record.useless + more, USELESS_BURST_BYTES) - bytes;
    record.uselessAtMs = nowMs;
    if (record.useless >= 0) return 0;
    const offences = Math.ceil(-record.useless / USELESS_BYTES);
    record.useless = 0;
    return offences;
  }

  /** How many peers are remembered, at most {@link MAX_REMEMBERED}. */
  get size(): number {
    return this.#records.size;
  }

  /** Whether it is refused now. */
  isRefused(peer: string, nowMs: number): boolean {
    return (this.#records.get(peer)?.refusedUntilMs ?? -Infinity) > nowMs;
  }

  #recordOf(peer: string, nowMs: number): Record {
    const known = this.#records.get(peer);
    // The one that misbehaved last is the last of them.
    this.#records.delete(peer);
    const record = known ?? {
      points: 0,
      atMs: nowMs,
      refusals: 0,
      refusedUntilMs: -Infinity,
      wants: WANTS_BURST,
      wantsAtMs: nowMs,
      useless: USELESS_BURST_BYTES,
      uselessAtMs: nowMs,
      counts: new Map(),
    };
    this.#records.set(peer, record);
    record.points = Math.max(0, record.points - (nowMs - record.atMs) / 1_000 * FADING_POINTS);
    record.atMs = nowMs;
    if (record.points === 0) record.counts.clear();
    while (record.refusals > 0 && nowMs - record.refusedUntilMs >= FORGIVEN_MS) {
      record.refusals--;
      record.refusedUntilMs += FORGIVEN_MS;
    }
    if (this.#records.size > MAX_REMEMBERED) this.#forgetOne(peer, nowMs);
    return record;
  }

  /** Forgets the oldest that is not refused, else the oldest. */
  #forgetOne(except: string, nowMs: number): void {
    const others = [...this.#records.keys()].filter((peer) => peer !== except);
    const oldest = others.find((peer) => !this.isRefused(peer, nowMs)) ?? others[0];
    if (oldest !== undefined) this.#records.delete(oldest);
  }
}
