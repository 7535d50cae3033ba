/** From actions to outcomes: checked, signed, kept, handed in, waited for. */
import { SionError } from "#internal/core/mod.ts";
import type { AccountView } from "./accounts.ts";
import { knownNames, meantName, signerNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { drive } from "./drive.ts";
import { noFeeMoney, noMoney } from "./errors.ts";
import { keylessSigner } from "./keyless.ts";
import type { Signer } from "./keys.ts";
import type { JointMember, KeptUnit, LaneOptions, Plan, SigningPlace, SlotAction } from "./lane.ts";
import { signAhead, signTogether, usdOf } from "./lane.ts";
import { finishLeftBehind } from "./left_behind.ts";
import { outcomeOf } from "./receipts.ts";
import type { Action, Outcome, SignOptions } from "./types.ts";

/** How often a unit is signed anew when another's took its slot. */
const MAX_TRIES = 4;

/** A unit's outcomes, one for each member. */
export type UnitOutcomes = readonly Outcome[];

/**
 * The place to sign at, once it is known that the wallet has money here.
 * @throws {SionError} `wallet-unknown`, `no-money`
 */
export async function signingPlace(
  context: Context,
  facts: ChainFacts,
  wallet: string,
  options: Pick<SignOptions, "signal" | "keyless">,
): Promise<SigningPlace> {
  const own = await signerNamed(context, facts, wallet);
  const { keyless } = options;
  const signer = keyless === undefined ? own : await keylessSigner(own, keyless);
  await finishLeftBehind(context, facts, signer.account, withSignal(options.signal));
  const view = await context.rpc.account({ account: signer.account }, withSignal(options.signal));
  await checkMoney(context, facts, signer, view);
  return { context, facts, signer, view };
}

async function checkMoney(
  context: Context,
  facts: ChainFacts,
  signer: Signer,
  view: AccountView,
): Promise<void> {
  if (usdOf(view) > 0n) return;
  if (signer.salt.length > 0) throw noFeeMoney(signer.called, signer.wallet, signer.account);
  const hasFile = (await (await context.wallets()).list()).includes(signer.wallet);
  throw noMoney(signer.wallet, signer.account, {
    devnet: facts.devnet,
    meant: hasFile ? undefined : await meantName(context, facts, signer.wallet),
  });
}

/**
 * Makes one unit for each plan, in order, and waits for all of them.
 * @throws {SionError} the first unit's error, once nothing is waited for any more.
 */
export async function makeUnits(
  place: SigningPlace,
  plans: readonly Plan[],
  options: LaneOptions,
): Promise<readonly UnitOutcomes[]> {
  const { context, facts, signer } = place;
  const again = (): Promise<SigningPlace> => signingPlace(context, facts, signer.wallet, options);
  for (let tries = 1;; tries++) {
    const units = await signAhead(place, plans, options, again);
    try {
      return await seeThrough(place, units, options);
    } catch (error) {
      // A wallet that is used elsewhere too: that unit is done, ours goes next. Several units may
      // depend on each other's ids, so only one alone is signed anew.
      const rivalled = error instanceof SionError && error.code === "taken" &&
        error.data["rivalled"] === true;
      if (!rivalled || plans.length !== 1 || tries === MAX_TRIES) throw error;
      place = await again();
    }
  }
}

/** Makes one transaction, and waits for its outcome. @throws {SionError} as `makeUnits` */
export async function makeOne(
  place: SigningPlace,
  action: Action | SlotAction,
  options: LaneOptions,
): Promise<Outcome> {
  const [outcomes] = await makeUnits(place, [() => [action]], options);
  return outcomes?.[0] as Outcome;
}

/** Signs one action of a wallet as things are now, and waits for its outcome. */
export async function transactOne(
  context: Context,
  signing: SignOptions & { readonly wallet: string },
  action: Action,
): Promise<Outcome> {
  const facts = await chainFacts(context, signing.signal);
  const place = await signingPlace(context, facts, signing.wallet, signing);
  return await makeOne(place, action, signing);
}

/**
 * Makes one unit of several accounts that one wallet signs for, and waits for its members' outcomes.
 * @throws {SionError} as `makeUnits`; where a slot was another's, nothing is signed anew
 */
export async function makeTogether(
  members: readonly [JointMember, ...JointMember[]],
  options: LaneOptions,
  again: () => Promise<readonly [JointMember, ...JointMember[]]>,
): Promise<UnitOutcomes> {
  const unit = await signTogether(members, options, again);
  const [outcomes] = await seeThrough(members[0].place, [unit], options);
  return outcomes as UnitOutcomes;
}

async function seeThrough(
  { context, facts }: SigningPlace,
  units: readonly KeptUnit[],
  options: Pick<SignOptions, "onOutcome" | "signal">,
): Promise<readonly UnitOutcomes[]> {
  const ledger = await context.ledger();
  const names = await knownNames(context, facts);
  let told = 0;
  let before: Promise<unknown> = Promise.resolve();
  const journeys = units.map(async (unit) => {
    const mine = drive(context, unit, options.signal).then((receipts) =>
      receipts.map((view) => outcomeOf(ledger, view, unit.signed, names))
    );
    const earlier = before;
    before = mine.catch(() => {});
    const outcomes = await mine;
    await earlier;
    for (const outcome of outcomes) options.onOutcome?.(outcome, told++);
    return outcomes;
  });
  const ends = await Promise.allSettled(journeys);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return ends.flatMap((end) => end.status === "fulfilled" ? [end.value] : []);
}
