/**
 * For each transaction kind a small world in which it succeeds, and one in which it fails: what the
 * contract suite runs and what the vector files are made of.
 */
import type { Action, SignedUnit } from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  narrow,
  placeOf,
  reclaim,
  register,
  resume,
  revoke,
  revokeCharter,
  robotOf,
  spawn,
  suspend,
} from "./_agents.ts";
import { idOf, rotate, validatorWorld } from "./_validators.ts";
import {
  adjudicate,
  backedClaim,
  claimAtom,
  dispute,
  issue,
  post,
  release,
  reserve,
  revokeClaim,
  topUp,
} from "./_claims.ts";
import { commit, growing, openLog, SOME_ATOMS } from "./_memory.ts";
import {
  claimEarned,
  claimRewards,
  delegate,
  earningWorld,
  leave,
  onTwoUnits,
  passTo,
  registerValidator,
  setCommission,
  showing,
  stakeWorld,
  undelegate,
  withdraw,
  withdrawOwn,
} from "./_staking.ts";
import { accept, close, dealOfBob, postDeal, prove } from "./_storage.ts";
import { attest, postTask, refund, resultOf, settle, taskWorld } from "./_tasks.ts";
import { accountOf, payMemo, payTo, usd, World } from "./_world.ts";

/** A transaction that is ready to run. */
export interface Scenario {
  readonly world: World;
  /** Who signs. */
  readonly by: string;
  readonly succeeds: Action;
  /** One that fails when it executes. */
  readonly fails: Action;
}

const bob = accountOf("bob");
const carol = accountOf("carol");
const NOBODY = "11".repeat(32);
const MEMO = "5a".repeat(32);

function of(world: World, by: string, succeeds: Action, fails: Action): Scenario {
  return { world, by, succeeds, fails };
}

/** By the kind's name. Each call makes a world of its own; all of it is the same every time. */
export const scenarios: { readonly [kind: string]: () => Scenario } = {
  pay: () => of(new World(), "alice", payTo([bob, usd(1.5)], [carol, 1n]), payTo([bob, usd(1e6)])),
  faucet: () => {
    const give = (amount: bigint): Action => ({ kind: "faucet", body: { account: bob, amount } });
    const world = new World({ accounts: [[accountOf("alice"), 2n ** 64n - 1n - usd(20)]] });
    return of(world, "alice", give(usd(10)), give(usd(30)));
  },
  pay_memo: () =>
    of(new World(), "alice", payMemo(bob, usd(1.5), MEMO), payMemo(bob, usd(1e6), MEMO)),
  agent_register: () => of(new World(), "alice", register("robot"), register("robot", NOBODY)),
  agent_suspend: () => {
    const world = new World();
    const { agent } = robotOf(world);
    return of(world, "alice", suspend(agent), suspend(NOBODY));
  },
  agent_resume: () => {
    const world = new World();
    const { agent } = robotOf(world);
    world.make("alice", suspend(agent));
    return of(world, "alice", resume(agent), resume(NOBODY));
  },
  agent_revoke: () => {
    const world = new World();
    const { agent } = robotOf(world);
    return of(world, "alice", revoke(agent), revoke(NOBODY));
  },
  spawn_agents: () => {
    const world = new World();
    const place = placeOf(robotOf(world));
    const pair = (amount: number) => [
      { name: "fetch", amount: usd(amount), caveats: { payees: [bob], maxPayment: usd(1) } },
      { name: "helper", account: accountOf("helper") },
      { name: "clean", amount: usd(60) },
    ];
    return of(world, "robot", spawn(place, pair(40)), spawn(place, pair(41)));
  },
  charter_create: () => {
    const world = new World();
    const agent = world.make("alice", register("robot"));
    const caveats = {
      payees: [bob, carol],
      maxPayment: usd(5),
      bucket: { capacity: usd(100), refill: usd(10), periodMs: 86_400_000n },
      expires: 900n,
      receipts: true,
    };
    return of(world, "alice", charter(agent, caveats), charter(NOBODY, caveats));
  },
  charter_narrow: () => {
    const world = new World();
    const robot = robotOf(world, { payees: [bob, carol] });
    const added = { payees: [bob], maxPayment: usd(2) };
    return of(world, "alice", narrow(robot.charter, added), narrow(NOBODY, added));
  },
  charter_revoke: () => {
    const world = new World();
    const robot = robotOf(world);
    return of(world, "alice", revokeCharter(robot.charter), revokeCharter(NOBODY));
  },
  allotment_fund: () => {
    const world = new World();
    const robot = robotOf(world);
    return of(world, "alice", fund(robot.charter, usd(7)), fund(robot.charter, usd(1e6)));
  },
  allotment_reclaim: () => {
    const world = new World();
    const robot = robotOf(world);
    return of(world, "alice", reclaim(robot.allotment), reclaim(robot.allotment, usd(101)));
  },
  agent_pay: () => {
    const world = new World();
    const robot = robotOf(world, { payees: [carol] });
    const helper = helperOf(world, robot, { receipts: true });
    const named = { session: "df7de21c12ac158b", call: "call_1" };
    return of(world, "helper", agentPay(helper, carol, usd(0.2), named), agentPay(helper, bob, 1n));
  },
  rotate_key: () => {
    const [world, mine] = [validatorWorld(), idOf(0)];
    return of(world, "alice", rotate(mine, 10), rotate(mine, 1));
  },
  bond_post: () => {
    const world = new World();
    world.make("alice", post("other", usd(1)));
    return of(world, "alice", post("tests", usd(100)), post("other", usd(1)));
  },
  bond_top_up: () => {
    const world = new World();
    world.make("alice", post("tests", usd(100)));
    return of(world, "alice", topUp("tests", usd(5)), topUp("other", usd(5)));
  },
  bond_release: () => {
    const world = new World();
    world.make("alice", post("tests", usd(100)));
    return of(world, "alice", release("tests", usd(30)), release("tests", null));
  },
  bond_reserve: () => {
    const world = new World();
    const claim = backedClaim(world);
    return of(world, "alice", reserve(claim, bob, usd(40)), reserve(claim, bob, usd(101)));
  },
  claim_issue: () => of(new World(), "alice", issue(), issue({ formula: claimAtom(NOBODY) })),
  claim_revoke: () => {
    const world = new World();
    return of(world, "alice", revokeClaim(backedClaim(world)), revokeClaim(NOBODY));
  },
  claim_dispute: () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(40)));
    return of(world, "bob", dispute(claim, "it was never paid"), dispute(NOBODY));
  },
  claim_adjudicate: () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(40)));
    return of(world, "carol", adjudicate(claim, true), adjudicate(claim, false));
  },
  task_post: () => {
    const world = new World();
    const robot = robotOf(world, { payees: [bob], receipts: true });
    const budget = { charter: robot.charter, allotment: robot.allotment };
    const claim = world.make("alice", issue());
    const rule = { requires: [claim] };
    const spec = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    return of(
      world,
      "robot",
      postTask({ budget, spec }, rule),
      postTask({ budget, worker: carol }, rule),
    );
  },
  task_settle: () => {
    const world = new World();
    const task = taskWorld(world, {}, usd(4));
    const attested = world.make("dana", attest("dana", task));
    const result = world.make("bob", resultOf("bob", task, [attested]));
    return of(world, "bob", settle(task, result, [attested]), settle(task, result));
  },
  task_refund: () => {
    const world = new World();
    const [over, open] = [1n, 2n].map((pulses) => world.make("alice", postTask({ pulses })));
    return of(world, "alice", refund(over ?? ""), refund(open ?? ""));
  },
  storage_post: () => {
    const world = new World();
    return of(world, "alice", postDeal(), postDeal({ acceptBy: 0n }));
  },
  storage_accept: () => {
    const world = new World();
    const deal = world.make("alice", postDeal());
    return of(world, "bob", accept(deal), accept(NOBODY));
  },
  storage_prove: () => {
    const world = new World();
    const deal = dealOfBob(world);
    world.passTo(10n);
    return of(world, "bob", prove(deal, 1n), prove(deal, 2n));
  },
  storage_close: () => {
    const world = new World();
    const deal = dealOfBob(world);
    for (const round of [1n, 3n]) {
      world.passTo(8n + 16n * (round - 1n));
      world.make("bob", prove(deal, round));
    }
    world.passTo(8n + 16n * 4n - 1n);
    return of(world, "bob", close(deal), close(NOBODY));
  },
  memory_open: () => {
    const world = new World();
    robotOf(world);
    return of(world, "alice", openLog(), openLog(NOBODY));
  },
  memory_commit: () => {
    const world = new World();
    const log = world.make("alice", openLog());
    const grow = growing(log, SOME_ATOMS);
    world.make("alice", commit(grow(0, 3)));
    return of(world, "alice", commit(grow(3, 7)), commit(grow(2, 7)));
  },
  stake_register: () => {
    const world = stakeWorld();
    return of(world, "alice", registerValidator(10, { commission: 500 }), registerValidator(1));
  },
  stake_commission: () => of(stakeWorld(), "alice", setCommission(250), setCommission(1, idOf(1))),
  stake_leave: () => of(stakeWorld(), "alice", leave(), leave(idOf(1))),
  stake_delegate: () => of(stakeWorld(), "alice", delegate(usd(5000)), delegate(usd(0.5))),
  stake_claim: () => {
    const { world, delegation } = earningWorld();
    return of(world, "bob", claimRewards(delegation), claimEarned());
  },
  stake_undelegate: () => {
    const { world, delegation } = earningWorld();
    return of(world, "bob", undelegate(delegation), undelegate(NOBODY));
  },
  stake_withdraw: () => {
    const { world, delegation } = earningWorld();
    world.make("bob", undelegate(delegation));
    passTo(world, 1030n);
    return of(world, "bob", withdraw(delegation), withdrawOwn(idOf(1)));
  },
  evidence: () => {
    const { world } = earningWorld();
    const rivals = [1n, 2n].map((n) => world.unit("alice", [payTo([bob, n])]));
    const two = rivals as [SignedUnit, SignedUnit];
    const apart: typeof two = [two[0], world.unit("alice", [payTo([bob, 1n])], { ahead: 1 })];
    return of(
      world,
      "carol",
      showing(onTwoUnits(world, "votes", two)),
      showing(onTwoUnits(world, "votes", apart)),
    );
  },
};
