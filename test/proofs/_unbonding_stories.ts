/** Small histories of stake on its way out, and of what is left behind it. */
import type { Action } from "#internal/ledger/mod.ts";
import {
  claimRewards,
  delegate,
  EPOCH,
  leave,
  passTo,
  payFees,
  showing,
  stakeWorld,
  twoBlocks,
  undelegate,
  withdraw,
  withdrawOwn,
} from "../ledger/_staking.ts";
import type { World } from "../ledger/_world.ts";
import { usd } from "../ledger/_world.ts";
import type { Execute } from "./_story.ts";

/** Runs these stories. */
export function tellOfUnbonding(execute: Execute): void {
  const does = (world: World, name: string, action: Action): string => {
    execute(world, [world.unit(name, [action])], 1000n);
    return world.last?.receipts[0]?.made[0] ?? "";
  };
  const ends = (world: World): void => {
    passTo(world, (world.pulse / EPOCH + 1n) * EPOCH);
    execute(world, [], 1000n, true);
  };
  ofWhatIsOwed(does, ends);
  ofPoolsAlone(does, ends);
}

type Does = (world: World, name: string, action: Action) => string;
type Ends = (world: World) => void;

/** Others' shares go on earning while these do no more, or do not yet. */
function ofWhatIsOwed(does: Does, ends: Ends): void {
  const world = stakeWorld([100, 100, 100, 100]);
  const gone = does(world, "bob", delegate(usd(40)));
  does(world, "carol", delegate(usd(60)));
  ends(world);
  payFees(world, 3);
  ends(world);
  does(world, "bob", claimRewards(gone));
  does(world, "bob", undelegate(gone));
  const late = does(world, "dana", delegate(usd(20)));
  payFees(world, 3);
  does(world, "dana", claimRewards(late));
  ends(world);
  does(world, "bob", claimRewards(gone));
  does(world, "dana", claimRewards(late));
}

/** A pool is slashed when its operator has nothing at stake any more, and what is left is shared. */
function ofPoolsAlone(does: Does, ends: Ends): void {
  const world = stakeWorld();
  const first = does(world, "bob", delegate(usd(40) + 1n));
  const second = does(world, "carol", delegate(usd(60) + 2n));
  ends(world);
  does(world, "alice", leave());
  ends(world);
  for (const [name, id] of [["bob", first], ["carol", second]] as const) {
    does(world, name, undelegate(id));
  }
  passTo(world, 2000n);
  does(world, "alice", withdrawOwn());
  does(world, "dana", showing(twoBlocks()));
  does(world, "bob", withdraw(first));
  does(world, "dana", showing(twoBlocks({ session: 1 })));
  does(world, "carol", withdraw(second));
  ends(world);
}
