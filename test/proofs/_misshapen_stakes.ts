/** Bodies of stake at the bounds of their shape, and which of them are none, in stack B's form. */
import type { Offence } from "../../internal/proofs/world/stack_b/evidence.ts";
import type { TaggedBody } from "./_bodies.ts";
import type { Place } from "./_shown.ts";
import {
  againstStop,
  blocks,
  onUnit,
  onUnits,
  pulseVotes,
  shown,
  signed,
  stopping,
  unitId,
} from "./_shown.ts";

const KEY = Uint8Array.of(1, 2, 3);
const NO_KEY = new Uint8Array();
const SIGNATURE = Uint8Array.of(4);
const ID = "11".repeat(32);
const OTHER = "33".repeat(32);
const MAX = 2n ** 64n - 1n;
const [ONE, TWO] = [Uint8Array.of(1), Uint8Array.of(2)];

const register = (change: object): TaggedBody => ({
  tag: 100,
  body: { key: KEY, stake: 1n, commission: 0, consent: SIGNATURE, ...change },
});
const commission = (share: number): TaggedBody => ({
  tag: 101,
  body: { validator: ID, commission: share },
});
const delegate = (amount: bigint): TaggedBody => ({ tag: 103, body: { validator: ID, amount } });
const evidence = (offence: Offence, key = KEY): TaggedBody => ({
  tag: 107,
  body: { key, offence },
});

type Pair = Extract<Offence, { kind: "votes" | "confirms" }>;
type Stopped = Extract<Offence, { kind: "stopped" }>;
type PulseVotes = Extract<Offence, { kind: "pulse_votes" }>;

const votes = onUnits("votes", [ONE, TWO]);
const stopped = { account: ID, sequence: 5n, named: null };
const stop = againstStop(ONE, stopped);
const pulses = pulseVotes();
const places = (first: Place, second: Place) => [first, second] as const;

/** The votes with something else of one of them. */
const withVotes = (change: Partial<Pair["body"]>): TaggedBody =>
  evidence({ kind: "votes", body: { ...votes.body, ...change } });
const withFirst = (change: Partial<Pair["body"]["first"]>): TaggedBody =>
  withVotes({ first: { ...votes.body.first, ...change } });
const withSecond = (change: Partial<Pair["body"]["first"]>): TaggedBody =>
  withVotes({ second: { ...votes.body.second, ...change } });
const withStop = (change: Partial<Stopped["body"]>): TaggedBody =>
  evidence({ kind: "stopped", body: { ...stop.body, ...change } });
const withPulses = (change: Partial<PulseVotes["body"]>): TaggedBody =>
  evidence({ kind: "pulse_votes", body: { ...pulses.body, ...change } });

/** Votes whose first stands at a place of a tree. */
const at = (index: number, count: number): TaggedBody =>
  withVotes({ first: shown(onUnit(1, ONE), { round: 7 }, index, count) });

/** Bodies that are fine. */
export function shapelyStakes(): readonly TaggedBody[] {
  return [
    register({}),
    register({ stake: MAX, commission: 10_000 }),
    ...[0, 10_000].map(commission),
    ...[1n, MAX].map(delegate),
    { tag: 102, body: { validator: ID } },
    { tag: 105, body: { delegation: ID } },
    ...[104, 106].flatMap((tag): TaggedBody[] => [
      { tag, body: { of: { kind: "delegation", body: { delegation: ID } } } },
      { tag, body: { of: { kind: "validator", body: { validator: ID } } } },
    ]),
    evidence(blocks()),
    evidence(blocks({ session: 3, round: 0 })),
    ...[votes, onUnits("confirms", [ONE, TWO]), stop, pulses].map((one) => evidence(one)),
    evidence(onUnits("votes", [ONE, TWO], places({ round: 8 }, { round: 8 }))),
    evidence(onUnits("votes", [ONE, TWO], places({ session: 9 }, { session: 9 }))),
    evidence(againstStop(ONE, { ...stopped, named: OTHER })),
    evidence(againstStop(ONE, stopped, places({ round: 0 }, { round: 1 }))),
    ...[[0, 1], [1, 2], [0, 3], [2, 3], [3, 4], [4, 5], [6, 7], [7, 8], [300, 1000]].map(
      ([index = 0, count = 0]) => at(index, count),
    ),
  ];
}

/** Bodies that are none. */
export function misshapenStakes(): readonly TaggedBody[] {
  const { path } = votes.body.first;
  const lone = shown(onUnit(1, ONE), { round: 7 }, 0, 1);
  const last = shown(onUnit(1, ONE), { round: 7 }, 2, 3);
  const twice = blocks({}, {});
  const first = signed();
  return [
    register({ key: NO_KEY }),
    register({ stake: 0n }),
    register({ commission: 10_001 }),
    register({ commission: 65_535 }),
    ...[10_001, 65_535].map(commission),
    delegate(0n),
    evidence(blocks(), NO_KEY),
    evidence(blocks({}, { session: 1, timeMs: 1n })),
    evidence(blocks({}, { round: 8, timeMs: 1n })),
    evidence(blocks({ round: 8 }, { timeMs: 1n })),
    evidence(twice),
    evidence({ kind: "blocks", body: { first, second: { ...first, signature: SIGNATURE } } }),
    ...(["votes", "confirms"] as const).flatMap((kind) => [
      evidence(onUnits(kind, [ONE, TWO], places({ round: 8 }, { round: 7 }))),
      evidence(onUnits(kind, [ONE, TWO], places({ session: 1 }, {}))),
      evidence(onUnits(kind, [ONE, ONE])),
    ]),
    evidence({ kind: "confirms", body: votes.body }),
    evidence({ kind: "votes", body: onUnits("confirms", [ONE, TWO]).body }),
    withVotes({ firstUnit: Uint8Array.of(3) }),
    withVotes({ secondUnit: Uint8Array.of(3) }),
    ...[withFirst, withSecond].flatMap((change) => [
      change({ index: 2 }),
      change({ index: 3 }),
      change({ count: 5 }),
      change({ count: 0, index: 0 }),
      change({ path: [] }),
      change({ path: [...path, OTHER] }),
      change({ path: [OTHER, ...path.slice(1)] }),
      change({ path: [...path].reverse() }),
    ]),
    withVotes({ first: { ...lone, path: [OTHER] } }),
    withVotes({ first: { ...lone, count: 3 } }),
    withVotes({ first: { ...lone, count: 0 } }),
    withVotes({ first: { ...last, index: 3 } }),
    withVotes({ first: { ...lone, index: 1 } }),
    evidence(againstStop(ONE, stopped, places({ round: 8 }, { round: 8 }))),
    evidence(againstStop(ONE, stopped, places({ round: 9 }, { round: 8 }))),
    evidence(againstStop(ONE, stopped, places({ session: 1 }, { round: 8 }))),
    evidence(againstStop(ONE, { ...stopped, named: unitId(ONE) })),
    withStop({ account: OTHER }),
    withStop({ sequence: 6n }),
    withStop({ named: OTHER }),
    withStop({ unit: TWO }),
    withStop({ confirm: shown(onUnit(1, ONE), { round: 8 }) }),
    withStop({ stop: shown(stopping({ ...stopped, named: OTHER })) }),
    evidence(pulseVotes([ID, ID])),
    evidence(pulseVotes([ID, OTHER], places({ session: 1 }, {}))),
    withPulses({ pulse: 3n }),
    withPulses({ firstHeader: OTHER }),
    withPulses({ secondHeader: OTHER }),
  ];
}
