/** Small histories of stake in which each of its rules makes a difference, at its bound. */
import type { Action, SignedUnit } from "#internal/ledger/mod.ts";
import { validatorKind } from "#internal/ledger/mod.ts";
import {
  againstStop,
  claimEarned,
  claimRewards,
  delegate,
  earningWorld,
  EPOCH,
  leave,
  onTwoUnits,
  passTo,
  payFees,
  registerValidator,
  setCommission,
  showing,
  stakeWorld,
  twoBlocks,
  twoPulseVotes,
  undelegate,
  withdraw,
  withdrawOwn,
} from "../ledger/_staking.ts";
import { add, alter, idOf, rotate, validatorWorld } from "../ledger/_validators.ts";
import { accountOf, payTo, usd, World } from "../ledger/_world.ts";
import type { Does, Execute } from "./_story.ts";

const bob = accountOf("bob");
const NOBODY = "11".repeat(32);

/** How these stories act. */
interface Tell {
  readonly does: Does;
  /** Executes the epoch's end, which has no transaction in it. */
  ends(world: World): void;
  /** Executes a session's end before the epoch's. */
  closes(world: World): void;
}

/** Runs all stories. */
export function tellOfStaking(execute: Execute): void {
  const tell: Tell = {
    does: (world, name, action) => execute(world, [world.unit(name, [action])], 1000n),
    ends(world) {
      passTo(world, (world.pulse / EPOCH + 1n) * EPOCH);
      execute(world, [], 1000n, true);
    },
    closes: (world) => execute(world, [], 1000n, true),
  };
  const stories = [
    ofRegistering,
    ofFullRegisters,
    ofCommissions,
    ofLeaving,
    ofTheLast,
    ofDelegating,
    ofCaps,
    ofFullPools,
    ofRewards,
    ofUnequalRewards,
    ofDust,
    ofMarks,
    ofUnbonding,
    ofSlashing,
    ofSlashingEnds,
    ofReturning,
    ofContestedUnits,
    ofWorldsWithout,
    ofEpochs,
    ofSharesOfSlashedPools,
  ];
  for (const story of stories) story(tell);
}

/** Makes a delegation by its transaction, compared; its id. */
function made(does: Does, world: World, name: string, action: Action): string {
  does(world, name, action);
  return world.last?.receipts[0]?.made[0] ?? NOBODY;
}

function ofRegistering({ does, ends, closes }: Tell): void {
  const world = stakeWorld();
  for (const stake of [usd(1000) - 1n, usd(1000), usd(1001)]) {
    does(world, "alice", registerValidator(10, { stake, commission: 10_000 }));
  }
  for (const key of [0, 10]) does(world, "bob", registerValidator(key));
  does(world, "alice", rotate(idOf(10), 11));
  does(world, "bob", registerValidator(11));
  does(world, "bob", registerValidator(12, { stake: usd(10_000) }));
  does(world, "bob", delegate(usd(2), idOf(11)));
  closes(world);
  ends(world);
  ends(world);
}

function ofFullRegisters({ does, closes }: Tell): void {
  const world = stakeWorld();
  add(world, Array.from({ length: 59 }, () => usd(1)));
  for (const key of [70, 71]) does(world, "alice", registerValidator(key));
  closes(world);
}

function ofCommissions({ does, ends }: Tell): void {
  const world = stakeWorld();
  const delegation = made(does, world, "bob", delegate(usd(5000)));
  does(world, "bob", setCommission(100));
  does(world, "alice", setCommission(100, NOBODY));
  does(world, "alice", setCommission(3333));
  payFees(world, 3);
  ends(world);
  does(world, "alice", setCommission(10_000));
  payFees(world, 1);
  ends(world);
  does(world, "bob", claimRewards(delegation));
  payFees(world, 1);
  ends(world);
  does(world, "bob", claimRewards(delegation));
  does(world, "alice", registerValidator(10));
  does(world, "alice", setCommission(7, idOf(10)));
  ends(world);
  for (const id of [idOf(10), idOf(0)]) {
    does(world, "alice", leave(id));
    does(world, "alice", setCommission(1, id));
  }
}

function ofLeaving({ does, ends, closes }: Tell): void {
  const world = stakeWorld();
  const delegation = made(does, world, "bob", delegate(usd(50)));
  does(world, "bob", leave());
  does(world, "alice", withdrawOwn());
  does(world, "alice", leave());
  const due = world.pulse + 1007n;
  does(world, "alice", leave());
  does(world, "alice", rotate(idOf(0), 10));
  does(world, "bob", delegate(usd(50)));
  does(world, "bob", withdrawOwn());
  payFees(world, 2);
  closes(world);
  ends(world);
  does(world, "alice", claimEarned());
  passTo(world, due - 1n);
  does(world, "alice", withdrawOwn());
  does(world, "alice", withdrawOwn());
  does(world, "alice", withdrawOwn());
  closes(world);
  does(world, "bob", undelegate(delegation));
  passTo(world, 3000n);
  does(world, "bob", withdraw(delegation));
  closes(world);
  const joining = stakeWorld();
  does(joining, "alice", registerValidator(10));
  does(joining, "alice", leave(idOf(10)));
  passTo(joining, joining.pulse + 1007n);
  does(joining, "alice", withdrawOwn(idOf(10)));
  closes(joining);
}

function ofTheLast({ does, closes }: Tell): void {
  const world = stakeWorld([5, 5]);
  does(world, "alice", registerValidator(10));
  does(world, "alice", leave());
  does(world, "bob", leave(idOf(1)));
  does(world, "alice", leave(idOf(10)));
  does(world, "alice", showing(twoBlocks(), 1));
  does(world, "bob", leave(idOf(1)));
  closes(world);
}

function ofDelegating({ does, ends }: Tell): void {
  const world = stakeWorld();
  for (const amount of [usd(1) - 1n, usd(1), usd(100_000)]) does(world, "alice", delegate(amount));
  does(world, "bob", delegate(usd(7), NOBODY));
  does(world, "bob", delegate(usd(7), idOf(1)));
  does(world, "carol", rotate(idOf(2), 10));
  ends(world);
  does(world, "dana", delegate(usd(3), idOf(10)));
  does(world, "dana", delegate(usd(3), idOf(2)));
}

function ofCaps({ does, ends }: Tell): void {
  const world = stakeWorld([100, 100, 100, 100]);
  // 4 · (100 + x) ≤ 2 · (400 + x) holds up to x = 200.
  does(world, "alice", delegate(usd(200) + 1n));
  const first = made(does, world, "alice", delegate(usd(200)));
  does(world, "alice", delegate(usd(1)));
  does(world, "bob", delegate(usd(100), idOf(1)));
  does(world, "alice", delegate(usd(100) + 1n));
  does(world, "alice", delegate(usd(1)));
  ends(world);
  does(world, "alice", delegate(usd(100)));
  does(world, "alice", undelegate(first));
  does(world, "alice", delegate(usd(101)));
  does(world, "dana", leave(idOf(3)));
  does(world, "carol", delegate(usd(300), idOf(2)));
  does(world, "carol", delegate(usd(100), idOf(2)));
  does(world, "dana", registerValidator(10));
  does(world, "dana", delegate(usd(1), idOf(10)));
  does(world, "carol", delegate(usd(200), idOf(2)));
}

function ofFullPools({ does }: Tell): void {
  const rich = 2n ** 63n;
  const world = validatorWorld([1e12, 1e12], {
    epochPulses: EPOCH,
    accounts: [[accountOf("alice"), rich]],
  });
  does(world, "alice", delegate(usd(1000)));
  const { pool } = world.read(validatorKind, idOf(0)) ?? {};
  if (pool === undefined) throw new Error("no validator");
  alter(world, idOf(0), { pool: { ...pool, shares: pool.shares * 4n } });
  for (const amount of [rich / 2n, rich / 2n - usd(2001), usd(1)]) {
    does(world, "alice", delegate(amount));
  }
}

function ofRewards({ does, ends, closes }: Tell): void {
  const world = stakeWorld([100, 200, 300, 400]);
  const [early, other] = [usd(37), usd(63)].map((n) => made(does, world, "bob", delegate(n)));
  payFees(world, 3);
  closes(world);
  ends(world);
  const late = made(does, world, "carol", delegate(usd(11)));
  payFees(world, 7, "dana");
  for (const id of [early, late]) does(world, "bob", claimRewards(id ?? NOBODY));
  ends(world);
  does(world, "carol", claimRewards(early ?? NOBODY));
  for (let i = 0; i < 2; i++) does(world, "bob", claimRewards(early ?? NOBODY));
  does(world, "carol", claimRewards(late));
  payFees(world, 5, "dana");
  ends(world);
  for (const [name, id] of [["bob", early], ["bob", other], ["carol", late]] as const) {
    does(world, name, claimRewards(id ?? NOBODY));
  }
  for (const name of ["bob", "alice", "alice"]) does(world, name, claimEarned());
  does(world, "alice", claimEarned(NOBODY));
  does(world, "bob", claimRewards(idOf(0)));
  ends(world);
  does(world, "bob", claimRewards(other ?? NOBODY));
}

function ofUnequalRewards({ does, ends }: Tell): void {
  // Weights are cut: 1000 counts as 179 would.
  const world = stakeWorld([1000, 100, 50, 30]);
  const delegation = made(does, world, "bob", delegate(usd(29), idOf(3)));
  payFees(world, 9);
  ends(world);
  payFees(world, 9);
  does(world, "dana", showing(twoBlocks(), 1));
  does(world, "carol", leave(idOf(2)));
  ends(world);
  does(world, "bob", claimRewards(delegation));
  payFees(world, 2);
  ends(world);
  for (const [name, at] of [["alice", 0], ["bob", 1], ["carol", 2], ["dana", 3]] as const) {
    does(world, name, claimEarned(idOf(at)));
  }
}

function ofDust({ does, ends }: Tell): void {
  const world = stakeWorld([7, 7, 7]);
  const amounts = [usd(3) + 1n, usd(2) + 5n, usd(1) + 7n];
  const all = amounts.map((amount) => made(does, world, "bob", delegate(amount)));
  ends(world);
  for (let epoch = 0; epoch < 3; epoch++) {
    payFees(world, 1);
    ends(world);
    does(world, "bob", claimRewards(all[epoch] ?? NOBODY));
  }
  for (const id of all) does(world, "bob", undelegate(id));
  for (let i = 0; i < 2; i++) {
    payFees(world, 1);
    ends(world);
  }
}

function ofMarks({ does, ends }: Tell): void {
  const world = stakeWorld();
  const early = made(does, world, "bob", delegate(usd(10)));
  const gone = made(does, world, "bob", delegate(usd(10)));
  does(world, "bob", undelegate(gone));
  does(world, "bob", undelegate(gone));
  ends(world);
  for (let epoch = 0; epoch < 2; epoch++) {
    payFees(world, 2);
    const late = made(does, world, "carol", delegate(usd(10)));
    ends(world);
    does(world, "carol", claimRewards(late));
    payFees(world, 2);
    ends(world);
    does(world, "carol", undelegate(late));
  }
  does(world, "bob", undelegate(early));
  does(world, "bob", claimRewards(early));
}

function ofUnbonding({ does, ends }: Tell): void {
  const world = stakeWorld();
  const earning = made(does, world, "bob", delegate(usd(40)));
  ends(world);
  const pending = made(does, world, "bob", delegate(usd(60)));
  for (const id of [earning, pending]) {
    does(world, "alice", undelegate(id));
    does(world, "bob", withdraw(id));
    does(world, "bob", undelegate(id));
  }
  const due = world.pulse + 1000n;
  does(world, "bob", undelegate(NOBODY));
  passTo(world, due - 1n);
  for (let i = 0; i < 2; i++) does(world, "bob", withdraw(pending));
  does(world, "alice", withdraw(pending));
  passTo(world, 1019n);
  for (let i = 0; i < 3; i++) does(world, "bob", withdraw(earning));
  does(world, "bob", undelegate(earning));
  does(world, "bob", withdraw(NOBODY));
  ends(world);
}

function ofSlashing({ does, ends, closes }: Tell): void {
  const world = stakeWorld([100, 100, 100, 101]);
  const [one, other] = [usd(33) + 7n, usd(20) + 4n].map((n) =>
    made(does, world, "bob", delegate(n, idOf(3)))
  );
  ends(world);
  const pending = made(does, world, "carol", delegate(usd(17) + 1n, idOf(3)));
  does(world, "bob", undelegate(other ?? NOBODY));
  does(world, "carol", showing(twoBlocks(), 9));
  does(world, "carol", showing(twoBlocks(), 3));
  does(world, "carol", showing(twoBlocks({ round: 11 }), 3));
  does(world, "carol", showing(twoBlocks({ session: 1 }), 3));
  does(world, "bob", delegate(usd(1), idOf(3)));
  does(world, "dana", setCommission(5, idOf(3)));
  payFees(world, 4);
  closes(world);
  ends(world);
  does(world, "bob", claimRewards(one ?? NOBODY));
  does(world, "carol", undelegate(pending));
  does(world, "dana", leave(idOf(3)));
  does(world, "dana", rotate(idOf(3), 10));
  passTo(world, 2000n);
  for (const [name, id] of [["bob", other], ["carol", pending]] as const) {
    does(world, name, withdraw(id ?? NOBODY));
  }
  does(world, "bob", undelegate(one ?? NOBODY));
  does(world, "carol", showing(twoBlocks({ session: 2 }), 3));
  does(world, "dana", withdrawOwn(idOf(3)));
  passTo(world, 4000n);
  does(world, "bob", withdraw(one ?? NOBODY));
  does(world, "carol", showing(twoBlocks({ session: 3 }), 3));
  closes(world);
}

function ofSlashingEnds({ does }: Tell): void {
  const { world } = earningWorld();
  does(world, "bob", registerValidator(10));
  does(world, "carol", showing(twoPulseVotes(), 10));
  const slashed = Array.from({ length: 63 }, (_, at) => at + 100);
  alter(world, idOf(0), { slashed });
  for (const session of [1, 2]) does(world, "carol", showing(twoBlocks({ session }), 0));
  does(world, "bob", leave(idOf(1)));
  passTo(world, 2000n);
  does(world, "bob", withdrawOwn(idOf(1)));
  does(world, "carol", showing(twoBlocks(), 1));
}

function ofReturning({ does, ends, closes }: Tell): void {
  const world = stakeWorld();
  does(world, "bob", delegate(usd(25)));
  does(world, "carol", showing(twoBlocks()));
  closes(world);
  does(world, "alice", rotate(idOf(0), 0));
  does(world, "alice", rotate(idOf(0), 10));
  does(world, "alice", rotate(idOf(0), 11));
  does(world, "carol", delegate(usd(25), idOf(0)));
  does(world, "carol", showing(twoBlocks(), 10));
  does(world, "carol", showing(twoBlocks({ session: 1 }), 10));
  closes(world);
  does(world, "alice", rotate(idOf(10), 11));
  closes(world);
  payFees(world, 2);
  ends(world);
  ends(world);
  does(world, "carol", showing(twoBlocks({ session: 4 }), 0));
}

function ofContestedUnits({ does }: Tell): void {
  const world = stakeWorld();
  const rival = (amount: bigint, validUntil: bigint, ahead = 0): SignedUnit =>
    world.unit("alice", [payTo([bob, amount]), payTo([bob, 1n])], { validUntil, ahead });
  const against = (key: number, offence: Parameters<typeof showing>[0]): void =>
    does(world, "carol", showing(offence, key));
  // The bound of a unit that is valid until Pulse 5 is round 17.
  const rounds = (first: number, second: number) => [{ round: first }, { round: second }] as const;
  const pair = [rival(1n, 5n), rival(2n, 50n)] as const;
  against(0, onTwoUnits(world, "votes", pair, rounds(7, 17)));
  against(0, onTwoUnits(world, "votes", pair, rounds(7, 16)));
  against(1, onTwoUnits(world, "confirms", [rival(1n, 5n), rival(2n, 1n)], rounds(9, 9)));
  against(2, onTwoUnits(world, "votes", [rival(1n, 5n), rival(2n, 5n, 2)]));
  against(2, onTwoUnits(world, "votes", [rival(1n, 5n), rival(2n, 5n, 1)]));
  const unit = rival(3n, 5n);
  const account = accountOf("alice");
  const sequence = world.sequence(account);
  for (const [at, by] of [[2n, account], [1n, bob], [1n, account]] as const) {
    against(3, againstStop(world, unit, { slot: { account: by, sequence: sequence + at } }));
  }
  for (const at of [[unit, Uint8Array.of(1)], [Uint8Array.of(1), unit]] as const) {
    against(1, onTwoUnits(world, "votes", at));
  }
  const bytes = world.ledger.encodeUnit(unit.unit);
  against(1, onTwoUnits(world, "votes", [rival(1n, 5n), Uint8Array.of(...bytes, 0)]));
  against(1, onTwoUnits(world, "votes", [rival(1n, 0n), rival(2n, 9n)], rounds(1, 1)));
}

function ofWorldsWithout({ does, closes }: Tell): void {
  const world = new World();
  does(world, "alice", registerValidator(10));
  does(world, "alice", delegate(usd(1)));
  does(world, "alice", showing(twoBlocks()));
  closes(world);
}

function ofEpochs({ does, closes }: Tell): void {
  const endless = validatorWorld();
  const delegation = made(does, endless, "alice", delegate(usd(5)));
  does(endless, "alice", registerValidator(10));
  closes(endless);
  passTo(endless, 500n);
  closes(endless);
  does(endless, "alice", undelegate(delegation));
  const late = stakeWorld();
  passTo(late, EPOCH - 1n);
  closes(late);
  passTo(late, 3n * EPOCH);
  closes(late);
  passTo(late, 4n * EPOCH - 1n);
  closes(late);
  closes(late);
}

function ofSharesOfSlashedPools({ does, ends }: Tell): void {
  const world = stakeWorld();
  const before = made(does, world, "bob", delegate(usd(31) + 3n));
  does(world, "carol", showing(twoBlocks()));
  does(world, "alice", rotate(idOf(0), 10));
  const after = made(does, world, "carol", delegate(usd(10) + 1n));
  ends(world);
  ends(world);
  payFees(world, 6);
  ends(world);
  for (const [name, id] of [["bob", before], ["carol", after]] as const) {
    does(world, name, undelegate(id));
  }
  passTo(world, 3000n);
  for (const [name, id] of [["carol", after], ["bob", before]] as const) {
    does(world, name, withdraw(id));
  }
  ends(world);
}
