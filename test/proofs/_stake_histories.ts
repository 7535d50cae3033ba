/** Random histories of stake: what operators, delegators and whoever shows evidence may come to do. */
import fc from "fast-check";
import type { Action } from "#internal/ledger/mod.ts";
import { validatorKind } from "#internal/ledger/mod.ts";
import {
  claimEarned,
  claimRewards,
  delegate,
  EPOCH,
  leave,
  passTo,
  registerValidator,
  setCommission,
  showing,
  stakeWorld,
  twoBlocks,
  undelegate,
  withdraw,
  withdrawOwn,
} from "../ledger/_staking.ts";
import { idOf, rotate } from "../ledger/_validators.ts";
import type { World } from "../ledger/_world.ts";
import { accountOf, NAMED, payTo, usd } from "../ledger/_world.ts";
import type { Compared } from "./_two_stacks.ts";
import { executeByBoth } from "./_two_stacks.ts";

/** The kinds that happen in these histories. */
export const STAKE_KINDS = [
  "stake_register",
  "stake_commission",
  "stake_leave",
  "stake_delegate",
  "stake_claim",
  "stake_undelegate",
  "stake_withdraw",
  "evidence",
  "rotate_key",
] as const;

type Name = (typeof NAMED)[number];

/** A delegation, and who made it. */
interface Made {
  readonly id: string;
  readonly owner: Name;
}

/** What is drawn of a transaction; what it comes to depends on what there is then. */
interface Draw {
  readonly who: Name;
  /** Whether it is done by who may do it, not by `who`. */
  readonly rightful: boolean;
  readonly what: keyof typeof ACTIONS;
  /** Which validator's key, delegation or session. */
  readonly at: number;
  /** Micro-USD. */
  readonly amount: bigint;
}

/** A Pulse, and how many pass without anything before it. */
interface DrawnPulse {
  readonly draws: readonly Draw[];
  readonly passes: "none" | "few" | "epoch" | "unbonding";
  readonly closesSession: boolean;
}

/** What an action is about: a delegation, a validator of an operator, or neither. */
type About = "delegation" | "validator" | "nothing";

const ACTIONS = {
  register: [
    "nothing",
    ({ at, amount }) =>
      registerValidator(at + 4, { stake: usd(950) + amount, commission: at * 37 }),
  ],
  commission: ["validator", ({ at, amount }) => setCommission(Number(amount % 10_001n), idOf(at))],
  leave: ["validator", ({ at }) => leave(idOf(at))],
  delegate: ["nothing", ({ at, amount }) => delegate(amount, idOf(at))],
  claim: ["delegation", (_, id) => claimRewards(id)],
  earned: ["validator", ({ at }) => claimEarned(idOf(at))],
  undelegate: ["delegation", (_, id) => undelegate(id)],
  withdraw: ["delegation", (_, id) => withdraw(id)],
  own: ["validator", ({ at }) => withdrawOwn(idOf(at))],
  evidence: [
    "nothing",
    ({ at, amount }) => showing(twoBlocks({ session: Number(amount % 3n) }), at),
  ],
  rotate: ["validator", ({ at, amount }) => rotate(idOf(at), 20 + Number(amount % 40n))],
  pay: ["nothing", ({ amount }) => payTo([accountOf("bob"), amount])],
} satisfies Record<string, readonly [About, (draw: Draw, delegation: string) => Action]>;

const often = <T>(weight: number, value: T) => ({ weight, arbitrary: fc.constant(value) });

const draw: fc.Arbitrary<Draw> = fc.record({
  who: fc.constantFrom(...NAMED),
  rightful: fc.oneof(often(5, true), often(1, false)),
  what: fc.oneof(
    often(6, "delegate" as const),
    often(4, "pay" as const),
    {
      weight: 8,
      arbitrary: fc.constantFrom("undelegate" as const, "claim" as const, "withdraw" as const),
    },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        "register" as const,
        "commission" as const,
        "earned" as const,
        "own" as const,
        "rotate" as const,
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom("leave" as const, "evidence" as const) },
  ),
  at: fc.oneof(fc.nat(3), fc.nat(7)),
  amount: fc.oneof(fc.bigInt(1n, usd(300)), fc.constantFrom(usd(1), usd(1) - 1n, usd(50))),
});

/** A Pulse of a random history. */
export const drawnPulse: fc.Arbitrary<DrawnPulse> = fc.record({
  draws: fc.array(draw, { maxLength: 4, size: "max" }),
  passes: fc.oneof(
    often(8, "none" as const),
    often(3, "few" as const),
    often(5, "epoch" as const),
    often(1, "unbonding" as const),
  ),
  closesSession: fc.oneof(often(2, false), often(1, true)),
});

/** A world in which draws become transactions. */
export class StakedLife {
  readonly world: World = stakeWorld([100, 200, 50, 1000]);
  readonly #made: Made[] = [];

  /** Executes a drawn Pulse by both stacks, from what was touched. */
  execute({ draws, passes, closesSession }: DrawnPulse): Compared {
    const { world } = this;
    if (passes === "few") passTo(world, world.pulse + 4n);
    if (passes === "epoch") passTo(world, (world.pulse / EPOCH + 1n) * EPOCH);
    if (passes === "unbonding") passTo(world, world.pulse + 1000n);
    const done = draws.map((one) => this.#done(one));
    const units = NAMED.flatMap((who) => {
      const actions = done.filter((one) => one.who === who).map(({ action }) => action);
      return actions.length === 0 ? [] : [world.unit(who, actions)];
    });
    const options = { closesSession: closesSession || passes === "epoch" };
    const compared = executeByBoth(world, units, options);
    for (const { kind, made: [id], account } of compared.a.receipts) {
      const owner = NAMED.find((name) => accountOf(name) === account);
      if (kind === "stake_delegate" && id && owner) this.#made.push({ id, owner });
    }
    return compared;
  }

  /** What is done, and by whom. */
  #done(one: Draw): { readonly who: Name; readonly action: Action } {
    const [about, make] = ACTIONS[one.what];
    const made = this.#made[one.at % Math.max(1, this.#made.length)];
    const action = make(one, made?.id ?? "11".repeat(32));
    if (!one.rightful || about === "nothing") return { who: one.who, action };
    if (about === "delegation") return { who: made?.owner ?? one.who, action };
    const operator = this.world.read(validatorKind, idOf(one.at))?.operator;
    return { who: NAMED.find((name) => accountOf(name) === operator) ?? one.who, action };
  }
}
