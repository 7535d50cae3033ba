/** Small histories in which each rule of storage deals makes a difference, right at its bound. */
import type { Action } from "#internal/ledger/mod.ts";
import { robotOf } from "../ledger/_agents.ts";
import { accountOf, beaconOf, FUNDS, payTo, World } from "../ledger/_world.ts";
import type { KeptFile, ShownLeaf, Terms } from "./_storage.ts";
import {
  accept,
  challengedLeaves,
  close,
  fileOf,
  LEAF_BYTES,
  post,
  prove,
  startOf,
} from "./_storage.ts";
import type { Does, Execute } from "./_story.ts";

const bob = accountOf("bob");
const NOTHING = "33".repeat(32);
/** Five leaves, the last of them short. */
const FIVE = fileOf(4300);

/** Runs all stories of storage deals. */
export function tellOfStorage(execute: Execute): void {
  const does: Does = (world, name, action, advanceMs = 1000n) =>
    execute(world, [world.unit(name, [action])], advanceMs);
  for (const story of [ofOffers, ofAcceptance, ofClosedOffers]) story(does);
  const stories = [ofRounds, ofProofs, ofAbandonment, ofEnds, ofFiles, ofBeacons, ofLongRounds];
  for (const story of stories) story(execute, does);
  ofOrder(execute);
}

/** A deal under way, with bob as its provider. */
interface Running {
  readonly world: World;
  readonly file: KeptFile;
  readonly deal: string;
  readonly terms: Terms;
  readonly start: bigint;
}

/** Posts a deal for alice in a world of its own, and has somebody accept it. */
function running(file: KeptFile, more: Partial<Terms> = {}, by = "bob"): Running {
  const world = new World();
  const action = post(file, more);
  const terms = action.body as Terms;
  const deal = world.make("alice", action);
  world.make(by, accept(deal, terms.collateral));
  return { world, file, deal, terms, start: startOf(world.pulse) };
}

/** The leaves that a round asks for. */
function asked({ file, deal, terms, start }: Running, round: bigint): ShownLeaf[] {
  const beacon = beaconOf(start + (round - 1n) * terms.length);
  return challengedLeaves({ file, deal, round, challenges: terms.challenges, beacon });
}

/** The proof of a round. */
function proofOf(of: Running, round: bigint): Action {
  return prove(of.deal, round, asked(of, round));
}

/** Lets Pulses pass, of which those are executed that keep a beacon: the next is the one given. */
function until(execute: Execute, world: World, next: bigint): void {
  for (let kept = startOf(world.pulse); kept < next; kept += 8n) {
    world.pulse = kept - 1n;
    execute(world, [], 1000n);
  }
  world.pulse = next - 1n;
}

function ofOffers(does: Does): void {
  const world = new World();
  const posts = (terms: Partial<Terms>, file = FIVE): void =>
    does(world, "alice", post(file, terms));
  posts({ acceptBy: world.pulse + 1n });
  posts({ acceptBy: world.pulse });
  posts({ acceptBy: 0n, price: FUNDS });
  posts({ price: FUNDS });
  posts({ provider: bob, locator: null, collateral: 0n, price: 7n });
  posts({ provider: bob, locator: "file:///a", acceptBy: 2n ** 64n - 1n });
  posts({ challenges: 16, rounds: 1_000_000n, length: 100_000n, price: 1n }, fileOf(2048));
  posts({ challenges: 1, rounds: 1n, collateral: 2n ** 64n - 1n }, fileOf(1));
  const left = world.balance(accountOf("alice")) - 1200n;
  posts({ price: left + 1n, rounds: 1n });
  posts({ price: left - 1100n, rounds: 1n });
  posts({ price: 1n });
}

function ofAcceptance(does: Does): void {
  const world = new World();
  const { agent } = robotOf(world);
  for (const id of [NOTHING, agent]) does(world, "bob", accept(id));
  const own = world.make("alice", post(FIVE, { provider: bob, locator: null, collateral: 0n }));
  for (const by of ["carol", "alice"]) does(world, by, accept(own, 0n));
  does(world, "bob", accept(own, 1n));
  does(world, "bob", accept(own, 0n));
  for (const by of ["bob", "carol"]) does(world, by, accept(own, 7n));
  const late = world.make("alice", post(FIVE, { acceptBy: world.pulse + 4n, collateral: 1500n }));
  does(world, "bob", accept(late, 1499n));
  does(world, "carol", accept(late, 1501n));
  does(world, "bob", accept(late, 1500n));
  const later = world.make("alice", post(FIVE, { acceptBy: world.pulse + 2n, provider: bob }));
  does(world, "carol", accept(later, 1n));
  for (let i = 0; i < 2; i++) does(world, "bob", accept(later, 1n));
  does(world, "carol", accept(later, 1n));
  const dear = world.make("alice", post(FIVE, { collateral: FUNDS + 1n }));
  does(world, "carol", accept(dear, FUNDS + 1n));
  for (const pulse of [31n, 32n, 33n, 39n]) {
    const deal = world.make("alice", post(FIVE));
    world.pulse = pulse - 1n;
    does(world, "dana", accept(deal));
  }
  const self = world.make("alice", post(FIVE));
  does(world, "alice", accept(self));
}

function ofClosedOffers(does: Does): void {
  const world = new World();
  const deal = world.make("alice", post(FIVE, { acceptBy: 20n }));
  for (const id of [NOTHING, deal]) does(world, "bob", close(id));
  for (const id of [NOTHING, deal]) does(world, "bob", prove(id, 1n, [FIVE.leaf(0)]));
  const meant = world.make("alice", post(FIVE, { provider: bob }));
  for (const id of [deal, meant]) {
    does(world, "bob", close(id));
    does(world, "alice", close(id));
    for (const by of ["alice", "bob", "carol"]) does(world, by, close(id));
    for (const by of ["bob", "carol"]) does(world, by, accept(id));
    for (const by of ["bob", "carol"]) does(world, by, prove(id, 1n, [FIVE.leaf(0)]));
    world.pulse = 30n;
  }
}

function ofRounds(execute: Execute, does: Does): void {
  const deal = running(FIVE);
  const { world, start } = deal;
  const proves = (round: bigint, by = "bob", of = round): void =>
    does(world, by, prove(deal.deal, round, asked(deal, of)));
  for (const round of [1n, 6n]) proves(round);
  until(execute, world, start);
  for (const round of [1n, 2n]) proves(round);
  for (const by of ["alice", "carol"]) proves(1n, by);
  for (const round of [1n, 1n, 2n]) proves(round);
  proves(1n, "bob", 2n);
  until(execute, world, start + 8n);
  for (const round of [1n, 2n, 1n, 3n]) proves(round);
  world.pulse = start + 14n;
  proves(2n);
  until(execute, world, start + 24n);
  for (const round of [3n, 4n, 4n]) proves(round);
  for (const by of ["carol", "bob", "alice"]) does(world, by, close(deal.deal));
  until(execute, world, start + 39n);
  does(world, "bob", close(deal.deal));
  proves(6n);
  for (const round of [5n, 6n]) proves(round);
  for (const by of ["carol", "bob", "alice", "carol"]) does(world, by, close(deal.deal));
  proves(6n);
}

/** Proofs that are not quite those asked for. */
function ofProofs(execute: Execute, does: Does): void {
  const deal = running(fileOf(13 * LEAF_BYTES - 5), { challenges: 16, length: 800n });
  const { world, start } = deal;
  until(execute, world, start + 1n);
  const leaves = asked(deal, 1n);
  const [first, ...rest] = leaves as [ShownLeaf, ...ShownLeaf[]];
  const instead = (leaf: ShownLeaf): void =>
    does(world, "bob", prove(deal.deal, 1n, [leaf, ...rest]));
  const proves = (all: readonly ShownLeaf[]): void => does(world, "bob", prove(deal.deal, 1n, all));
  for (const all of [rest, leaves.slice(0, -1), [...leaves, first], leaves.toReversed()]) {
    proves(all);
  }
  const [lowest, ...higher] = first.path as [string, ...string[]];
  instead({ ...first, data: first.data.map((byte) => byte + 1) });
  instead({ ...first, data: first.data.slice(1) });
  for (const path of [higher, [...first.path, lowest], [lowest, ...first.path], []]) {
    instead({ ...first, path });
  }
  instead({ ...first, path: first.path.toReversed() });
  instead(rest[0] as ShownLeaf);
  proves(leaves);
}

/** Of six rounds the first is proven, and then none for three. */
function abandoned(execute: Execute, does: Does): Running {
  const deal = running(FIVE, { rounds: 6n, length: 16n, collateral: 100n });
  const { world, start } = deal;
  until(execute, world, start + 1n);
  does(world, "bob", proofOf(deal, 1n));
  until(execute, world, start + 4n * 16n - 2n);
  for (const by of ["alice", "bob"]) does(world, by, close(deal.deal));
  return deal;
}

function ofAbandonment(execute: Execute, does: Does): void {
  const closed = abandoned(execute, does);
  for (const by of ["bob", "carol", "alice", "alice"]) does(closed.world, by, close(closed.deal));
  const resumed = abandoned(execute, does);
  const { world, start } = resumed;
  until(execute, world, start + 65n);
  does(world, "bob", proofOf(resumed, 5n));
  does(world, "alice", close(resumed.deal));
  until(execute, world, start + 96n);
  does(world, "alice", close(resumed.deal));
  const both = abandoned(execute, does);
  until(execute, both.world, both.start + 65n);
  execute(both.world, [
    both.world.unit("alice", [close(both.deal)]),
    both.world.unit("bob", [proofOf(both, 5n)]),
  ], 1000n);
}

/** Deals that are over, by what was proven of them, with whoever closes them and when. */
function ofEnds(execute: Execute, does: Does): void {
  const ended = (proven: readonly bigint[], by: string, more: Partial<Terms> = {}): void => {
    const deal = running(FIVE, more, by === "dana" ? "alice" : "bob");
    const { world, start, terms } = deal;
    for (const round of proven) {
      until(execute, world, start + (round - 1n) * 8n + 1n);
      does(world, by === "dana" ? "alice" : "bob", proofOf(deal, round));
    }
    until(execute, world, start + 8n * terms.rounds + (by === "carol" ? 80n : 0n));
    if (by === "dana") does(world, "bob", close(deal.deal));
    does(world, by === "dana" ? "alice" : by === "carol" ? "bob" : by, close(deal.deal));
  };
  ended([1n, 2n, 3n, 4n, 5n], "bob");
  ended([1n, 2n, 3n], "carol", { collateral: 101n });
  ended([1n, 2n], "bob");
  ended([5n], "alice", { collateral: 7n });
  ended([], "alice");
  ended([3n], "bob", { rounds: 3n, collateral: 100n });
  ended([1n], "carol", { rounds: 3n, collateral: 100n });
  ended([], "bob", { rounds: 2n });
  ended([], "bob", { rounds: 3n });
  ended([1n, 4n], "dana");
  ended([2n], "alice", { provider: bob, collateral: 0n });
}

/** Files of every shape, and roots over leaves of other lengths than the size asks for. */
function ofFiles(execute: Execute, does: Does): void {
  const files = [
    fileOf(1),
    fileOf(1024),
    fileOf(1025),
    fileOf(2048),
    fileOf(7 * LEAF_BYTES + 1),
    fileOf(2 ** 50, { zeros: true }),
    fileOf(2 ** 50 - 1, { zeros: true }),
    fileOf(2 ** 49 + 5000, { zeros: true }),
    fileOf(2000, { lengths: { 1: 977 } }),
    fileOf(2000, { lengths: { 1: 1024 } }),
    fileOf(2000, { lengths: { 1: 975 } }),
    fileOf(3000, { lengths: { 0: 1023 } }),
    fileOf(500, { lengths: { 0: 1024 } }),
  ];
  for (const file of files) {
    const deal = running(file, { challenges: 16 });
    const { world, start } = deal;
    for (const round of [1n, 2n]) {
      until(execute, world, start + (round - 1n) * 8n + 1n);
      does(world, "bob", proofOf(deal, round));
    }
  }
}

/** A slot holds the beacon of 100,000 Pulses ago until its own Pulse has executed. */
function ofBeacons(execute: Execute, does: Does): void {
  const world = new World();
  until(execute, world, 17n);
  const file = fileOf(1);
  const id = world.make("alice", post(file, { acceptBy: 200_000n }));
  world.pulse = 100_007n;
  does(world, "bob", accept(id));
  const terms = post(file).body as Terms;
  const deal: Running = { world, file, deal: id, terms, start: 100_016n };
  until(execute, world, 100_016n);
  for (let i = 0; i < 2; i++) does(world, "bob", proofOf(deal, 1n));
  // The second round's first Pulse keeps none in a history that leaves it out.
  world.pulse = 100_025n;
  does(world, "bob", proofOf(deal, 2n));
  for (const pulse of [99_992n, 100_000n, 800_000n, 2n ** 40n, 2n ** 63n]) {
    world.pulse = pulse - 1n;
    for (let i = 0; i < 2; i++) execute(world, [], 1000n);
  }
}

/** The beacon of the longest round's first Pulse is there to its last. */
function ofLongRounds(execute: Execute, does: Does): void {
  const deal = running(FIVE, { length: 100_000n, rounds: 2n });
  const { world, start } = deal;
  until(execute, world, start + 1n);
  world.pulse = start + 99_998n;
  does(world, "bob", proofOf(deal, 1n));
  does(world, "bob", proofOf(deal, 2n));
  does(world, "bob", proofOf(deal, 2n));
  does(world, "bob", close(deal.deal));
}

/** All of them wait for what is shared, and are executed in the order of the Pulse. */
function ofOrder(execute: Execute): void {
  const world = new World({ shards: 3 });
  const first = world.make("alice", post(FIVE));
  execute(world, [
    world.unit("bob", [accept(first), payTo([accountOf("carol"), 1n])]),
    world.unit("alice", [close(first), post(FIVE, { price: FUNDS }), post(FIVE)]),
    world.unit("carol", [accept(first)]),
  ], 1000n);
  const second = world.make("alice", post(FIVE));
  const other = world.make("alice", post(FIVE));
  execute(world, [
    world.unit("bob", [accept(other)]),
    world.unit("alice", [close(other)]),
  ], 1000n);
  execute(world, [
    world.unit("alice", [close(second), payTo([bob, 1n])]),
    world.unit("bob", [accept(second)]),
  ], 1000n);
  // A deal is there for those who come after it in its Pulse only.
  const { state, pulse, timeMs } = world;
  const posted = world.unit("alice", [post(FIVE)]);
  const third = world.execute([posted]).receipts[0]?.made[0] ?? "";
  for (const late of [true, false]) {
    Object.assign(world, { state, pulse, timeMs });
    const accepted = world.unit("bob", [accept(third)]);
    execute(world, late ? [posted, accepted] : [accepted, posted], 1000n);
  }
}
