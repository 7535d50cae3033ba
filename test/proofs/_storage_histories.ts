/** Random histories of storage deals: posted, accepted, proven well and badly, closed at any time. */
import fc from "fast-check";
import { decode } from "#internal/core/mod.ts";
import type { Action, Ordered } from "#internal/ledger/mod.ts";
import type { StorageDeal } from "../../internal/proofs/world/stack_b/objects.ts";
import { objectCodec } from "../../internal/proofs/world/stack_b/objects.ts";
import { accountOf, beaconOf, FUNDS, World } from "../ledger/_world.ts";
import type { KeptFile, ShownLeaf } from "./_storage.ts";
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

const ACTORS = ["alice", "bob", "carol", "dana"] as const;
const NOTHING = "11".repeat(32);
const FILES: readonly KeptFile[] = [fileOf(1), fileOf(4300), fileOf(11 * LEAF_BYTES)];

/** Numbers from which an action is chosen among what there is by then. */
interface Draw {
  readonly who: number;
  readonly what: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** A Pulse's worth of draws, and how many empty Pulses are before it. */
export interface DrawnDeals {
  readonly passed: number;
  readonly draws: readonly Draw[];
}

/** Long enough for deals to be over, and for three rounds to be missed. */
export const storageHistories: fc.Arbitrary<DrawnDeals[]> = fc.array(
  fc.record({
    passed: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 3, 5, 7, 8, 24, 60),
    draws: fc.array(
      fc.record({
        who: fc.nat(ACTORS.length - 1),
        what: fc.nat(19),
        a: fc.nat(60),
        b: fc.nat(60),
        c: fc.nat(60),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 1, maxLength: 24 },
);

function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}

/** A deal of the state with its id. */
interface Known {
  readonly id: string;
  readonly deal: StorageDeal | undefined;
}

/** A deal of the state, those not closed more often; now and then one of nothing. */
function someDeal(world: World, at: number): Known {
  const all = [...world.state.entries()].flatMap(([id]) => {
    const object = decode(objectCodec, world.state.bytes(id) ?? new Uint8Array());
    return object.kind === "storage_deal" ? [{ id, deal: object.body }] : [];
  });
  if (at % 17 === 0 || all.length === 0) return { id: NOTHING, deal: undefined };
  const running = all.filter(({ deal }) => deal.phase.kind !== "closed");
  return pick(at % 5 === 0 || running.length === 0 ? all : running, at);
}

/** Nothing, something, or more than anybody has. */
function collateralOf({ a, b, c }: Draw, isForAnybody: boolean): bigint {
  if (!isForAnybody && b % 4 === 0) return 0n;
  return a % 8 === 1 ? FUNDS : BigInt(1 + c % 7 * 100_000);
}

function postOf(world: World, one: Draw): Action {
  const { a, b, c } = one;
  const provider = a % 3 === 0 ? accountOf(pick(ACTORS, b)) : null;
  return post(pick(FILES, c), {
    provider,
    locator: provider !== null && c % 2 === 0 ? null : "https://example.com/a.bin",
    price: a % 13 === 0 ? FUNDS : BigInt(1 + b * 10_000),
    rounds: BigInt(1 + b % 6),
    length: BigInt(8 * (1 + a % 2)),
    challenges: 1 + c % 6,
    collateral: collateralOf(one, provider === null),
    acceptBy: world.pulse + BigInt(a % 24),
  });
}

/** The leaves asked for, or nearly; the round under way, or nearly. */
function proofOf(world: World, { id, deal }: Known, { a, b }: Draw): Action {
  const file = FILES.find(({ root }) => root === deal?.root);
  if (deal?.phase.kind !== "active" || !file) return prove(id, 1n, [pick(FILES, a).leaf(0)]);
  const { start } = deal.phase.body;
  const pulse = world.pulse + 1n;
  const now = pulse < start ? 1n : (pulse - start) / deal.length + 1n;
  const round = a % 11 === 0 ? now + 1n : now;
  const beacon = beaconOf(start + (round - 1n) * deal.length);
  const leaves = challengedLeaves({ file, deal: id, round, challenges: deal.challenges, beacon });
  return prove(id, round, b % 5 === 0 ? spoilt(leaves, b) : leaves);
}

function spoilt(leaves: readonly ShownLeaf[], how: number): readonly ShownLeaf[] {
  const [first, ...rest] = leaves as [ShownLeaf, ...ShownLeaf[]];
  const ways: readonly (readonly ShownLeaf[])[] = [
    rest.length > 0 ? rest : [first, first],
    leaves.toReversed(),
    [...leaves, first],
    [{ ...first, data: first.data.map((byte) => byte ^ 1) }, ...rest],
    [{ ...first, path: [...first.path, NOTHING] }, ...rest],
  ];
  return pick(ways, how / 5);
}

function actionOf(world: World, one: Draw): { action: Action; may: string | undefined } {
  const { what, a, b, c } = one;
  if (what <= 3) return { action: postOf(world, one), may: undefined };
  const known = someDeal(world, a);
  const { id, deal } = known;
  const provider = deal?.provider ?? undefined;
  if (what <= 8) {
    const asked = deal?.collateral ?? 100n;
    return { action: accept(id, b % 9 === 0 ? asked + 1n : asked), may: provider };
  }
  if (what <= 15) return { action: proofOf(world, known, one), may: provider };
  return { action: close(id), may: c % 2 === 0 ? provider : deal?.client };
}

/** A Pulse's units, one or two members each; actors are mostly who may do it. */
export function storageOrderedOf(world: World, { passed, draws }: DrawnDeals): Ordered[] {
  const next = world.pulse + BigInt(passed);
  for (let kept = startOf(world.pulse); kept <= next; kept += 8n) {
    world.pulse = kept - 1n;
    world.execute([]);
  }
  world.pulse = next;
  const ahead = new Map<string, number>();
  return draws.map((one): Ordered => {
    const { action, may } = actionOf(world, one);
    const other = ACTORS.find((each) => accountOf(each) === may);
    const name = one.c % 7 === 0 ? pick(ACTORS, one.who) : other ?? pick(ACTORS, one.who);
    const second = { ...one, what: (one.what + one.c) % 20, a: one.a + 1 };
    const actions = [action, ...one.b % 4 === 0 ? [actionOf(world, second).action] : []];
    const taken = ahead.get(name) ?? 0;
    ahead.set(name, taken + actions.length);
    const signed = world.unit(name, actions, { ahead: taken });
    return { type: "unit", signed, forced: false };
  });
}

/** A world in which alice has posted deals, of which bob accepted one. */
export function keepingWorld(shards: number): World {
  const world = new World({ shards });
  const deal = world.make("alice", post(FILES[1] as KeptFile));
  world.make("bob", accept(deal));
  world.make("alice", post(FILES[2] as KeptFile, { provider: accountOf("carol") }));
  return world;
}
