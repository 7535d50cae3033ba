/**
 * Following a chain from a trusted head: the next head has a certificate, leads back to the trusted
 * one, has a knowledge log that only grew, and published data that is there.
 */
import { decode, equalBytes, shortId, toHex } from "#internal/core/mod.ts";
import { sampleCoordinates, SAMPLES, verifySamples } from "../availability.ts";
import type { Header } from "../header.ts";
import { headerCodec, headerDigest } from "../header.ts";
import { shownStake } from "../validator_set.ts";
import type { ChainView } from "./chain_view.ts";
import { reasonOf } from "./contents.ts";
import { knowledgeProofCodec, verifyKnowledgeGrowth } from "./knowledge_proof.ts";
import type { KnownSession } from "./session_walk.ts";
import type { LightSource } from "./source.ts";
import { notServed } from "./source.ts";
import { servedWrongData } from "./wrong_data.ts";

/** Pulses whose headers are followed one by one; a longer absence is bridged by certificates. */
const MAX_LINKED = 256;
/** Newest Pulses whose data is sampled in one step. */
const MAX_SAMPLED = 16;

/** A head that is trusted. */
export interface Head {
  readonly header: Header;
  readonly session: KnownSession;
}

/** What a step found. */
export type StepVerdict =
  | {
    readonly type: "advanced";
    readonly head: Head;
    /** Stake that signed, and all of it, in whole units. */
    readonly signed: bigint;
    readonly total: bigint;
    /** Pulses sampled, all shares of which were there. */
    readonly sampled: number;
  }
  /** Another certified header stands where the trusted one does: over a third of the stake lies. */
  | { readonly type: "fork"; readonly number: number; readonly reason: string }
  /** Shares that a certified header promises did not come. */
  | { readonly type: "withheld"; readonly number: number; readonly reason: string }
  /** A header among those on the way is proven to be over data that is none. */
  | {
    readonly type: "bad-encoding";
    readonly number: number;
    readonly at: Header;
    /** The proof; undefined when the header was refused before. */
    readonly proof: Uint8Array | undefined;
  }
  /** The node's answers prove nothing. */
  | { readonly type: "unproven"; readonly reason: string };

/** What a step is made with. */
export interface FollowOptions {
  readonly view: ChainView;
  readonly source: LightSource;
  /** Undefined for a chain that is followed for the first time. */
  readonly trusted: Head | undefined;
  /** The Pulse to go to, above the trusted one's. */
  readonly number: number;
  /** Headers that were refused before, by their digests: number of each. @default none */
  readonly refused?: ReadonlyMap<string, number>;
  /** Random bytes that the node cannot know. */
  readonly random: (length: number) => Uint8Array;
}

/** Goes from the trusted head to another one. Throws only what is no verdict: no connection. */
export async function followTo(options: FollowOptions): Promise<StepVerdict> {
  const { view, trusted, number } = options;
  try {
    const read = await view.readHeader(number);
    const verdict = await read.verify();
    if (!verdict.ok) return { type: "unproven", reason: `the certificate: ${verdict.reason}` };
    const { header, session } = read;
    const headers = trusted === undefined ? [header] : await descent(options, header, trusted);
    if (typeof headers === "string") {
      return { type: "fork", number: Number(trusted?.header.number), reason: headers };
    }
    const refused = await refusedAmong(options, headers);
    if (refused !== undefined) return refused;
    if (trusted !== undefined) await checkGrowth(options, trusted.header, header);
    const sampled = headers.slice(-MAX_SAMPLED);
    for (const at of sampled) {
      const proof = await servedWrongData(at, options.source);
      if (proof !== undefined) return wrong(at, proof);
      const reason = await sample(options, at);
      if (reason !== undefined) return { type: "withheld", number: Number(at.number), reason };
    }
    return {
      type: "advanced",
      head: { header, session },
      signed: shownStake(verdict.weight),
      total: shownStake(session.committee.total),
      sampled: sampled.length,
    };
  } catch (thrown) {
    return { type: "unproven", reason: reasonOf(thrown) };
  }
}

/** The headers above the trusted one, ascending; or how the new one contradicts the trusted. */
async function descent(
  { view, source, number }: FollowOptions,
  newest: Header,
  { header: trusted }: Head,
): Promise<readonly Header[] | string> {
  const from = Number(trusted.number);
  const headers = [newest];
  const known = shortId(toHex(headerDigest(trusted)));
  if (number - from > MAX_LINKED) {
    const { header, verify } = await view.readHeader(from);
    if (equalBytes(headerDigest(header), headerDigest(trusted))) return headers;
    const verdict = await verify();
    if (!verdict.ok) throw notServed(`the certificate of Pulse ${from}: ${verdict.reason}`);
    return `certified as ${shortId(toHex(headerDigest(header)))}, trusted as ${known}`;
  }
  for (let at = number - 1; at > from; at--) {
    const header = decode(headerCodec, await source.bareHeader(at));
    const [next] = headers as [Header];
    if (!equalBytes(headerDigest(header), next.previous)) {
      throw notServed(`Pulse ${at}'s header is not the one that Pulse ${at + 1} names`);
    }
    headers.unshift(header);
  }
  const [first] = headers as [Header];
  if (equalBytes(first.previous, headerDigest(trusted))) return headers;
  return `Pulse ${number} comes after ${shortId(toHex(first.previous))}, trusted is ${known}`;
}

function wrong(header: Header, proof: Uint8Array | undefined): StepVerdict {
  return { type: "bad-encoding", number: Number(header.number), at: header, proof };
}

/** A header that was refused before, among those that lead to the new head. */
async function refusedAmong(
  { view, source, number, trusted, refused = new Map() }: FollowOptions,
  headers: readonly Header[],
): Promise<StepVerdict | undefined> {
  const found = headers.find((header) => refused.has(toHex(headerDigest(header))));
  if (found !== undefined) return wrong(found, undefined);
  // Headers that a certificate bridged are asked for where one of them may be a refused one.
  const first = Number(headers[0]?.number ?? number);
  const from = Number(trusted?.header.number ?? 0n);
  for (const at of new Set(refused.values())) {
    if (at >= first) continue;
    // What was trusted before it was proven wrong is known by the node's word: that is enough to stop.
    const header = at > from
      ? (await view.readHeader(at)).header
      : decode(headerCodec, await source.bareHeader(at));
    if (refused.has(toHex(headerDigest(header)))) return wrong(header, undefined);
  }
  return undefined;
}

async function checkGrowth(
  { source, number }: FollowOptions,
  before: Header,
  after: Header,
): Promise<void> {
  if (before.knowledgeSize === after.knowledgeSize) {
    if (equalBytes(before.knowledgeRoot, after.knowledgeRoot)) return;
    throw notServed("the knowledge log changed without growing");
  }
  const proof = decode(knowledgeProofCodec, await source.knowledge(number, before.knowledgeSize));
  if (!verifyKnowledgeGrowth(before, after, proof)) {
    throw notServed("the knowledge log is not shown to have only grown");
  }
}

async function sample(
  { source, random }: FollowOptions,
  header: Header,
): Promise<string | undefined> {
  const places = sampleCoordinates(random(32), SAMPLES);
  try {
    const answers = await source.shares(Number(header.number), places);
    const verdict = verifySamples(header, places, answers);
    return verdict.ok ? undefined : verdict.reason;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
