/** Small histories in which each rule of memory logs makes a difference. */
import type { Atom, MemoryNode } from "#internal/memory/mod.ts";
import { helperOf, resume, revoke, robotOf, suspend } from "../ledger/_agents.ts";
import { commit, growing, openLog, SOME_ATOMS } from "../ledger/_memory.ts";
import { accountOf, payTo, World } from "../ledger/_world.ts";
import { atomOf } from "../memory/_atoms.ts";
import type { Does, Execute } from "./_story.ts";

/** By their UTF-8 the first stands before the second, by JavaScript's comparison after it. */
export const WIDE: string = "\uff21";
export const ASTRAL: string = "\u{1f4e6}";
export const MAX_ATOMS: bigint = 2n ** 40n;
type Hull = MemoryNode["bounds"][number];

/** Runs all stories of memory logs. */
export function tellOfMemory(execute: Execute): void {
  const does: Does = (world, name, action, advanceMs = 1000n) =>
    execute(world, [world.unit(name, [action])], advanceMs);
  for (const story of [ofHeads, ofBounds, ofAgents]) story(does);
  ofOrder(execute);
}

function ofHeads(does: Does): void {
  const world = new World();
  does(world, "alice", openLog());
  const log = world.make("alice", openLog());
  const grow = growing(log, SOME_ATOMS);
  const other = growing(log, SOME_ATOMS.map((atom) => ({ ...atom, confidence: 7 })));
  does(world, "alice", commit(grow(0, 1)));
  does(world, "bob", commit(grow(1, 2)));
  does(world, "alice", commit({ ...grow(1, 2), log: "22".repeat(32) }));
  does(world, "alice", commit(other(1, 2)));
  does(world, "alice", commit({ ...grow(1, 3), to: other(1, 3).to }));
  does(world, "alice", commit({ ...grow(2, 4), from: { ...grow(1, 4).from, size: 2n } }));
  does(world, "alice", commit({ ...other(1, 4), from: grow(1, 4).from, to: grow(1, 4).to }));
  // What the older head says is not so of a proof that leads to the newer one.
  does(world, "alice", commit({ ...other(1, 4), from: grow(1, 4).from }));
  for (const at of [0, 1, 2]) {
    const body = grow(1, 4);
    does(world, "alice", commit({ ...body, proof: widened(body.proof, at) }));
  }
  for (const [from, to] of [[1, 4], [4, 5], [5, 6], [6, 7], [7, 11]] as const) {
    does(world, "alice", commit(grow(from, to)));
  }
  does(world, "alice", commit(grow(11, 12, true)));
  does(world, "alice", commit(grow(12, 12, true)));
  const empty = world.make("alice", openLog());
  does(world, "alice", commit(growing(empty, SOME_ATOMS)(0, 0, true)));
  does(world, "alice", commit(growing(empty, SOME_ATOMS)(0, 1)));
  const full = world.make("alice", openLog());
  const whole = { ...growing(full, SOME_ATOMS)(0, 1), proof: [] };
  does(world, "alice", commit({ ...whole, to: { ...whole.to, size: MAX_ATOMS } }));
}

/** The proof with other bounds of one of its nodes. */
function widened(proof: readonly MemoryNode[], at: number): readonly MemoryNode[] {
  const wide = (hull: Hull): Hull => ({
    ...hull,
    max: [9n, 9n, 9n, 9n].map(() => 9n ** 9n) as never,
  });
  return proof.map((node, i) => i === at ? { ...node, bounds: node.bounds.map(wide) } : node);
}

/** Atoms here and there in as many frames as are named, one after another. */
export function scattered(frames: readonly (string | null)[]): Atom[] {
  return frames.map((frame, n) => {
    const from = BigInt((n * 5) % 7) * 100n;
    const time = { from, until: from + 10n + BigInt((n * 3) % 4), subject: `s${n}` };
    if (frame === null) return atomOf(time);
    const at = [n * 3 % 5, n * 2 % 7, n * 4 % 9].map((far) => BigInt(far * 40)) as unknown;
    return atomOf({ ...time, frame, at: at as readonly [bigint, bigint, bigint] });
  });
}

/** One hull a frame, four frames, five, and none; what is joined on either side; the order of frames. */
const SCATTERED: readonly (readonly (string | null)[])[] = [
  ["a", "a", "a", "a", "a", "a", "a", "a", "a", "a"],
  ["c", "a", "d", "b", "a", "c", "b", "d"],
  [ASTRAL, WIDE, "z", ASTRAL, WIDE, "é"],
  [null, "b", null, null, "a", null, null],
  ["a", "b", "c", "d", "e", null, null, null, "a", "f", "c"],
];

function ofBounds(does: Does): void {
  const world = new World();
  for (const frames of SCATTERED) {
    const log = world.make("alice", openLog());
    const grow = growing(log, scattered(frames));
    does(world, "alice", commit(grow(0, 1)));
    const end = frames.length;
    const steps = [1, 2, 3, 5, end - 1, end];
    for (const [at, to] of steps.slice(1).entries()) {
      if (to > (steps[at] as number)) does(world, "alice", commit(grow(steps[at] as number, to)));
    }
  }
}

function ofAgents(does: Does): void {
  const world = new World();
  const first = robotOf(world);
  const robot = first.agent;
  const helper = helperOf(world, first).agent;
  for (const by of ["alice", "helper"]) does(world, by, openLog(robot));
  does(world, "alice", openLog("33".repeat(32)));
  does(world, "helper", openLog(helper));
  const log = world.make("helper", openLog(helper));
  const own = world.make("helper", openLog());
  const grow = growing(log, SOME_ATOMS, helper);
  does(world, "helper", commit(grow(0, 3)));
  does(world, "robot", commit(grow(3, 5)));
  does(world, "robot", commit({ ...grow(3, 5), agent: robot }));
  does(world, "helper", commit({ ...grow(3, 5), agent: null }));
  does(world, "helper", commit({ ...grow(3, 5), agent: "33".repeat(32) }));
  does(world, "helper", commit(growing(own, SOME_ATOMS, helper)(0, 5)));
  does(world, "helper", commit({ ...grow(3, 5), log: robot }));
  does(world, "alice", suspend(robot));
  does(world, "helper", commit(grow(3, 5)));
  does(world, "helper", openLog(helper));
  does(world, "helper", commit(growing(own, SOME_ATOMS)(0, 5)));
  does(world, "alice", resume(robot));
  does(world, "helper", commit(grow(3, 5, true)));
  does(world, "alice", revoke(helper));
  does(world, "helper", openLog(helper));
}

/** What waits for what is shared is executed after it, in the order of the Pulse. */
function ofOrder(execute: Execute): void {
  const world = new World({ shards: 3 });
  const { agent } = robotOf(world);
  const log = world.make("robot", openLog(agent));
  const own = world.make("robot", openLog());
  const grow = growing(log, SOME_ATOMS, agent);
  const growOwn = growing(own, SOME_ATOMS);
  execute(world, [
    world.unit("alice", [suspend(agent)]),
    world.unit("robot", [commit(growOwn(0, 2)), payTo([accountOf("bob"), 1n])]),
    world.unit("robot", [commit(grow(0, 2))], { ahead: 2 }),
    world.unit("robot", [commit(growOwn(2, 3))], { ahead: 3 }),
  ], 1000n);
  execute(world, [
    world.unit("alice", [resume(agent)]),
    world.unit("robot", [openLog(agent), commit(grow(0, 2)), openLog()]),
  ], 1000n);
  execute(world, [
    world.unit("alice", [suspend(agent)]),
    world.unit("robot", [openLog(agent)]),
  ], 1000n);
}
