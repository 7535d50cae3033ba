/** Every lie about a snapshot is refused, its teller named, and another validator asked. */
import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, FULL_DETECTION } from "#internal/core/mod.ts";
import type { Message, SnapshotPart, TakenSnapshot } from "#internal/consensus/mod.ts";
import {
  createBlockCodec,
  SnapshotClient,
  SnapshotShelf,
  statementKinds,
} from "#internal/consensus/mod.ts";
import { DUAL_SIGNATURE } from "#internal/ledger/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";
import { genesisOf, headerDigest, isLastOfSession } from "#internal/proofs/mod.ts";
import { Net } from "./_net.ts";

type Part = SnapshotPart["part"];
type Kind = Part["kind"];
type Of<K extends Kind> = Extract<Part, { kind: K }>["body"];

const LIAR = 1;
const HONEST = 2;

const CLAIM = {
  ...{ schema: "note/v1", subject: "it is so", formula: DUAL_SIGNATURE },
  ...{ adjudicator: null, detection: FULL_DETECTION, validFor: 100n },
};

/** A chain of several sessions, with a snapshot of its newest certified Pulse. */
let net: Net;
let store: ReturnType<Net["peer"]>["store"];
let facts: ReturnType<typeof genesisOf>;
let blocks: ReturnType<typeof createBlockCodec>;
let backend: ReturnType<Net["certificateContext"]>["backend"];

beforeAll(() => {
  net = new Net({ parameters: { epochPulses: 6n } });
  for (let i = 0; i < 12; i++) {
    net.submit(0, net.payment(i % 2 === 0 ? "alice" : "carol", "bob", 1n));
    if (i < 2) net.submit(0, net.action("dana", { kind: "claim_issue", body: CLAIM }));
    net.run(600);
  }
  ({ store } = net.peer(0));
  // In the middle of a session, so that blocks belong to the snapshot.
  const isWithin = (): boolean => {
    const header = store.newestCertificate()?.header;
    return header !== undefined && !isLastOfSession(header);
  };
  for (let left = 200; left > 0 && !isWithin(); left--) net.run(50);
  expect(isWithin()).toBe(true);
  facts = genesisOf(net.genesis, net.ledger);
  blocks = createBlockCodec(net.ledger, statementKinds);
  ({ backend } = net.certificateContext());
});

function shelf(): SnapshotShelf {
  return new SnapshotShelf({
    newest() {
      const certificate = store.newestCertificate();
      const effect = net.effects[Number(certificate?.header.number) - 1];
      return certificate && effect && { certificate, state: effect.state, tail: effect.tail };
    },
    steps: (session) => store.steps(session),
    leaves: (from) => store.leaves(from),
    keptRounds: 1024,
  });
}

interface Outcome {
  readonly taken: TakenSnapshot | undefined;
  readonly refused: string[];
  /** Validators that were asked, in order, without repetition. */
  readonly asked: number[];
  /** At each part of steps: whether a part was expected of its sender before and after it. */
  readonly expected: readonly (readonly [before: boolean, after: boolean])[];
  /** How often blocks and units were asked for, in each attempt. */
  readonly wants: number[];
}

/** What comes of a client when one of two validators answers as it likes. */
async function take(
  lie: (part: Part, pulse: bigint) => Part | undefined,
  more: { readonly pulse?: number; readonly lost?: (attempt: number) => boolean } = {},
): Promise<Outcome> {
  const shelves = new Map([LIAR, HONEST].map((peer) => [peer, shelf()]));
  const queue: (() => void | Promise<void>)[] = [];
  const outcome = {
    taken: undefined as TakenSnapshot | undefined,
    refused: [] as string[],
    asked: [] as number[],
    expected: [] as [before: boolean, after: boolean][],
    wants: [] as number[],
  };
  let nowMs = 0;
  let wakeMs = Number.POSITIVE_INFINITY;
  const answer = (to: number, message: Message): void => {
    if (outcome.asked.at(-1) !== to) outcome.asked.push(to);
    if (message.type === "ask" && message.what.kind === "offer") outcome.wants.push(0);
    const attempt = outcome.wants.length - 1;
    if (message.type === "want") {
      outcome.wants[attempt] = (outcome.wants[attempt] ?? 0) + 1;
      if (more.lost?.(attempt) === true) return;
      for (const id of message.ids) {
        const stored = store.block(id);
        if (stored) client.block(blocks.decode(stored.bytes, stored.signature));
      }
      const units = message.units.flatMap((form) => store.unit(form) ?? []);
      client.units(units.map((bytes) => ({ bytes, signed: net.ledger.decodeSigned(bytes) })));
    }
    if (message.type !== "ask") return;
    const whole = shelves.get(to)?.answer(0, message, nowMs);
    if (whole === undefined) return;
    const part = to === LIAR ? lie(whole.part, whole.pulse) : whole.part;
    if (part === undefined) return;
    const before = client.expectsPart(to);
    client.part(to, { pulse: whole.pulse, part });
    // Their signatures are verified in a later turn: until then nothing more was asked for.
    if (part.kind === "steps") outcome.expected.push([before, client.expectsPart(to)]);
  };
  const client = new SnapshotClient({
    ledger: net.ledger,
    chain: fromHex(net.chain),
    shards: net.genesis.shards,
    retryMs: 10,
    known: () => ({ config: facts.origin.config, committee: facts.committee }),
    pulse: () => more.pulse ?? 0,
    peers: () => [LIAR, HONEST],
    isHeld: () => false,
    isUnitHeld: () => false,
    nowMs: () => nowMs,
    wake: (atMs) => wakeMs = atMs,
    send: (to, message) => void queue.push(() => answer(to, message)),
    verify: (signatures, done) =>
      void queue.push(async () => {
        for (const { publicKey, digest, signature } of signatures) {
          if (!await backend.verify(publicKey, digest, signature)) return done(false);
        }
        done(true);
      }),
    refused: (peer, reason) => {
      expect(peer).toBe(LIAR);
      outcome.refused.push(reason);
    },
    taken: (snapshot) => outcome.taken = snapshot,
  });
  client.begin();
  while (client.isRunning) {
    const next = queue.shift();
    nowMs = next === undefined ? wakeMs : nowMs + 100;
    if (next === undefined) client.tick();
    else await next();
  }
  return outcome;
}

/** A lie in parts of one kind. */
function inPart<K extends Kind>(kind: K, change: (body: Of<K>) => Of<K>) {
  return (part: Part): Part =>
    part.kind === kind ? { kind, body: change(part.body as Of<K>) } as Part : part;
}
const inOffer = (change: (body: Of<"offer">) => Of<"offer">) => inPart("offer", change);
const inHeader = (change: Partial<Of<"offer">["certificate"]["header"]>) =>
  inOffer((offer) => ({
    ...offer,
    certificate: { ...offer.certificate, header: { ...offer.certificate.header, ...change } },
  }));
const inItems = (
  change: (items: Of<"offer">["certificate"]["items"]) => Of<"offer">["certificate"]["items"],
) =>
  inOffer((offer) => ({
    ...offer,
    certificate: { ...offer.certificate, items: change(offer.certificate.items) },
  }));
const inObjects = (change: (body: Of<"objects">) => Of<"objects">) => inPart("objects", change);
const inSteps = (change: (steps: Of<"steps">["steps"]) => Of<"steps">["steps"]) =>
  inPart("steps", (body) => ({ ...body, steps: change(body.steps) }));
const flipped = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));

/** Name, what is said of it, and the lie. */
const LIES: readonly (readonly [string, RegExp, (part: Part) => Part])[] = [
  ["a header of another chain", /another chain/, inHeader({ chain: new Uint8Array(32) })],
  ["a header of another format", /format/, inHeader({ version: 1 })],
  [
    "a Pulse other than it says",
    /another Pulse's/,
    (part) => inHeader({ number: 1n + (store.newestCertificate()?.header.number ?? 0n) })(part),
  ],
  ["a header that nobody signed", /does not hold the statement/, inHeader({ timeMs: 1n })],
  [
    "another tail in the header",
    /does not hold the statement/,
    inHeader({ tail: new Uint8Array(32) }),
  ],
  ["other validators in the header", /other validators/, inHeader({ config: new Uint8Array(32) })],
  [
    "a state root that its shards do not have",
    /shards' roots/,
    inHeader({ stateRoot: new Uint8Array(32) }),
  ],
  ["a certificate of two of four", /quorum/, inItems((items) => items.slice(0, 2))],
  ["a certificate without signatures", /quorum/, inItems(() => [])],
  [
    "one validator twice in a certificate",
    /counts twice/,
    inItems(([item, ...rest]) => item ? [item, item, ...rest] : []),
  ],
  [
    "a forged signature",
    /signature/,
    inItems((items) => items.map((item) => ({ ...item, signature: flipped(item.signature) }))),
  ],
  [
    "a signature of another validator",
    /signature|counts twice/,
    inItems((items) =>
      items.map((item, i) => ({
        ...item,
        signature: items[i === 0 ? 1 : 0]?.signature ?? item.signature,
      }))
    ),
  ],
  [
    "blocks of another session in a certificate",
    /another session/,
    inItems((items) => items.map((item) => ({ ...item, header: { ...item.header, session: 9 } }))),
  ],
  [
    "a path that leads elsewhere",
    /does not hold the statement/,
    inItems((items) => items.map((item) => ({ ...item, index: item.index + 1 }))),
  ],
  [
    "one shard too few",
    /number of shards/,
    inOffer((offer) => ({ ...offer, shards: offer.shards.slice(1) })),
  ],
  [
    "shards in another order",
    /shards' roots/,
    inOffer((offer) => ({ ...offer, shards: offer.shards.toReversed() })),
  ],
  ["a tail without end", /tail is too long/, inOffer((offer) => ({ ...offer, tail: 2 ** 32 - 1 }))],
  [
    "a tail of another length",
    /another length/,
    inOffer((offer) => ({ ...offer, tail: offer.tail + 1 })),
  ],
  ["no way from the sessions before", /not shown/, inSteps(() => [])],
  ["a session left out", /not proven/, inSteps((steps) => steps.slice(1))],
  [
    "a session twice",
    /not proven/,
    inSteps(([step, ...rest]) => step ? [step, step, ...rest] : []),
  ],
  [
    "a session's end that nobody signed",
    /not proven/,
    inSteps((steps) =>
      steps.map((step) => ({ ...step, certificate: { ...step.certificate, items: [] } }))
    ),
  ],
  [
    "a session's end with a forged signature",
    /signature/,
    inSteps((steps) =>
      steps.map((step) => ({
        ...step,
        certificate: {
          ...step.certificate,
          items: step.certificate.items.map((item) => ({
            ...item,
            signature: flipped(item.signature),
          })),
        },
      }))
    ),
  ],
  [
    "validators of its own choice",
    /not proven/,
    inSteps((steps) =>
      steps.map((step) => ({
        ...step,
        next: { ...step.next, validators: step.next.validators.slice(1) },
      }))
    ),
  ],
  [
    "a swapped tail",
    /tail is not that/,
    inPart("tail", (body) => ({ ...body, bytes: flipped(body.bytes) })),
  ],
  [
    "a tail cut short",
    /another length/,
    inPart("tail", (body) => ({ ...body, bytes: body.bytes.slice(1) })),
  ],
  [
    "an empty part of the tail",
    /another length/,
    inPart("tail", (body) => ({ ...body, bytes: new Uint8Array(0) })),
  ],
  [
    "a claim of its own in the knowledge log",
    /knowledge log is not that/,
    inPart("leaves", (body) => ({ ...body, leaves: body.leaves.map(flipped) })),
  ],
  [
    "claims in another order",
    /knowledge log is not that/,
    inPart("leaves", (body) => ({ ...body, leaves: body.leaves.toReversed() })),
  ],
  [
    "a claim left out of the knowledge log",
    /another length/,
    inPart("leaves", (body) => ({ ...body, leaves: body.leaves.slice(1) })),
  ],
  [
    "a tampered object",
    /not that of its header/,
    inObjects((body) => ({
      ...body,
      objects: body.objects.map(({ key, value }) => ({
        key,
        value: value.kind === "whole" ? { kind: "whole", body: flipped(value.body) } : value,
      })),
    })),
  ],
  [
    "an object under another key",
    /not that of its header|not in order/,
    inObjects((body) => ({
      ...body,
      objects: body.objects.map(({ key, value }) => ({ key: flipped(key), value })),
    })),
  ],
  [
    "an object left out",
    /not that of its header/,
    inObjects((body) => ({ ...body, objects: body.objects.slice(1) })),
  ],
  [
    "an object too many",
    /not that of its header|not in order/,
    inObjects((body) => ({
      ...body,
      objects: [...body.objects, {
        key: new Uint8Array(32).fill(255),
        value: { kind: "whole", body: Uint8Array.of(1) },
      }],
    })),
  ],
  [
    "an object twice",
    /not in order/,
    inObjects((body) => ({ ...body, objects: body.objects.flatMap((object) => [object, object]) })),
  ],
  [
    "no objects and an empty proof",
    /missing|number of|not that/,
    inObjects((body) => ({ ...body, objects: [], proof: { shape: [], siblings: [], leaves: [] } })),
  ],
  [
    "a proof cut short",
    /not that of its header/,
    inObjects((body) => ({ ...body, proof: { ...body.proof, shape: body.proof.shape.slice(1) } })),
  ],
  ["parts without end", /too short/, inObjects((body) => ({ ...body, more: true }))],
  [
    "an object of an impossible size",
    /impossible size/,
    inObjects((body) => ({
      ...body,
      objects: body.objects.map(({ key }) => ({
        key,
        value: { kind: "large", body: { hash: key, size: 2 ** 31 } },
      })),
    })),
  ],
  [
    "a large object that is not in the state",
    /not that of its header/,
    inObjects((body) => ({
      ...body,
      objects: body.objects.map(({ key }) => ({
        key,
        value: { kind: "large", body: { hash: key, size: 2 << 20 } },
      })),
    })),
  ],
];

describe("SnapshotClient", () => {
  it("takes what is true: state, tail, blocks and the sessions that lead there", async () => {
    const { taken, refused, asked, expected } = await take((part) => part);
    const number = Number(taken?.certificate.header.number);
    const effect = net.effects[number - 1];
    expect(refused).toEqual([]);
    expect(asked).toEqual([LIAR]);
    expect(expected).toEqual([[true, false]]);
    expect(taken && headerDigest(taken.certificate.header)).toEqual(effect?.digest);
    expect(taken?.state.root()).toEqual(effect?.state.root());
    expect(taken?.tail).toEqual(effect?.tail);
    expect(taken?.leaves).toHaveLength(2);
    expect(taken?.steps.length).toBeGreaterThan(1);
    expect(taken?.blocks.length).toBeGreaterThan(0);
    const members = (committee: Committee): string[] => committee.members.map(({ id }) => id);
    expect(members(facts.committee)).toHaveLength(4);
  });

  it.each(LIES)("refuses %s, and asks another validator [L-277]", async (_name, reason, lie) => {
    const { taken, refused, asked } = await take(lie);
    expect(refused).toEqual([expect.stringMatching(reason)]);
    expect(asked).toEqual([LIAR, HONEST]);
    expect(taken?.state.root()).toEqual(taken?.certificate.header.stateRoot);
  });

  it("passes over who does not answer, has none, or is itself behind, without blame", async () => {
    const silent = await take(() => undefined);
    const none = await take(() => ({ kind: "none", body: {} }));
    const lost = await take((part) => part.kind === "offer" ? part : { kind: "none", body: {} });
    for (const { taken, refused, asked } of [silent, none, lost]) {
      expect(refused).toEqual([]);
      expect(asked).toEqual([LIAR, HONEST]);
      expect(taken).toBeDefined();
    }
    const behind = await take((part) => part, {
      pulse: Number(store.newestCertificate()?.header.number),
    });
    expect(behind).toMatchObject({ refused: [], taken: undefined });
  });

  it("asks for another snapshot once each was asked twice for blocks that nobody has", async () => {
    const { taken, refused, wants } = await take((part) => part, {
      lost: (attempt) => attempt === 0,
    });
    expect(refused).toEqual([]);
    expect(wants[0]).toBe(4);
    expect(wants).toHaveLength(2);
    expect(taken).toBeDefined();
  });
});
