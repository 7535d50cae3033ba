/** Decoders of canonical bytes, with samples from a network that ran under one seed. */
import type { Codec } from "#internal/core/mod.ts";
import { decode, encode, fromHex } from "#internal/core/mod.ts";
import type { SnapshotAsk } from "#internal/consensus/mod.ts";
import {
  createBlockCodec,
  decodeMessage,
  encodeMessage,
  SnapshotShelf,
  statementKinds,
} from "#internal/consensus/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import {
  accountKey,
  policyCodec,
  shardLeafCodec,
  verifyAuthorization,
} from "#internal/ledger/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { BadEncodingProof } from "#internal/merkle/mod.ts";
import {
  DataSquare,
  MerkleLog,
  reconstruct,
  verifyBadEncoding,
  verifyCommitment,
  verifyProvenShare,
  verifyShare,
} from "#internal/merkle/mod.ts";
import * as proofs from "#internal/proofs/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { decodeTail } from "../../internal/consensus/tail.ts";
import { decodeRelayMessage, encodeAnswer, encodeSubmit } from "../../internal/node/relay_wire.ts";
import { makeLocksPage } from "../../internal/node/proofs.ts";
import { headerProofFault } from "../../internal/proofs/light/header_proof.ts";
import { locksFault } from "../../internal/proofs/light/lane_locks.ts";
import { verifyReceiptProof } from "../../internal/proofs/light/receipt_proof.ts";
import { takeStep } from "../../internal/proofs/light/session_walk.ts";
import { verifyStateProof } from "../../internal/proofs/light/state_proof.ts";
import { decodeBareUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import { Net } from "../consensus/_net.ts";
import { scenarios } from "../ledger/_scenarios.ts";
import { accountOf } from "../ledger/_world.ts";
import { busyWorld } from "../proofs/_histories.ts";
import { CHAIN, provenShares, someBytes, withOneWrongShare } from "../merkle/_squares.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

/** A network that executed payments, a batch, a forced unit, and voided a slot. */
function ran(): Net {
  const net = new Net({ delayMs: [5, 15], parameters: { epochPulses: 8n, faucet: true } });
  for (let k = 0; k < 5; k++) {
    net.submit(k % 4, net.payment("alice", "bob", 1n));
    net.submit(k % 4, net.payment("carol", "bob", 2n, { count: 3 }), { forced: k === 2 });
    net.run(500);
  }
  net.submit(0, net.payment("bob", "alice", 3n, { sequence: 0n }));
  net.submit(1, net.payment("bob", "alice", 4n, { sequence: 0n }));
  net.run(120_000, () => net.peer(0).certificates.length >= 12);
  return net;
}

const net = ran();
const { ledger } = net;
const chain = fromHex(net.chain);
const blocks = createBlockCodec(ledger, statementKinds);
const stored = [...net.peer(0).store.blocks()].sort((a, b) => b.bytes.length - a.bytes.length);
const effect = net.effects.find(({ receipts }) => receipts.length >= 4) ?? net.effects[0];
if (effect === undefined) throw new Error("The network executed nothing");
const { header, tail } = effect;
const facts = proofs.genesisOf(net.genesis, ledger);
const context = net.certificateContext();
const certificate = net.peer(0).certificates[3] as proofs.PulseCertificate;
const square = DataSquare.of(effect.data);
const insecure = await loadDualBackend("insecure");
const decodedBlocks = stored.slice(0, 6).map(({ bytes, signature }) =>
  blocks.decode(bytes, signature)
);
const signedUnits = stored.flatMap(({ bytes, signature }) =>
  blocks.decode(bytes, signature).body.units
)
  .flatMap(({ form }) => net.peer(0).store.unit(form) ?? []).slice(0, 4);
const before = net.effects[effect.number - 2]?.header ?? facts.header;
const published = decode(proofs.pulseDataCodec, effect.data);
const wrongSquare = withOneWrongShare(DataSquare.of(someBytes(3_000)), 77);

/** A codec, held to its one encoding. */
function codec<T>(
  name: string,
  covers: string,
  of: Codec<T>,
  samples: readonly T[],
  more: Partial<Decoder<T>> = {},
): Decoder {
  return decoder<T>({
    name,
    covers: [covers],
    samples: () => samples.map((value) => encode(of, value)),
    decode: (bytes) => decode(of, bytes),
    encode: (value) => encode(of, value),
    ...more,
  });
}

/** A network's blocks as a store gives them. */
const store = {
  blocksOfRounds: (from: number, to: number) =>
    stored.filter(({ round }) => round >= from && round <= to),
} as unknown as NodeState;

function lockedThings() {
  return (proofs.orderedOf(published) ?? []).map((entry) => {
    if (entry.type === "void") return entry;
    const { unit } = ledger.decodeSigned(entry.bytes);
    const [slot] = ledger.slots(unit);
    return entry.forced && slot !== undefined ? slot : { unit: ledger.unitDigest(unit) };
  });
}

const locksPage = decode(
  proofs.locksPageCodec,
  makeLocksPage(
    { session: header.session, locks: effect.locks, things: lockedThings() },
    store,
    blocks,
  ),
);

const session = {
  config: facts.origin.config,
  committee: facts.committee,
  after: 0,
};

const witness = proofs.buildWitness(effect.before, effect.touched);
const worldInput = proofs.worldInputOf({
  header,
  before,
  ordered: proofs.orderedOf(published) ?? [],
  parameters: facts.origin.config.parameters,
  next: undefined,
  witness: encode(proofs.worldWitnessCodec, witness),
});

/** Objects of every kind that the kinds' scenarios make. */
function objects(): Uint8Array[] {
  const byKind = new Map<string, Uint8Array>();
  for (const make of Object.values(scenarios)) {
    const { world, by, succeeds } = make();
    world.do(by, succeeds);
    for (const [id, { kind }] of world.state.entries()) {
      byKind.set(kind, world.state.bytes(id) as Uint8Array);
    }
  }
  return [...byKind.values()];
}

/** A signed unit of every kind. */
function units(): Uint8Array[] {
  return Object.values(scenarios).map((make) => {
    const { world, by, succeeds } = make();
    return ledger.encodeSigned(world.unit(by, [succeeds]));
  });
}

const knowledge = new MerkleLog();
for (const leaf of [1, 2, 3, 4, 5]) knowledge.append(new Uint8Array(32).fill(leaf));

/** An ask for each part of a snapshot, and each part. */
function snapshotMessages(): Uint8Array[] {
  const { state } = busyWorld(2);
  const shelf = new SnapshotShelf({
    newest: () => ({ certificate, state, tail }),
    steps: () => [{ certificate, next: facts.origin.config }],
    leaves: () => [],
    keptRounds: 0,
  });
  const pulse = certificate.header.number;
  const key = [...state.entries()][0]?.[0] ?? "";
  const asks: SnapshotAsk["what"][] = [
    { kind: "offer", body: {} },
    { kind: "steps", body: { session: 0 } },
    { kind: "tail", body: { from: 2 } },
    { kind: "leaves", body: { from: 0n } },
    { kind: "objects", body: { shard: 0, after: null } },
    { kind: "piece", body: { key, from: 1 } },
    { kind: "piece", body: { key: "00".repeat(32), from: 1 } },
  ];
  return asks.flatMap((what) => {
    const ask: SnapshotAsk = { pulse, what };
    const part = shelf.answer(1, ask, 0);
    if (part === undefined) throw new Error("The shelf has not answered");
    return [encodeMessage({ type: "ask", ...ask }), encodeMessage({ type: "part", ...part })];
  });
}

const messages = decoder({
  name: "a message between validators",
  covers: ["decodeMessage", "wireCodec", "snapshotAskCodec", "snapshotPartCodec"],
  samples: () => [
    encodeMessage({ type: "block", block: stored[0] as (typeof stored)[0] }),
    encodeMessage({ type: "blocks", blocks: stored.slice(1, 4) }),
    encodeMessage({
      type: "want",
      session: 0,
      ids: stored.slice(0, 3).map(({ id }) => id),
      fromRound: 4,
      rounds: 9,
      units: signedUnits.map((bytes) => ledger.formOf(ledger.decodeSigned(bytes))),
    }),
    encodeMessage({ type: "units", units: signedUnits.slice(0, 3) }),
    encodeMessage({ type: "held", fromRound: 7 }),
    encodeMessage({ type: "end", certificate }),
    ...snapshotMessages(),
  ],
  decode: (bytes) => ({ tag: bytes[0], message: decodeMessage(bytes, blocks) }),
  encode: ({ tag, message }) =>
    encodeMessage(
      message.type === "units"
        ? { type: "units", units: message.units.map(({ signed }) => encodedAnew(signed)) }
        : message.type === "blocks" && tag === 1
        ? { type: "block", block: message.blocks[0] as (typeof message.blocks)[0] }
        : message,
    ),
});

/** What was decoded remembers its bytes: only a copy shows that there is no other encoding. */
function encodedAnew({ unit, authorization }: SignedUnit): Uint8Array {
  return ledger.encodeSigned({ unit: { ...unit }, authorization });
}

const blockDecoder = decoder({
  name: "a block",
  covers: ["blocks.decode", "codec.decode"],
  samples: () => stored.slice(0, 6).map(({ bytes }) => bytes),
  decode: (bytes) => blocks.decode(bytes, new Uint8Array(4)),
  encode: ({ header: { bodyRoot: _, statementsRoot: __, ...rest }, body }) =>
    blocks.make(rest, body).bytes,
});

/** Everything that is bytes with one encoding. */
export const LEDGER_DECODERS: readonly Decoder[] = [
  messages,
  blockDecoder,
  decoder({
    name: "a unit handed in by a peer",
    covers: ["decodeRelayMessage"],
    samples: () => [
      encodeSubmit({ request: 7, forced: true, unit: signedUnits[0] as Uint8Array }),
      encodeAnswer(7, { type: "accepted" }),
      encodeAnswer(8, { type: "locked", by: "ab".repeat(32) }),
      encodeAnswer(9, { type: "refused", code: "busy", reason: "too much waits here" }),
    ],
    decode: (bytes) => decodeRelayMessage(bytes),
    encode: (message) =>
      message.kind === "submit"
        ? encodeSubmit(message.body)
        : encodeAnswer(message.request, message.answer),
  }),
  decoder({
    name: "a signed unit",
    covers: ["decodeSigned", "authorizationCodec", "bytes", "decodeHex"],
    samples: () => [...signedUnits, ...units()],
    decode: (bytes) => ledger.decodeSigned(bytes),
    encode: encodedAnew,
    use: (signed) => verifyAuthorization(insecure, signed, ledger),
  }),
  decoder({
    name: "a unit of evidence, without its authorization",
    covers: ["decodeUnit", "unitCodec"],
    samples: () => units().map((bytes) => ledger.encodeUnit(ledger.decodeSigned(bytes).unit)),
    decode: (bytes) => ledger.decodeUnit(bytes),
    encode: (unit) => ledger.encodeUnit({ ...unit }),
  }),
  decoder({
    name: "a unit of evidence, by the second stack",
    covers: ["decodeBareUnit"],
    samples: () => units().map((bytes) => ledger.encodeUnit(ledger.decodeSigned(bytes).unit)),
    decode: (bytes) => ({ bytes, unit: decodeBareUnit(bytes) }),
    use: ({ bytes, unit }) => {
      // What the first stack reads is a unit for the second one, and nothing else is.
      let isUnit = true;
      try {
        ledger.decodeUnit(bytes);
      } catch {
        isUnit = false;
      }
      if (isUnit !== (unit !== null)) throw new Error("the stacks read another unit");
    },
  }),
  decoder({
    name: "a signed unit, by the second stack",
    covers: ["signedUnitCodec", "decodeUnit"],
    samples: () => [...signedUnits, ...units()],
    decode: (unit) =>
      encode(proofs.worldInputCodec, {
        ...worldInput,
        ordered: [{ type: "unit", bytes: unit, forced: false }],
      }),
    use: (bytes) => typedOnly(() => proofs.executeByStackB(proofs.decodeWorldInput(bytes))),
    share: 0.5,
  }),
  decoder({
    name: "an object of the state",
    covers: ["decodeObject", "objectCodec", "objects"],
    samples: objects,
    decode: (bytes) => ledger.decodeObject(bytes),
    encode: (object) => ledger.encodeObject(object),
  }),
  codec("a receipt", "receiptCodec", ledger.receiptCodec, net.all.slice(0, 4)),
  codec("a policy", "policyCodec", policyCodec, [
    ledger.decodeSigned(signedUnits[0] as Uint8Array).authorization.policy,
  ]),
  codec("a shard's leaf", "shardLeafCodec", shardLeafCodec, [{
    shard: 1,
    pre: proofs.ZERO_HASH,
    executed: proofs.ZERO_HASH,
    creditsOut: proofs.ZERO_HASH,
    creditsIn: proofs.ZERO_HASH,
    post: proofs.ZERO_HASH,
  }]),
  codec("a header", "headerCodec", proofs.headerCodec, [header, facts.header, before]),
  codec(
    "a certificate",
    "pulseCertificateCodec",
    proofs.pulseCertificateCodec,
    [certificate],
    { use: (value) => proofs.verifyPulseCertificate(value, context) },
  ),
  codec(
    "a lane certificate",
    "laneCertificateCodec",
    proofs.laneCertificateCodec,
    laneCertificates(),
    {
      use: (value) => proofs.verifyLaneCertificate(value, 1_000, context),
    },
  ),
  codec(
    "a block's header",
    "blockHeaderCodec",
    proofs.blockHeaderCodec,
    decodedBlocks.map((block) => block.header),
  ),
  codec(
    "a parent",
    "blockRefCodec",
    proofs.blockRefCodec,
    decodedBlocks.flatMap((block) => block.header.parents).slice(0, 2),
  ),
  codec("an accusation", "accusationCodec", proofs.accusationCodec, [{
    key: new Uint8Array(32),
    offence: proofs.offenceOf({
      first: decodedBlocks[0] as (typeof decodedBlocks)[0],
      second: decodedBlocks[1] as (typeof decodedBlocks)[0],
    }),
  }], { use: (value) => proofs.sessionAccused(value) }),
  codec("an equivocation", "equivocationCodec", proofs.equivocationCodec, [{
    first: decodedBlocks[0] as (typeof decodedBlocks)[0],
    second: decodedBlocks[1] as (typeof decodedBlocks)[0],
  }]),
  codec("a vote's statement", "unitStatementCodec", proofs.unitStatementCodec, [{
    unit: "ab".repeat(32),
  }]),
  codec("a Stop's statement", "stopStatementCodec", proofs.stopStatementCodec, [
    { account: accountOf("alice"), sequence: 3n, named: null },
    { account: accountOf("alice"), sequence: 3n, named: "ab".repeat(32) },
  ]),
  codec("a Pulse's statement", "pulseStatementCodec", proofs.pulseStatementCodec, [{
    pulse: 3n,
    header: new Uint8Array(32),
  }]),
  codec("published data", "pulseDataCodec", proofs.pulseDataCodec, [published], {
    use: (
      value,
    ) => [proofs.orderedOf(value), proofs.pulseDataFault(value, header, before, facts.committee)],
  }),
  decoder({
    name: "a chain's origin",
    covers: ["readOrigin", "chainOriginCodec"],
    samples: () => [encode(proofs.chainOriginCodec, facts.origin)],
    decode: (bytes) => {
      void proofs.readOrigin(bytes);
      return decode(proofs.chainOriginCodec, bytes);
    },
    encode: (origin) => encode(proofs.chainOriginCodec, origin),
  }),
  codec("a session's config", "sessionConfigCodec", proofs.sessionConfigCodec, [session.config]),
  decoder({
    name: "a step to the next session",
    covers: ["sessionStepCodec"],
    samples: () => [
      encode(proofs.sessionStepCodec, {
        certificate,
        next: { ...facts.origin.config, session: 1, epoch: 1n },
      }),
    ],
    async decode(bytes) {
      await takeStep(session, bytes, chain, context.backend);
      return decode(proofs.sessionStepCodec, bytes);
    },
    encode: (step) => encode(proofs.sessionStepCodec, step),
    share: 0.5,
  }),
  codec("a proof of a header", "headerProofCodec", proofs.headerProofCodec, [
    { before: [], certificate },
    { before: net.effects.slice(0, 3).map((each) => each.header), certificate },
  ], { use: (value) => headerProofFault(value, 3, chain) }),
  codec("a proof of a receipt", "receiptProofCodec", proofs.receiptProofCodec, [{
    pulse: 3n,
    receipt: encode(ledger.receiptCodec, net.all[0] as (typeof net.all)[0]),
    index: 1,
    count: 4,
    path: [new Uint8Array(32), new Uint8Array(32)],
  }], { use: (value) => verifyReceiptProof(header.receiptsRoot, value) }),
  codec("a proof of the state", "stateProofCodec", proofs.stateProofCodec, stateProofs(), {
    use: (value) => verifyStateProof(header.stateRoot, net.genesis.shards, value),
  }),
  codec("a proof of the knowledge log", "knowledgeProofCodec", proofs.knowledgeProofCodec, [
    {
      inclusion: { index: 2n, path: knowledge.proveInclusion(2n, 5n) },
      consistency: { from: 3n, path: knowledge.proveConsistency(3n, 5n) },
    },
    { inclusion: null, consistency: null },
  ], {
    use: (value) => {
      const later = { ...header, knowledgeRoot: knowledge.root(), knowledgeSize: 5n };
      const earlier = { ...header, knowledgeSize: 3n };
      return [
        proofs.verifyClaimInclusion("03".repeat(32), later, value),
        proofs.verifyKnowledgeGrowth(earlier, later, value),
      ];
    },
  }),
  codec("a page of locks", "locksPageCodec", proofs.locksPageCodec, [locksPage], {
    use: (value) => {
      const things = value.locks.map(() => ({ type: "void" as const, slots: [] }));
      const sessionOf = () => session;
      return locksFault(value, things, { header, sessionOf, chain, backend: context.backend });
    },
    share: 0.5,
  }),
  codec("a share", "shareProofCodec", proofs.shareProofCodec, [
    square.prove(0, 1, "row"),
    square.prove(9, 15, "column"),
  ], { use: (value) => verifyShare(header.dataRoot, chain, value) }),
  codec("what a square commits to", "squareCommitmentCodec", proofs.squareCommitmentCodec, [
    square.commitment,
  ], { use: (value) => verifyCommitment(header.dataRoot, chain, value) }),
  codec("a share under a commitment", "provenShareCodec", proofs.provenShareCodec, [
    wrongSquare.proveInAxis(1, 2, "row"),
    wrongSquare.proveInAxis(12, 3, "column"),
  ], {
    use: (value) => verifyProvenShare(square.commitment, value),
  }),
  codec("a proof of bad encoding", "badEncodingCodec", proofs.badEncodingCodec, badEncodings(), {
    use: (value) => verifyBadEncoding(wrongSquare.root(CHAIN), CHAIN, value),
  }),
  codec("the witness of a World Proof", "worldWitnessCodec", proofs.worldWitnessCodec, [witness], {
    use: (value) =>
      proofs.worldVerifier(ledger)({
        header,
        before,
        ordered: proofs.orderedOf(published) ?? [],
        parameters: facts.origin.config.parameters,
        next: undefined,
        witness: encode(proofs.worldWitnessCodec, value),
      }),
    share: 0.3,
  }),
  decoder({
    name: "the input of a World Proof",
    covers: ["decodeWorldInput", "worldInputCodec"],
    samples: () => [encode(proofs.worldInputCodec, worldInput)],
    decode: (bytes) => proofs.decodeWorldInput(bytes),
    encode: (value) => encode(proofs.worldInputCodec, value),
    use(value) {
      typedOnly(() => proofs.executeByStackA(ledger, value));
      typedOnly(() => proofs.executeByStackB(value));
    },
    share: 0.3,
  }),
  decoder({
    name: "what ordering goes on from",
    covers: ["decodeTail", "tailCodec"],
    samples: () => net.effects.slice(1, 12).map(({ tail }) => tail),
    decode: (bytes) => decodeTail(bytes, ledger),
  }),
];

/** Runs what refuses by a typed error; any other is a fault. */
function typedOnly(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "string") throw error;
  }
}

function laneCertificates(): proofs.LaneCertificate[] {
  return [...net.peer(0).final.keys()].flatMap((unit) => {
    const found = net.peer(0).validator.laneCertificate(unit);
    return found === undefined ? [] : [found];
  }).slice(0, 2);
}

function stateProofs(): proofs.StateProof[] {
  return [accountKey(accountOf("alice")), "ab".repeat(32)].map((key) =>
    proofs.proveState(
      (effect as (typeof net.effects)[0]).state,
      key,
      (effect as (typeof net.effects)[0]).state.bytes(key),
    )
  );
}

function badEncodings(): BadEncodingProof[] {
  const found = reconstruct(wrongSquare.commitment, provenShares(wrongSquare, Array(256).keys()));
  if (found.kind !== "bad-encoding") throw new Error(`The square is ${found.kind}`);
  const padding = { kind: "padding" as const, body: wrongSquare.proveInAxis(7, 7, "row") };
  return [found.proof, { commitment: wrongSquare.commitment, fault: padding }];
}
