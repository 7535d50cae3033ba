/**
 * Ends of sessions with a Byzantine validator that says its vote for the last Pulse to one other alone:
 * that one has a quorum of votes, goes on, and says its own vote nowhere.
 */
import { describe, expect, it } from "vitest";
import type { AnyStatementKind, Message } from "#internal/consensus/mod.ts";
import { createBlockCodec, statementKinds } from "#internal/consensus/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { PulseCertificate, PulseStatement } from "#internal/proofs/mod.ts";
import { headerDigest } from "#internal/proofs/mod.ts";
import type { Committer } from "../../internal/consensus/committer.ts";
import type { Effect } from "../../internal/consensus/contract.ts";
import { PulseVotes } from "../../internal/consensus/pulse_votes.ts";
import { SessionEnd } from "../../internal/consensus/session_end.ts";
import { Net } from "./_net.ts";

const LAST = 6;
const EPOCHS = { parameters: { epochPulses: BigInt(LAST) } };
/** The validator that lies, and the one that it lets see its vote. */
const [LIAR, CONFIDANT] = [3, 0];
const OTHERS = [1, 2];
const HANG_MS = 120_000;

const codec = createBlockCodec(createLedger(), statementKinds);

/** Whether a message has a block of the liar's that says its vote for the last Pulse. */
function saysIt(message: Message): boolean {
  const sent = message.type === "block"
    ? [message.block]
    : message.type === "blocks"
    ? message.blocks
    : [];
  return sent.map(({ bytes, signature }) => codec.decode(bytes, signature)).some(
    ({ header, body }) =>
      header.author === LIAR &&
      body.statements.some(({ kind, body }) =>
        kind === "pulse_vote" && (body as PulseStatement).pulse === BigInt(LAST)
      ),
  );
}

/** The confidant comes to say its own vote only after it has a quorum of others'. */
const tooSlow = statementKinds.map((kind: AnyStatementKind): AnyStatementKind =>
  kind.name !== "pulse_vote" ? kind : {
    ...kind,
    propose: (place, view) =>
      view.pulseVotes.uncertified().some(([pulse]) => pulse === LAST)
        ? []
        : kind.propose?.(place, view) ?? [],
  }
);

/** @param passes false for what does not come, besides. */
function netWithLiar(passes: (message: Message) => boolean): Net {
  return new Net({
    ...EPOCHS,
    statementsOf: (i) => i === CONFIDANT ? tooSlow : undefined,
    // The others hold two more blocks of the liar's of that round, and take in no third, whoever sends it.
    filter: (_from, to, message) =>
      passes(message) && (to === CONFIDANT || to === LIAR || !saysIt(message)),
  });
}

const sessionOf = (net: Net, i: number): number => net.peer(i).validator.status().session;

/** Lets the confidant begin the next session, in which the liar says nothing. */
function letTheConfidantGo(net: Net): void {
  expect(net.run(HANG_MS, () => sessionOf(net, CONFIDANT) === 1)).toBe(true);
  net.crash(LIAR);
}

function expectAllToFollow(net: Net): void {
  expect(net.run(HANG_MS, () => OTHERS.every((i) => sessionOf(net, i) === 1))).toBe(true);
  const unit = net.submit(1, net.payment("alice", "bob", 1n));
  expect(net.run(HANG_MS, () => net.receipts.has(unit))).toBe(true);
  expect(net.peers.flatMap(({ alarms }) => [...alarms.keys()])).toEqual([]);
}

describe("a validator that alone sees a quorum of votes for a session's last Pulse", () => {
  it("takes the others along, though it never says its own [L-595 L-602]", () => {
    let handed = 0;
    const net = netWithLiar(({ type }) => {
      if (type === "end") handed++;
      return true;
    });
    letTheConfidantGo(net);
    expect(handed).toBeGreaterThan(0);
    expectAllToFollow(net);
  });

  it("hands the certificate over whenever it is asked, after a restart too [L-595 L-602]", () => {
    let isLost = true;
    const net = netWithLiar(({ type }) => type !== "end" || !isLost);
    letTheConfidantGo(net);
    net.run(10_000);
    expect(OTHERS.map((i) => sessionOf(net, i))).toEqual([0, 0]);
    net.crash(CONFIDANT);
    isLost = false;
    net.restart(CONFIDANT);
    expectAllToFollow(net);
  });
});

describe("SessionEnd", () => {
  const net = new Net(EPOCHS);
  net.run(HANG_MS, () => sessionOf(net, 0) === 1 && net.peer(0).certificates.length > LAST);
  const of = (pulse: number): PulseCertificate =>
    net.peer(0).certificates.find(({ header }) => Number(header.number) === pulse) ??
      expect.fail(`Pulse ${pulse} has no certificate`);
  const last = of(LAST);
  const context = net.certificateContext(0);

  function rig(session = 0): { end: SessionEnd; certify: (at: Partial<Committer>) => unknown[] } {
    const pulseVotes = new PulseVotes(context.committee);
    const parts = { facts: { ...context, session, firstRound: 1 }, view: { pulseVotes } };
    const end = new SessionEnd(parts as unknown as ConstructorParameters<typeof SessionEnd>[0]);
    return {
      end,
      certify(at) {
        const effects: Effect[] = [];
        const committer = { isClosed: true, pulse: LAST, digest: headerDigest(last.header), ...at };
        return [end.certify(committer as Committer, effects), ...effects.map(({ type }) => type)];
      },
    };
  }

  it("certifies the last Pulse once it is executed here, and once only", () => {
    const { end, certify } = rig();
    expect(certify({})).toEqual([undefined]);
    end.take(last);
    expect(certify({ isClosed: false, pulse: LAST - 1 })).toEqual([undefined]);
    expect(certify({})).toEqual([undefined, "certified"]);
    expect(certify({})).toEqual([undefined]);
  });

  it("says so when a quorum certified another header than the one executed here", () => {
    const { end, certify } = rig();
    end.take(last);
    expect(certify({ digest: new Uint8Array(32) })).toEqual([LAST]);
  });

  it("has no use for another session's certificate, another Pulse's, or a second one", () => {
    expect(rig(1).end.claim(last)).toBeUndefined();
    const { end } = rig();
    expect(end.claim(of(LAST - 1))).toBeUndefined();
    expect(end.claim(last)).toMatchObject({ ok: true });
    end.take(last);
    expect(end.claim(last)).toBeUndefined();
  });

  it("takes none that lacks a quorum", () => {
    const { end, certify } = rig();
    const short = { ...last, items: last.items.slice(0, 2) };
    expect(end.claim(short)).toMatchObject({ ok: false });
    end.take(short);
    expect(certify({})).toEqual([undefined]);
  });
});
