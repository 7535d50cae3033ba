import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action, Pool } from "#internal/ledger/mod.ts";
import {
  assetKind,
  bondedStake,
  delegationKind,
  rewardMarkId,
  rewardMarkKind,
  stakeOf,
  STAKING,
  stakingKind,
  USD,
  validatorKind,
  validatorSetOf,
} from "#internal/ledger/mod.ts";
import {
  claimEarned,
  claimRewards,
  delegate,
  endEpoch,
  leave,
  passTo,
  payFees,
  registerValidator,
  setCommission,
  showing,
  stakeWorld,
  twoBlocks,
  undelegate,
  withdraw,
  withdrawOwn,
} from "../_staking.ts";
import { idOf, nextCommittee, rotate, validatorWorld } from "../_validators.ts";
import type { World } from "../_world.ts";
import { accountOf, names, reasonOf, usd } from "../_world.ts";

const first = idOf(0);
const short = first.slice(0, 8);
const bob = accountOf("bob");
const poolOf = (world: World, id = first): Pool => {
  const validator = world.read(validatorKind, id);
  if (validator === undefined) throw new Error(`no validator ${id}`);
  return validator.pool;
};
const treasuryOf = (world: World): bigint => world.read(assetKind, USD)?.treasury ?? 0n;
const stakesOf = (world: World) => nextCommittee(world).map(({ stake }) => stake);

describe("stake_delegate", () => {
  test("stake_delegate makes a delegation that counts and earns from the epoch's end [L-478..L-480 L-487 L-488 L-641 L-644]", () => {
    const world = stakeWorld();
    const action = delegate(usd(5000));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Delegate 5,000 USD to validator ${short}. Fee 0.0011 USD; valid until Pulse 20.`,
    );
    const receipt = world.do("alice", action);
    const [id = ""] = receipt.made;
    const owner = accountOf("alice");
    expect(receipt.events).toEqual([{
      Delegated: {
        amount: usd(5000),
        delegation: id,
        owner,
        shares: 5_000_000_000n,
        validator: first,
      },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: alice delegated 5,000 USD to validator ${short} as delegation ${id.slice(0, 8)}, ` +
        "earning from the epoch's end; fee 0.0011 USD.",
    );
    expect(world.read(delegationKind, id)).toMatchObject({ owner, validator: first, made: 1n });
    expect(poolOf(world)).toMatchObject({ stake: usd(5000), pending: usd(5000), earning: 0n });
    // A session that ends before the epoch does not count it yet.
    expect(stakesOf(world)).toEqual([100_000, 100_000, 100_000, 100_000].map(usd));
    endEpoch(world);
    expect(poolOf(world)).toMatchObject({ pending: 0n, earning: usd(5000) });
    expect(validatorSetOf(world.state).committee[0]?.stake).toBe(usd(105_000));
    expect(world.read(stakingKind, STAKING)).toMatchObject({ epoch: 1n, epochEnd: 20n });
  });

  test("stake_delegate takes no less than 1, and fails for the fee alone [L-483 L-489 L-490]", () => {
    const world = stakeWorld();
    const action = delegate(usd(0.5));
    const before = world.balance(accountOf("alice"));
    world.do("alice", action);
    expect(world.sentence(action)).toBe(
      "Failed (invalid transaction: a delegation must be at least 1); " +
        "nothing happened except the fee of 0.0011 USD.",
    );
    expect(before - world.balance(accountOf("alice"))).toBe(1100n);
  });

  test("stake_delegate gives no validator more than twice an equal share of what is bonded [L-482 L-491]", () => {
    const world = stakeWorld([100, 100, 100, 100]);
    const refused = `invalid transaction: validator ${short} would have more than twice an equal ` +
      "share of the bonded stake";
    expect(reasonOf(world.do("alice", delegate(usd(200) + 1n)))).toBe(refused);
    world.make("alice", delegate(usd(200)));
    expect(reasonOf(world.do("bob", delegate(usd(1))))).toBe(refused);
    world.make("bob", delegate(usd(2), idOf(1)));
    world.make("bob", delegate(usd(1)));
  });

  test("stake_delegate gives shares at the pool's ratio, never more than are worth the amount [L-488]", () => {
    const world = stakeWorld();
    world.make("alice", delegate(usd(3)));
    world.make("carol", showing(twoBlocks()));
    world.make("alice", rotate(first, 10));
    const { stake, shares } = poolOf(world);
    expect([stake, shares]).toEqual([2_700_000n, 3_000_000n]);
    const amount = usd(1) + 1n;
    const id = world.make("bob", delegate(amount));
    const bought = world.read(delegationKind, id)?.shares ?? 0n;
    expect(bought).toBe(amount * shares / stake);
    expect(stakeOf(poolOf(world), bought)).toBeLessThanOrEqual(amount);
    expect(stakeOf(poolOf(world), shares)).toBeGreaterThanOrEqual(stake);
  });
});

describe("an epoch's end", () => {
  test("an epoch's end shares fees by weight, less the commission, the rest to the treasury [L-474 L-513]", () => {
    const world = stakeWorld([100, 200, 300, 400]);
    // Half of what the first validator has is bob's.
    const delegation = world.make("bob", delegate(usd(100)));
    world.make("alice", setCommission(1000));
    endEpoch(world);
    const spent = treasuryOf(world);
    const earlier = world.read(validatorKind, first)?.earned ?? 0n;
    payFees(world, 7);
    const { epoch, shared, treasury } = endEpoch(world);
    expect(epoch).toBe(1n);
    // Of 7,700 by weights of 200, 200, 300 and 400, the last one cut to 350 (less 1).
    const weights = [200, 200, 300].map(usd);
    const cut = usd(350) - 1n;
    const total = usd(700) + cut;
    const shares = [...weights, cut].map((weight) => 7700n * weight / total);
    expect(shared).toBe(shares.reduce((sum, share) => sum + share, 0n));
    expect(treasury).toBe(7700n - shared);
    expect(treasuryOf(world) - spent).toBe(treasury);
    expect(world.read(assetKind, USD)?.fees).toBe(0n);
    const [mine = 0n] = shares;
    const pooled = mine / 2n;
    const commission = (pooled + 9n) / 10n;
    expect(poolOf(world).rewards).toBe(pooled - commission);
    expect(world.read(validatorKind, first)?.earned).toBe(earlier + mine - (pooled - commission));
    const receipt = world.do("bob", claimRewards(delegation));
    expect(receipt.events).toEqual([{
      RewardsClaimed: {
        // What a share earned is rounded down too.
        amount: pooled - commission - 1n,
        delegation,
        owner: bob,
        validator: first,
      },
    }]);
    expect(world.last?.events.at(-1)?.event).toEqual(receipt.events[0]);
  });

  test("an epoch's end says what it shared, as an event of the system", () => {
    const world = stakeWorld();
    payFees(world, 2);
    endEpoch(world);
    const last = world.last?.events.at(-1);
    expect(last).toEqual({
      pulse: 10n,
      tx: null,
      event: { EpochEnded: { epoch: 0n, shared: 2200n, treasury: 0n } },
    });
    expect(world.ledger.event(last?.event, names)).toBe("epoch 0 ended, 0.0022 USD of fees shared");
  });

  test("an epoch's end leaves a mark where somebody delegated, from which that earns", () => {
    const world = stakeWorld();
    const early = world.make("bob", delegate(usd(9000)));
    endEpoch(world);
    payFees(world, 3);
    const late = world.make("carol", delegate(usd(9000)));
    endEpoch(world);
    const { perShare } = poolOf(world);
    expect(world.read(rewardMarkKind, rewardMarkId(first, 1n))).toEqual({
      validator: first,
      epoch: 1n,
      perShare,
      pulse: 20n,
    });
    expect(world.read(rewardMarkKind, rewardMarkId(first, 0n))?.perShare).toBe(0n);
    expect(reasonOf(world.do("carol", claimRewards(late)))).toBe(
      `invalid transaction: nothing is owed to delegation ${late.slice(0, 8)}`,
    );
    expect(world.do("bob", claimRewards(early)).outcome.kind).toBe("success");
    payFees(world, 3);
    endEpoch(world);
    expect(world.read(rewardMarkKind, rewardMarkId(first, 2n))).toBeUndefined();
    expect(world.do("carol", claimRewards(late)).outcome.kind).toBe("success");
  });

  test("an epoch's end does not come where epochs never end: fees wait, nothing earns [L-642]", () => {
    const world = validatorWorld();
    world.make("alice", delegate(usd(5)));
    payFees(world, 1);
    passTo(world, 5000n);
    const { events } = world.execute([], 1000n, true);
    expect(events).toEqual([]);
    expect(poolOf(world).pending).toBe(usd(5));
    expect(world.read(assetKind, USD)?.fees).toBe(2200n);
  });
});

describe("stake_undelegate and stake_withdraw", () => {
  test("stake_undelegate collects rewards and starts an unbonding that stake_withdraw ends [L-503 L-504 L-507 L-510]", () => {
    const world = stakeWorld();
    const delegation = world.make("bob", delegate(usd(4000)));
    endEpoch(world);
    payFees(world, 2);
    endEpoch(world);
    const owed = poolOf(world).rewards - 1n;
    const spent = treasuryOf(world);
    const receipt = world.do("bob", undelegate(delegation));
    // With the last that earned goes what rounding left.
    expect([poolOf(world).rewards, treasuryOf(world) - spent]).toEqual([0n, 1n]);
    // It counted to the epoch's end, Pulse 30.
    expect(receipt.events).toEqual([{
      Undelegated: { delegation, due: 1030n, owner: bob, rewards: owed, validator: first },
    }]);
    expect(owed).toBeGreaterThan(0n);
    const early = `delegation ${delegation.slice(0, 8)} can be withdrawn at Pulse 1030`;
    passTo(world, 1029n);
    expect(reasonOf(world.do("bob", withdraw(delegation)))).toBe(`invalid transaction: ${early}`);
    const before = world.balance(bob);
    world.make("bob", withdraw(delegation));
    expect(world.balance(bob) - before).toBe(usd(4000) - 1100n);
    expect(poolOf(world)).toMatchObject({ stake: 0n, shares: 0n, earning: 0n });
  });

  test("stake_withdraw gives what a slashing left, also of what unbonds [L-481 L-504 L-514]", () => {
    const world = stakeWorld();
    const [one = "", other = ""] = [usd(10) + 1n, usd(20) + 2n].map((amount) =>
      world.make("bob", delegate(amount))
    );
    endEpoch(world);
    world.make("bob", undelegate(one));
    const stake = poolOf(world).stake;
    endEpoch(world);
    const had = treasuryOf(world);
    const receipt = world.do("carol", showing(twoBlocks()));
    const own = usd(10_000);
    expect(receipt.events).toEqual([{
      ValidatorSlashed: {
        by: accountOf("carol"),
        offence: "blocks",
        own,
        pool: (stake + 9n) / 10n,
        session: 0n,
        validator: first,
      },
    }]);
    expect(treasuryOf(world) - had).toBe(own + (stake + 9n) / 10n);
    passTo(world, 1100n);
    const before = world.balance(bob);
    world.make("bob", withdraw(one));
    // Nine tenths, rounded down.
    expect(world.balance(bob) - before).toBe((usd(10) + 1n) * 9n / 10n - 1100n);
    world.make("bob", undelegate(other));
    passTo(world, 2200n);
    world.make("bob", withdraw(other));
    expect(poolOf(world)).toMatchObject({ stake: 0n, shares: 0n });
  });

  test.each<readonly [string, (id: string) => Action, string]>([
    ["claims", claimRewards, "claim its rewards"],
    ["undelegates", undelegate, "undelegate it"],
    ["withdraws", withdraw, "withdraw it"],
  ])("only the owner %s a delegation [L-511]", (_what, act, may) => {
    const world = stakeWorld();
    const id = world.make("bob", delegate(usd(1)));
    expect(reasonOf(world.do("alice", act(id)))).toBe(
      `unauthorized: only the owner of delegation ${id.slice(0, 8)} may ${may}`,
    );
  });
});

describe("validators", () => {
  test("stake_register adds a validator that joins at the epoch's end, and stake_leave takes it out [L-475 L-515]", () => {
    const world = stakeWorld();
    const id = idOf(10);
    world.make("bob", registerValidator(10, { stake: usd(2000), commission: 250 }));
    expect(world.sentence(registerValidator(10))).toBe(
      `Done: validator ${id.slice(0, 8)} registered with 2,000 USD of own stake, joining at the ` +
        "epoch's end; fee 0.0011 USD.",
    );
    expect(nextCommittee(world)).toHaveLength(4);
    endEpoch(world);
    expect(validatorSetOf(world.state).committee[4]).toMatchObject({
      validator: id,
      operator: bob,
      stake: usd(2000),
    });
    expect(reasonOf(world.do("alice", leave(id)))).toBe(
      `unauthorized: only the operator of validator ${id.slice(0, 8)} may take it out`,
    );
    world.make("bob", leave(id));
    expect(world.last?.endsSession).toBe(true);
    expect(nextCommittee(world)).toHaveLength(4);
    const due = world.read(validatorKind, id)?.due ?? 0n;
    expect(due).toBe(world.pulse - 1n + 1007n);
    passTo(world, due);
    const before = world.balance(bob);
    world.make("bob", withdrawOwn(id));
    expect(world.balance(bob) - before).toBe(usd(2000) - 1100n);
    expect(validatorSetOf(world.state).registered).toContain(id);
    world.execute([], 1000n, true);
    expect(validatorSetOf(world.state).registered).not.toContain(id);
    expect(world.read(validatorKind, id)?.status).toBe("left");
  });

  test("evidence takes a validator out until it has another key, once for each session [L-481 L-514]", () => {
    const world = stakeWorld();
    world.make("carol", showing(twoBlocks({ session: 3, round: 9 })));
    expect(world.last?.endsSession).toBe(true);
    expect(world.read(validatorKind, first)).toMatchObject({ status: "slashed", slashed: [3] });
    expect(reasonOf(world.do("dana", showing(twoBlocks({ session: 3, round: 11 }))))).toBe(
      `invalid transaction: validator ${short} was slashed for session 3 already`,
    );
    expect(reasonOf(world.do("bob", delegate(usd(1))))).toBe(
      `invalid transaction: validator ${short} takes no more stake`,
    );
    expect(nextCommittee(world)).toHaveLength(3);
    world.make("dana", showing(twoBlocks({ session: 4 })));
    expect(world.last?.endsSession).toBe(false);
    world.make("alice", rotate(first, 10));
    expect(world.read(validatorKind, first)?.status).toBe("joining");
    endEpoch(world);
    expect(validatorSetOf(world.state).committee[0]).toMatchObject({
      validator: first,
      stake: usd(81_000),
    });
  });

  test("stake_claim gives an operator what its stake earned and its commission", () => {
    const world = stakeWorld();
    payFees(world, 4, "bob");
    endEpoch(world);
    const { earned = 0n } = world.read(validatorKind, first) ?? {};
    expect(earned).toBe(1100n);
    const operator = accountOf("alice");
    const before = world.balance(operator);
    const receipt = world.do("alice", claimEarned());
    expect(receipt.events).toEqual([{
      RewardsClaimed: { amount: 1100n, delegation: null, owner: operator, validator: first },
    }]);
    expect(world.balance(operator) - before).toBe(0n);
    expect(reasonOf(world.do("alice", claimEarned()))).toBe(
      `invalid transaction: nothing is owed to validator ${short}`,
    );
  });
});

/** What happens in a random history of stake. */
const STEPS = [
  "delegate",
  "undelegate",
  "claim",
  "withdraw",
  "fees",
  "epoch",
  "slash",
  "commission",
  "wait",
] as const;

const history = fc.array(
  fc.record({
    step: fc.constantFrom(...STEPS),
    who: fc.nat(2),
    validator: fc.nat(1),
    amount: fc.bigInt({ min: 1_000_000n, max: 40_000_000n }),
  }),
  { minLength: 10, maxLength: 60 },
);

/** What must hold of every pool and of the sums over all. */
function checkPools(world: World, owned: ReadonlyMap<string, string>): void {
  let bonded = 0n;
  for (const id of validatorSetOf(world.state).registered) {
    const validator = world.read(validatorKind, id);
    if (validator === undefined) throw new Error(id);
    bonded += bondedStake(validator);
    const { pool } = validator;
    expect(pool.stake).toBeLessThanOrEqual(pool.shares);
    expect(pool.stake === 0n).toBe(pool.shares === 0n);
    const mine = [...owned.keys()].flatMap((one) => {
      const delegation = world.read(delegationKind, one);
      return delegation?.validator === id ? [delegation] : [];
    });
    expect(mine.reduce((sum, { shares }) => sum + shares, 0n)).toBe(pool.shares);
    // Nobody's part is more than there is, however it is rounded.
    const parts = mine.reduce((sum, { shares }) => sum + stakeOf(pool, shares), 0n);
    expect(parts).toBeLessThanOrEqual(pool.stake);
    if (pool.earning === 0n) expect(pool.rewards).toBe(0n);
  }
  expect(world.read(stakingKind, STAKING)?.bonded).toBe(bonded);
}

describe("stake over random histories", () => {
  test("stake is never paid out twice, made or lost, in whatever order things happen [L-488 L-513]", () => {
    const wallets = ["bob", "carol", "dana"] as const;
    fc.assert(
      fc.property(history, (steps) => {
        const world = stakeWorld([100, 100, 100]);
        const owned = new Map<string, string>();
        let session = 0;
        for (const { step, who, validator, amount } of steps) {
          const name = wallets[who] as string;
          const [mine] = [...owned].filter(([, owner]) => owner === name)[validator] ?? [""];
          const on: { readonly [S in typeof step]: () => void } = {
            delegate() {
              const { made } = world.do(name, delegate(amount, idOf(validator)));
              if (made[0] !== undefined) owned.set(made[0], name);
            },
            undelegate: () => void world.do(name, undelegate(mine)),
            claim: () => void world.do(name, claimRewards(mine)),
            withdraw: () => void world.do(name, withdraw(mine)),
            fees: () => payFees(world, 1 + who, "alice"),
            epoch: () => void endEpoch(world),
            slash() {
              world.do("alice", showing(twoBlocks({ session: session++ }), validator));
              world.do(validator === 0 ? "alice" : "bob", rotate(idOf(validator), 100 + session));
            },
            commission() {
              world.do(
                validator === 0 ? "alice" : "bob",
                setCommission(who * 3333, idOf(validator)),
              );
            },
            wait: () => passTo(world, world.pulse + 700n),
          };
          if (mine !== "" || !["undelegate", "claim", "withdraw"].includes(step)) on[step]();
          // The world itself counts all money after each Pulse.
          checkPools(world, owned);
        }
        for (const [id, name] of owned) world.do(name, undelegate(id));
        passTo(world, world.pulse + 2000n);
        for (const [id, name] of owned) world.do(name, withdraw(id));
        checkPools(world, owned);
        for (const at of [0, 1]) {
          const { stake, shares, rewards } = poolOf(world, idOf(at));
          expect([stake, shares, rewards]).toEqual([0n, 0n, 0n]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
