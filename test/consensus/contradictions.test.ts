/** What a validator says in two blocks that contradict each other is noticed, kept, and slashed for. */
import { describe, expect, it } from "vitest";
import type { AnyStatementKind, Statement } from "#internal/consensus/mod.ts";
import { createBlockCodec, statementKinds } from "#internal/consensus/mod.ts";
import { encode, idBytes } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { Accusation } from "#internal/proofs/mod.ts";
import {
  accusationCodec,
  committeeOf,
  FORMAT_VERSION,
  validatorId,
  ZERO_HASH,
} from "#internal/proofs/mod.ts";
import { Accusations } from "../../internal/consensus/accusations.ts";
import { contradictionIn } from "../../internal/consensus/contradictions.ts";
import type { DagNode } from "../../internal/consensus/dag.ts";
import { Dag } from "../../internal/consensus/dag.ts";
import type { LocalView } from "../../internal/consensus/local_view.ts";
import { OwnState } from "../../internal/consensus/own_state.ts";
import { PulseVotes } from "../../internal/consensus/pulse_votes.ts";
import { unitFacts } from "../../internal/consensus/unit_facts.ts";
import { evidence } from "../../internal/ledger/tx/evidence.ts";
import { keyOf, Net } from "./_net.ts";

const LIAR = 3;
const HANG_MS = 120_000;
const ledger = createLedger();
const codec = createBlockCodec(ledger, statementKinds);

/** The product's kinds, one of them with another way to speak. */
function speaking(name: string, propose: AnyStatementKind["propose"]): typeof statementKinds {
  return statementKinds.map((kind: AnyStatementKind) =>
    kind.name === name ? { ...kind, propose } : kind
  ) as unknown as typeof statementKinds;
}

/** Votes for everything that is carried, once each, whatever it voted for before. */
function votingForAll(): typeof statementKinds {
  const said = new Set<string>();
  return speaking("vote", (place, view) => {
    const units = [...view.open()].filter((record) => view.isCarried(record, place))
      .map(({ facts }) => facts.digest).filter((unit) => !said.has(unit));
    for (const unit of units) said.add(unit);
    return units.map((unit) => ({ unit }));
  });
}

/** Votes for each Pulse's header, and for another. */
const votingForTwo = speaking("pulse_vote", (_place, view) => {
  const votes = [];
  for (const [number, { digest }] of view.pulseVotes.uncertified()) {
    if (number <= view.own.votedPulse) continue;
    view.own.votedPulse = number;
    const pulse = BigInt(number);
    votes.push({ pulse, header: digest }, { pulse, header: digest.map((byte) => byte ^ 1) });
  }
  return votes.sort((a, b) => a.header < b.header ? -1 : 1);
});

function netWith(kinds: typeof statementKinds): Net {
  return new Net({ delayMs: [5, 15], statementsOf: (i) => i === LIAR ? kinds : undefined });
}

const accusationOf = (net: Net, by: number): Accusation | undefined =>
  net.peer(by).validator.accusations()[0];

/** Shows it to the ledger, which slashes the liar for it. */
function expectSlashed(net: Net, accusation: Accusation): void {
  expect(validatorId(accusation.key)).toBe(validatorId(keyOf(LIAR)));
  const unit = net.submit(0, net.action("carol", { kind: "evidence", body: accusation }));
  expect(net.run(HANG_MS, () => net.receipts.has(unit))).toBe(true);
  expect(net.outcomes(unit)).toEqual(["success"]);
}

describe("a validator that contradicts itself", () => {
  it("is accused of two votes on one slot, by what has it slashed [L-514]", () => {
    const net = netWith(votingForAll());
    net.run(300);
    net.submit(0, net.payment("alice", "bob", 1n, { sequence: 0n }));
    net.submit(1, net.payment("alice", "carol", 2n, { sequence: 0n }));
    expect(net.run(HANG_MS, () => accusationOf(net, 0) !== undefined)).toBe(true);
    const accusation = accusationOf(net, 0) as Accusation;
    expect(accusation.offence.kind).toBe("votes");
    expect(net.peer(0).alarms.get("equivocation")).toBe(
      `validator ${LIAR} voted for two units on one slot`,
    );
    expectSlashed(net, accusation);
  });

  it("is accused of votes for two headers of a Pulse, by what has it slashed [L-514]", () => {
    const net = netWith(votingForTwo);
    expect(net.run(HANG_MS, () => accusationOf(net, 1) !== undefined)).toBe(true);
    const accusation = accusationOf(net, 1) as Accusation;
    expect(accusation.offence.kind).toBe("pulse_votes");
    expectSlashed(net, accusation);
  });

  it("stays accused when the node that saw it is killed, long after [L-514]", () => {
    const net = new Net({ delayMs: [5, 15] });
    net.run(2500);
    net.crash(LIAR);
    // The same key on an empty store makes another block of the first round.
    net.restart(LIAR, { wiped: true });
    expect(net.run(HANG_MS, () => accusationOf(net, 0) !== undefined)).toBe(true);
    const accusation = accusationOf(net, 0);
    net.run(30_000);
    net.crash(0);
    net.restart(0);
    expect(net.peer(0).validator.accusations()).toEqual([accusation]);
    expectSlashed(net, accusation as Accusation);
  });
});

describe("contradictionIn()", () => {
  const net = new Net();
  const unit = (amount: bigint, validUntil: bigint): SignedUnit =>
    net.payment("alice", "bob", amount, { sequence: 0n, validUntil });
  const units = [unit(1n, 4n), unit(2n, 9n)] as const;
  const [short, long] = units.map((signed) => unitFacts(ledger, signed));
  if (short === undefined || long === undefined) throw new Error("no units");
  const bound = 4 * 4 - 3;

  /** The blocks of one author, one a round, each with one statement. */
  function said(
    kind: "vote" | "confirm",
    places: readonly (readonly [string, number])[],
  ): DagNode[] {
    const dag = new Dag(4);
    return places.map(([unit, round]) => {
      const statements: Statement[] = [{ kind, body: { unit } }];
      const block = codec.make({
        version: FORMAT_VERSION,
        chain: idBytes(net.chain),
        session: 0,
        round,
        author: LIAR,
        parents: [],
        timeMs: 0n,
        link: { value: ZERO_HASH, next: ZERO_HASH },
      }, { units: [], evidence: [], statements });
      const content = {
        ...block,
        signature: taggedHash("test/signature", keyOf(LIAR), idBytes(block.id)),
        statements: block.body.statements,
        evidence: [],
        units: [],
        unitDigests: [],
      };
      return dag.add(content, [], dag.historyOf([]));
    });
  }

  function contradicts(
    kind: "vote" | "confirm",
    places: readonly (readonly [string, number])[],
    strip: (facts: NonNullable<typeof short>) => NonNullable<typeof short> = (facts) => facts,
  ): ReturnType<typeof contradictionIn> {
    const nodes = said(kind, places);
    const records = [short, long].map((facts) => {
      const own = nodes.filter((_, at) => places[at]?.[0] === facts?.digest);
      return {
        facts: strip(facts as NonNullable<typeof short>),
        votes: kind === "vote" ? own : [],
        confirms: kind === "confirm" ? own : [],
      };
    });
    const view = {
      rivalSlots: new Set(short?.keys),
      unit: (digest: string) => records.find(({ facts }) => facts.digest === digest),
      on: () => records,
      context: { ledger },
      pulseVotes: new PulseVotes(committeeOf([{ publicKey: keyOf(0), stake: 1n }])),
    } as unknown as LocalView;
    return contradictionIn(nodes.at(-1) as DagNode, view);
  }

  for (const [kind, offence] of [["vote", "votes"], ["confirm", "confirms"]] as const) {
    it(`finds two ${offence} whose later one is below the earlier unit's bound, whichever came first`, () => {
      const pairs = [
        [[short.digest, 5], [long.digest, bound - 1]],
        [[long.digest, bound - 1], [short.digest, 5]],
        [[long.digest, 5], [short.digest, 5]],
      ] as const;
      for (const pair of pairs) {
        const found = contradicts(kind, pair);
        expect(found).toMatchObject({ author: LIAR, offence: { kind: offence } });
        const body = { key: keyOf(LIAR), offence: (found as NonNullable<typeof found>).offence };
        expect(evidence.check?.(body)).toBeUndefined();
      }
    });

    it(`finds nothing in ${offence} of which the later one is not, or is on the same unit`, () => {
      expect(contradicts(kind, [[short.digest, 5], [long.digest, bound]])).toBeUndefined();
      expect(contradicts(kind, [[short.digest, 5], [short.digest, 6]])).toBeUndefined();
    });

    it(`finds no ${offence} that could not be shown: of a unit only a part is held`, () => {
      const pair = [[short.digest, 5], [long.digest, 6]] as const;
      const stripped = contradicts(kind, pair, (facts) => ({
        ...facts,
        signed: { ...facts.signed, unit: { ...facts.signed.unit, members: [] } },
      }));
      expect(stripped).toBeUndefined();
    });
  }
});

describe("Accusations", () => {
  const offence = { kind: "pulse_votes", body: {} } as unknown as Accusation["offence"];
  const accusation = (session: number, bytes = 10): Accusation => {
    const shown = {
      header: {
        version: FORMAT_VERSION,
        session,
        round: 7,
        author: LIAR,
        parents: [],
        timeMs: 0n,
        link: { value: ZERO_HASH, next: ZERO_HASH },
        bodyRoot: ZERO_HASH,
        statementsRoot: ZERO_HASH,
      },
      signature: new Uint8Array(bytes),
      index: 0,
      count: 1,
      path: [],
    };
    const units = { firstUnit: new Uint8Array(bytes), secondUnit: new Uint8Array(bytes) };
    const body = { first: shown, second: shown, ...units };
    return { key: keyOf(LIAR), offence: { ...offence, kind: "votes", body } as typeof offence };
  };

  it("keeps one for each session and validator, the newest sessions of more, and the rows say so", () => {
    const own = new OwnState(0);
    const accused = new Accusations();
    for (let session = 0; session < 70; session++) {
      expect(accused.note(session, LIAR, accusation(session), own)).toBe(true);
    }
    expect(accused.note(69, LIAR, accusation(69), own)).toBe(false);
    expect(accused.list()).toHaveLength(64);
    const rows = new Map<string, Uint8Array>();
    for (const row of own.takeRows()) {
      if (row.op === "put") rows.set(row.key, row.value);
      else rows.delete(row.key);
    }
    const again = new Accusations();
    again.restore({ table: "own", key: "0", value: new Uint8Array(1) });
    for (const [key, value] of rows) again.restore({ table: "accused", key, value });
    expect(again.list()).toEqual(accused.list());
    expect(again.note(69, LIAR, accusation(69), own)).toBe(false);
  });

  it("keeps no more bytes than it may, and none that is too large to be asked for", () => {
    const own = new OwnState(0);
    const accused = new Accusations();
    const size = encode(accusationCodec, accusation(0, 19_000)).length;
    for (let session = 0; session < 60; session++) {
      accused.note(session, LIAR, accusation(session, 19_000), own);
    }
    expect(accused.list()).toHaveLength(Math.floor((2 << 20) / size));
    expect(accused.note(99, LIAR, { ...accusation(99), offence: tooLarge() }, own)).toBe(true);
    expect(accused.list()).toHaveLength(Math.floor((2 << 20) / size));
  });

  function tooLarge(): Accusation["offence"] {
    const { offence } = accusation(99);
    const firstUnit = new Uint8Array(200_000);
    return { ...offence, body: { ...offence.body, firstUnit } } as typeof offence;
  }
});
