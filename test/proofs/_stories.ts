/** Small histories in which each rule of the ledger makes a difference, right at its bound. */
import { idBytes } from "#internal/core/mod.ts";
import type { Action, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import type { Funded } from "../ledger/_agents.ts";
import {
  agentPay,
  charter,
  fund,
  narrow,
  reclaim,
  register,
  resume,
  revoke,
  revokeCharter,
  robotOf,
  suspend,
} from "../ledger/_agents.ts";
import { scenarios } from "../ledger/_scenarios.ts";
import { add, alter, idOf, rotate, validatorWorld } from "../ledger/_validators.ts";
import { accountOf, payMemo, payTo, usd, World } from "../ledger/_world.ts";
import { tellOfClaims } from "./_claim_stories.ts";
import { tellOfMemory } from "./_memory_stories.ts";
import { tellOfStaking } from "./_staking_stories.ts";
import { tellOfStorage } from "./_storage_stories.ts";
import type { Does, Execute } from "./_story.ts";
import { tellOfTasks } from "./_task_stories.ts";

const bob = accountOf("bob");
const carol = accountOf("carol");
const mint = (amount: bigint): Action => ({ kind: "faucet", body: { account: bob, amount } });
const keyless = (parent: string | null): Action => ({
  kind: "agent_register",
  body: { name: "ghost", parent, account: null },
});

/** Runs all stories. */
export function tell(execute: Execute): void {
  const does = (world: World, name: string, action: Action, advanceMs = 1000n): void =>
    execute(world, [world.unit(name, [action])], advanceMs);
  for (const make of Object.values(scenarios)) {
    for (const which of ["succeeds", "fails"] as const) {
      const { world, by, [which]: action } = make();
      does(world, by, action);
    }
  }
  const stories = [ofFees, ofBuckets, ofDepth, ofStanding, ofCharters, ofAllotments];
  for (const story of stories) story(does);
  ofOrder(execute);
  ofValidators(does, (world) => execute(world, [], 1000n, true));
  tellOfClaims(execute);
  tellOfMemory(execute);
  tellOfTasks(execute);
  tellOfStorage(execute);
  tellOfStaking(execute);
}

function ofFees(does: Does): void {
  does(new World({ faucet: false }), "alice", mint(1n));
  const world = new World();
  const robot = robotOf(world);
  does(world, "robot", agentPay(robot, bob, usd(100) + 1n));
  const rest = world.balance(accountOf("robot")) - 1100n - 1150n;
  does(world, "robot", payTo([bob, rest]));
  for (let i = 0; i < 3; i++) {
    does(world, "robot", agentPay(robot, bob, 1n, { session: "s", call: "c" }));
  }
}

function ofBuckets(does: Does): void {
  const world = new World();
  const bucket = { capacity: 10n, refill: 3n, periodMs: 7n };
  const robot = robotOf(world, { maxPayment: 10n, bucket, expires: world.pulse + 20n });
  const pays = (amount: bigint, ms: bigint): void =>
    does(world, "robot", agentPay(robot, bob, amount), ms);
  for (const amount of [10n, 1n, 2n, 3n, 11n]) pays(amount, 4n);
  pays(1n, 7n);
  for (const [amount, ms] of [[1n, 14n], [4n, 9n], [1n, 4n], [2n, 1n]] as const) pays(amount, ms);
  for (const amount of [8n, 4n, 2n, 1n]) pays(amount, 0n);
  const slower = { capacity: 9n, refill: 4n, periodMs: 11n };
  does(world, "alice", narrow(robot.charter, { bucket: slower }), 1n);
  does(world, "alice", narrow(robot.charter, { maxPayment: 9n }), 2n);
  does(world, "alice", narrow(robot.charter, { bucket: { ...slower, refill: 9n } }));
  const again = new World();
  const robots = robotOf(again, { bucket, expires: again.pulse + 6n });
  does(again, "alice", narrow(robots.charter, { bucket: { ...bucket, capacity: 4n } }));
  for (let i = 0; i < 4; i++) does(again, "robot", agentPay(robots, bob, 1n));
  const equal = { capacity: 3n, refill: 6n, periodMs: 14n };
  does(again, "alice", narrow(robots.charter, { bucket: equal }));
  const limited = robotOf(new World(), { maxPayment: 5n });
  const other = new World();
  const { charter: id } = robotOf(other, { payees: [bob, carol], receipts: true });
  does(other, "alice", narrow(id, { bucket, maxPayment: 4n, payees: [carol] }));
  does(other, "alice", narrow(id, { maxPayment: 7n, expires: 90n, receipts: true }));
  does(other, "robot", agentPay({ ...limited, charter: id }, carol, 1n));
}

function ofDepth(does: Does): void {
  const world = new World();
  const names = Array.from({ length: 9 }, (_, at) => `deep${at}`);
  world.make("alice", payTo(...names.map((name) => [accountOf(name), usd(1)] as const)));
  let parent = world.make("alice", register("deep0"));
  does(world, "alice", charter(parent, { expires: world.pulse + 1n }));
  does(world, "alice", charter(parent, { expires: world.pulse }));
  does(world, "alice", register("alice"));
  does(world, "deep0", register("deep0", parent));
  does(world, "bob", register("deep1", parent));
  does(world, "alice", keyless(null));
  for (let at = 1; at < 8; at++) {
    parent = world.make(`deep${at - 1}`, register(`deep${at}`, parent));
  }
  does(world, "deep7", register("deep8", parent));
}

/** robot, helper and third below each other under alice, with fee money. */
function threeBelow(world: World): [string, string, string] {
  const names = ["robot", "helper", "third"];
  world.make("alice", payTo(...names.map((name) => [accountOf(name), usd(1)] as const)));
  const robot = world.make("alice", register("robot"));
  const helper = world.make("robot", register("helper", robot));
  return [robot, helper, world.make("helper", register("third", helper))];
}

function ofStanding(does: Does): void {
  const world = new World();
  const [robot, helper, third] = threeBelow(world);
  does(world, "bob", suspend(helper));
  does(world, "helper", suspend(helper));
  for (const name of ["helper", "robot", "alice", "robot"]) does(world, name, suspend(third));
  for (const name of ["robot", "robot", "helper", "alice", "alice"]) {
    does(world, name, resume(third));
  }
  does(world, "alice", suspend(robot));
  for (const by of ["robot", "helper"]) does(world, by, suspend(third));
  does(world, "helper", register("robot", helper));
  does(world, "alice", resume(robot));
  does(world, "alice", suspend(helper));
  for (let i = 0; i < 2; i++) does(world, "alice", revoke(helper));
  does(world, "helper", revoke(third));
  for (const act of [suspend(helper), resume(helper), charter(third, {})]) {
    does(world, "alice", act);
  }
  does(world, "robot", revoke(helper));
}

function ofCharters(does: Does): void {
  const world = new World();
  const [robot, helper, third] = threeBelow(world);
  const second = world.make("alice", register("robot"));
  const bucket = { capacity: 12n, refill: 0n, periodMs: 1n };
  const top = world.make("alice", charter(robot, { bucket, receipts: true, payees: [bob] }));
  const other = world.make("alice", charter(second, {}));
  const money = world.make("alice", fund(top, usd(5)));
  does(world, "robot", charter(helper, {}, other));
  does(world, "robot", charter(helper, {}));
  does(world, "alice", charter(helper, {}, top));
  const middle = world.make("robot", charter(helper, { bucket }, top));
  const low = world.make("helper", charter(third, {}, middle));
  const moved = world.make("robot", fund(middle, 100n, { source: money }));
  const helpers: Funded = { agent: helper, charter: middle, allotment: moved };
  const thirds = {
    agent: third,
    charter: low,
    allotment: world.make("helper", fund(low, 50n, { source: moved })),
  };
  does(world, "helper", agentPay(helpers, bob, 3n));
  does(world, "third", agentPay(thirds, bob, 10n));
  does(world, "third", agentPay(thirds, bob, 6n));
  does(world, "third", agentPay(thirds, carol, 1n));
  for (const by of ["alice", "bob"]) does(world, by, agentPay(thirds, bob, 1n));
  does(world, "third", agentPay({ ...thirds, allotment: moved }, bob, 1n));
  does(world, "alice", suspend(robot));
  does(world, "third", agentPay(thirds, bob, 1n));
  does(world, "helper", charter(third, {}, middle));
  does(world, "alice", resume(robot));
  does(world, "bob", narrow(top, { maxPayment: 1n }));
  for (let i = 0; i < 2; i++) does(world, "alice", revokeCharter(top));
  does(world, "third", agentPay(thirds, bob, 1n));
  does(world, "alice", narrow(top, { maxPayment: 1n }));
  does(world, "robot", charter(helper, {}, top));
  does(world, "robot", fund(middle, 1n, { source: money }));
  does(world, "alice", fund(top, 1n));
}

function ofAllotments(does: Does): void {
  const world = new World();
  const [robot, helper, third] = threeBelow(world);
  const top = world.make("alice", charter(robot, {}));
  const middle = world.make("robot", charter(helper, {}, top));
  const low = world.make("helper", charter(third, {}, middle));
  const money = world.make("alice", fund(top, 1000n));
  const moved = world.make("robot", fund(middle, 500n, { source: money }));
  const own = world.make("robot", fund(middle, 70n));
  const deep = world.make("helper", fund(low, 60n));
  does(world, "alice", fund(middle, 5n, { allotment: own }));
  does(world, "robot", fund(middle, 5n, { allotment: own }));
  does(world, "robot", fund(middle, 5n, { allotment: moved }));
  does(world, "robot", fund(low, 5n, { allotment: own }));
  does(world, "robot", fund(middle, 501n, { source: money }));
  does(world, "robot", fund(middle, 500n, { source: money }));
  does(world, "alice", fund(middle, 1n, { source: money }));
  does(world, "helper", fund(low, 1n, { source: money }));
  does(world, "alice", fund(top, usd(20_000)));
  does(world, "helper", reclaim(own, 1n));
  does(world, "third", reclaim(deep, 1n));
  does(world, "alice", reclaim(own, 2n));
  does(world, "robot", reclaim(deep, 2n));
  does(world, "helper", reclaim(deep, 59n));
  does(world, "helper", reclaim(deep));
  does(world, "helper", reclaim(deep));
  does(world, "robot", reclaim(moved, 7n));
  const given = world.make("robot", fund(low, 9n));
  does(world, "helper", reclaim(given, 1n));
  does(world, "robot", reclaim(given, 1n));
  does(world, "alice", suspend(robot));
  does(world, "robot", reclaim(own));
}

function ofValidators(does: Does, closes: (world: World) => void): void {
  const world = validatorWorld();
  const [first, second] = [idOf(0), idOf(1)];
  for (const by of ["bob", "alice"]) does(world, by, rotate(first, 10));
  does(world, "alice", rotate(first, 11));
  for (const key of [10, 2, 12]) does(world, "bob", rotate(second, key));
  closes(world);
  for (const key of [0, 10, 13]) does(world, "alice", rotate(idOf(10), key));
  alter(world, idOf(2), { status: "left" });
  does(world, "carol", rotate(idOf(2), 14));
  closes(world);
  closes(world);
  const large = validatorWorld([5, 5, 5, 5]);
  add(large, Array.from({ length: 14 }, (_, at) => at === 0 ? 0n : usd(at === 13 ? 5 : 6)));
  closes(large);
  for (let at = 0; at < 18; at++) alter(large, idOf(at), { status: "left" });
  closes(large);
  const small = validatorWorld();
  add(small, [0n]);
  closes(small);
  closes(new World());
}

function ofOrder(execute: Execute): void {
  const world = new World({ shards: 3 });
  const slot = (name: string, ahead = 0n): Ordered => {
    const account = accountOf(name);
    return { type: "void", account, sequence: world.sequence(account) + ahead };
  };
  const [robot] = threeBelow(world);
  const id = world.make("alice", charter(robot, {}));
  const allotment = world.make("alice", fund(id, usd(5)));
  const paid = agentPay({ agent: robot, charter: id, allotment }, carol, 5n);
  const forced = (signed: SignedUnit): Ordered => ({ type: "unit", signed, forced: true });
  execute(world, [
    world.unit("alice", [mint(1n)]),
    world.unit("alice", [payTo([bob, 2n]), payTo([carol, 3n])], { ahead: 1 }),
    slot("alice", 3n),
    slot("nobody"),
    forced(world.unit("poor", [payTo([bob, 1n])])),
    forced(world.unit("bob", [payTo([carol, 1n]), payTo([carol, usd(99_999)])])),
  ], 1000n);
  execute(world, [
    world.unit("robot", [paid]),
    world.unit("alice", [suspend(robot), suspend(robot), payTo([carol, 1n])]),
    world.unit("robot", [paid, payTo([bob, 1n])], { ahead: 1 }),
  ], 1000n);
  execute(world, [world.unit("alice", [resume(robot)]), slot("robot")], 1000n);
  execute(world, [
    world.unit("alice", [mint(1n)]),
    world.unit("bob", [payMemo(carol, 1n, "0f".repeat(32))]),
  ], 1000n);
  const call = { session: "s", call: "c" };
  const named = agentPay({ agent: robot, charter: id, allotment }, carol, 5n, call);
  execute(world, [world.unit("robot", [named, named, named])], 1000n);
  const ghost = world.make("alice", keyless(null));
  const account = accountOf("alice", idBytes(ghost));
  world.make("alice", payTo([account, 1500n]));
  execute(world, [world.unit("alice", [payTo([bob, 400n])], { keyless: ghost })], 1000n);
  execute(world, [{ type: "void", account, sequence: 1n }], 1000n);
  const first = world.unit("alice", [payTo([bob, 1n])]);
  execute(world, [first, world.unit("alice", [suspend(robot)], { ahead: 1 })], 1000n);
}
