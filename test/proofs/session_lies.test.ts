/**
 * A light client that follows a chain whose validators change their keys and weights, from nothing
 * but its identity; and the lies that a node can tell it about that.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { encode, fromHex } from "#internal/core/mod.ts";
import type {
  CertificateItem,
  Header,
  HeaderProof,
  PulseCertificate,
  SessionConfig,
  SessionStep,
} from "#internal/proofs/mod.ts";
import {
  askOrigin,
  chainOriginCodec,
  chainView,
  genesisOf,
  headerProofCodec,
  isLastOfSession,
  sessionStepCodec,
  validatorId,
} from "#internal/proofs/mod.ts";
import type { LightSource } from "../../internal/proofs/light/source.ts";
import { keyOf, Net } from "../consensus/_net.ts";
import { accountOf, FUNDS, NAMED } from "../ledger/_world.ts";
import { item, pulseVote } from "./_signed.ts";

const PLACES = [0, 1, 2, 3] as const;
const ACCOUNTS = [...NAMED, ...PLACES.map((i) => `operator-${i}`)]
  .map((name) => [accountOf(name), FUNDS] as const);

/** Keys by session: in the first change all change, in the second two do. */
const KEYS = [[0, 1, 2, 3], [10, 11, 12, 13], [10, 21, 22, 13]] as const;

/** A network of unequal weights through three sessions. */
function ran(): Net {
  const stakes = [100_000n, 400_000n, 250_000n, 150_000n];
  const net = new Net({ accounts: ACCOUNTS, stakes, delayMs: [5, 15] });
  net.run(500);
  for (const session of [1, 2]) {
    const [before, after] = [KEYS[session - 1], KEYS[session]];
    const changing = PLACES.filter((i) => before?.[i] !== after?.[i]);
    for (const i of changing) net.submit(3, net.rotation(i, after?.[i] ?? 0));
    const begun = (i: number) => net.peer(i).validator.status().session === session;
    net.run(120_000, () => PLACES.every(begun));
    // One after the other: a new store has the chain from those that are left.
    for (const i of changing) {
      net.crash(i);
      net.restart(i, { wiped: true, key: after?.[i] ?? 0 });
      net.run(120_000, () => begun(i));
    }
  }
  net.submit(0, net.payment("alice", "bob", 1n));
  const isCertified = (): boolean =>
    net.peers.some(({ certificates }) => certificates.some(({ header }) => header.session === 2));
  net.run(120_000, isCertified);
  return net;
}

let net: Net;
let certificates: Map<number, PulseCertificate>;
let last: PulseCertificate[];
let newest: PulseCertificate;

beforeAll(() => {
  net = ran();
  const all = net.peers.flatMap((peer) => peer.certificates);
  certificates = new Map(all.map((one) => [Number(one.header.number), one]));
  last = [...certificates.values()].filter(({ header }) => isLastOfSession(header))
    .sort((a, b) => Number(a.header.number - b.header.number));
  newest = certificates.get(Math.max(...certificates.keys())) as PulseCertificate;
});

type Steps = readonly SessionStep[];

const honestSteps = (): SessionStep[] =>
  last.map((certificate, at) => ({
    certificate,
    next: net.sessions[at + 1] as SessionConfig,
  }));

/** What a node serves, with steps and the certificate of the newest Pulse as it likes. */
function sourceOf(steps: Steps, certificate: PulseCertificate): LightSource {
  const { origin } = genesisOf(net.genesis, net.ledger);
  const proof: HeaderProof = { before: [], certificate };
  return {
    origin: () => Promise.resolve(encode(chainOriginCodec, origin)),
    sessionSteps: (from: number) =>
      Promise.resolve(steps.slice(from).map((step) => encode(sessionStepCodec, step))),
    header: () => Promise.resolve(encode(headerProofCodec, proof)),
  } as Partial<LightSource> as LightSource;
}

/** What a client that holds the identity alone says of the newest Pulse. */
async function judge(steps: Steps, certificate = newest): Promise<string> {
  const source = sourceOf(steps, certificate);
  const { backend } = net.certificateContext();
  const origin = await askOrigin(source);
  expect(origin.chain).toBe(net.chain);
  const view = chainView(origin, { source, backend });
  try {
    const read = await view.readHeader(Number(certificate.header.number));
    const verdict = await read.verify();
    return verdict.ok ? "holds" : verdict.reason;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Steps of which one is changed. */
function changed(at: number, change: (step: SessionStep) => SessionStep): SessionStep[] {
  return honestSteps().map((step, i) => i === at ? change(step) : step);
}
const withNext = (at: number, change: (next: SessionConfig) => Partial<SessionConfig>) =>
  changed(at, ({ certificate, next }) => ({ certificate, next: { ...next, ...change(next) } }));

/** PulseVotes on a header by keys at their places, as a quorum of them could make them. */
function votesOf(header: Header, keys: readonly number[], session: number): CertificateItem[] {
  const block = { chain: fromHex(net.chain), session };
  return keys.map((key, author) =>
    item(author, pulseVote(header), { ...block, author }, keyOf(key))
  );
}
const membersOf = (keys: readonly number[]) => (next: SessionConfig): Partial<SessionConfig> => ({
  validators: next.validators.map((one, at) => {
    const publicKey = keyOf(keys[at] ?? 0);
    return { ...one, id: validatorId(publicKey), publicKey };
  }),
});

describe("a light client over sessions", () => {
  it("follows keys and weights from the identity to the newest header [L-602 L-643]", async () => {
    expect(newest.header.session).toBe(2);
    expect(net.sessions.map(({ validators }) => validators.map(({ id }) => id)))
      .toEqual(KEYS.map((keys) => keys.map((key) => validatorId(keyOf(key)))));
    expect(await judge(honestSteps())).toBe("holds");
    // The certificate that such lies are about is as good as the real one, but for its keys.
    const items = votesOf(newest.header, KEYS[2], 2);
    expect(await judge(honestSteps(), { header: newest.header, items })).toBe("holds");
  });

  const LIES: Readonly<Record<string, [said: () => Promise<string>, refused: RegExp]>> = {
    "the old committee as the next": [
      () => judge(withNext(0, membersOf(KEYS[0]))),
      /fixes other validators/,
    ],
    "one new key less": [
      () => judge(withNext(1, membersOf([10, 11, 22, 13]))),
      /fixes other validators/,
    ],
    "the committee in another order": [
      () =>
        judge(withNext(0, ({ validators, operators }) => ({
          validators: [...validators].reverse(),
          operators: [...operators].reverse(),
        }))),
      /fixes other validators/,
    ],
    "other stakes, with weights that fit": [
      () =>
        judge(withNext(0, ({ validators }) => ({
          validators: validators.map((one) => ({ ...one, stake: 100_000n, weight: 100_000n })),
        }))),
      /fixes other validators/,
    ],
    "another operator": [
      () => judge(withNext(1, ({ operators }) => ({ operators: [...operators].reverse() }))),
      /fixes other validators/,
    ],
    "a committee without one of its members": [
      () =>
        judge(withNext(0, ({ validators, operators }) => ({
          validators: validators.slice(1),
          operators: operators.slice(1),
        }))),
      /fixes other validators/,
    ],
    "the session after the next": [
      () => judge([{ ...honestSteps()[0], next: honestSteps()[1]?.next } as SessionStep]),
      /leads to another session/,
    ],
    "an end of the wrong session": [
      () => judge(honestSteps().slice(1)),
      /of another session|signature of validator/,
    ],
    "a session that goes on": [
      () => judge([]),
      /end of session 0 is not shown/,
    ],
    "an end that is certified by the next committee": [
      () =>
        judge(changed(0, ({ certificate: { header }, next }) => ({
          certificate: { header, items: votesOf(header, KEYS[1], 0) },
          next,
        }))),
      /a signature of validator 0 is invalid/,
    ],
    "an end that is not its session's last header": [
      () =>
        judge(changed(0, ({ next }) => {
          const { header } = certificates.get(2) as PulseCertificate;
          return { certificate: { header, items: votesOf(header, KEYS[0], 0) }, next };
        })),
      /not the last header/,
    ],
    "a fork by keys of the first session": [
      () => {
        const header = { ...newest.header, stateRoot: new Uint8Array(32) };
        return judge(honestSteps(), { header, items: votesOf(header, KEYS[0], 2) });
      },
      /a signature of validator 0 is invalid/,
    ],
    "a fork by keys of the session before, two of which are still good": [
      () => {
        const header = { ...newest.header, stateRoot: new Uint8Array(32) };
        return judge(honestSteps(), { header, items: votesOf(header, KEYS[1], 2) });
      },
      /a signature of validator 1 is invalid/,
    ],
    "a fork that says it is of the session before": [
      () => {
        const header = { ...newest.header, session: 1, stateRoot: new Uint8Array(32) };
        return judge(honestSteps(), { header, items: votesOf(header, KEYS[1], 1) });
      },
      /other validators or parameters/,
    ],
    "the two with the most weight, a unit short of a quorum": [
      () =>
        judge(honestSteps(), {
          header: newest.header,
          items: votesOf(newest.header, KEYS[2], 2).filter(({ header }) =>
            [1, 2].includes(header.author)
          ),
        }),
      /stake signed, the quorum is/,
    ],
  };

  it.each(Object.entries(LIES))("refuses %s [L-277 L-643]", async (_name, [said, refused]) => {
    expect(await said()).toMatch(refused);
  });
});
