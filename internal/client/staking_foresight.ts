/**
 * What of stake the ledger would fail for certain, as the node shows it now: refused before anything is
 * signed, for whoever asks for it. The ledger decides all the same.
 */
import { formatUsdGrouped, MIN_DELEGATION, MIN_OWN_STAKE, shortId } from "#internal/core/mod.ts";
import type { SionError } from "#internal/core/mod.ts";
import type { DelegationView } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";
import type { Context } from "./context.ts";
import { badArgument, noNode } from "./errors.ts";
import type { SigningPlace } from "./lane.ts";
import { findObject } from "./objects.ts";
import type { Abortable, ObjectValue } from "./types.ts";

/** Refuses what is bound to fail where it would be signed. @throws {SionError} `argument` */
export type Foresight = (place: SigningPlace, options: Abortable) => Promise<void>;

/** A delegation or a validator's own stake, by the id of its object. */
export interface StakeNamed {
  readonly kind: "delegation" | "validator";
  readonly id: string;
}

/** The error that says so. */
function refuse(why: string): SionError {
  return badArgument(`${why}; nothing was sent`);
}

/** The objects' members that are looked at; amounts are micro-USD. */
interface Members {
  text(member: string): string;
  /** 0 of what is not there. */
  number(member: string): bigint;
  /** Undefined of what is not there. */
  numberIfAny(member: string): bigint | undefined;
}

function membersOf(context: Context, { object }: Pick<ObjectValue, "object">): Members {
  const strange = (member: string): never => {
    throw noNode(context.node, new TypeError(`An object has no such ${member}`));
  };
  const numberIfAny = (member: string): bigint | undefined => {
    const value = object[member];
    if (value === null || value === undefined) return undefined;
    if (typeof value === "bigint" || Number.isSafeInteger(value)) {
      return BigInt(value as bigint | number);
    }
    return strange(member);
  };
  return {
    text(member) {
      const value = object[member];
      return typeof value === "string" ? value : strange(member);
    },
    number: (member) => numberIfAny(member) ?? 0n,
    numberIfAny,
  };
}

/** The validator of an id, which has to be the signer's. @param act `take it out` */
async function operated(
  { context, signer }: SigningPlace,
  validator: string,
  act: string,
  options: Abortable,
): Promise<Members> {
  const found = membersOf(context, await findObject(context, "validator", validator, options));
  if (found.text("operator") === signer.account) return found;
  throw refuse(
    `only the operator of validator ${shortId(validator)} may ${act}: give the wallet that is`,
  );
}

/** The delegation of an id, which has to be the signer's. */
async function owned(
  { context, signer }: SigningPlace,
  delegation: string,
  act: string,
  options: Abortable,
): Promise<ObjectValue> {
  const found = await findObject(context, "delegation", delegation, options);
  if (membersOf(context, found).text("owner") === signer.account) return found;
  throw refuse(
    `only the owner of delegation ${shortId(delegation)} may ${act}: give the wallet that is`,
  );
}

/** All delegations of an account, as they stand, and the epoch. */
export async function delegationsOf(
  context: Context,
  account: string,
  options: Abortable,
): Promise<{ readonly delegations: readonly DelegationView[]; readonly epoch: number }> {
  const delegations: DelegationView[] = [];
  let epoch = 0;
  let after: string | undefined;
  do {
    const page = await context.rpc.delegations({
      account,
      limit: MAX_PAGE,
      ...(after === undefined ? {} : { after }),
    }, options);
    delegations.push(...page.delegations);
    epoch = page.epoch;
    after = page.next;
  } while (after !== undefined);
  return { delegations, epoch };
}

/** Of a delegation; notes where it would never earn. */
export function delegationForesight(validator: string, amount: bigint): Foresight {
  return async ({ context }, options) => {
    if (amount < MIN_DELEGATION) {
      throw refuse(
        `a delegation must be at least ${formatUsdGrouped(MIN_DELEGATION)} USD: give more`,
      );
    }
    const { STAKING } = await import("#internal/ledger/mod.ts");
    const [found, all] = await Promise.all([
      findObject(context, "validator", validator, options),
      findObject(context, "staking", STAKING, options),
    ]);
    const pool = membersOf(context, found);
    const status = pool.text("status");
    if (status !== "active" && status !== "joining") {
      throw refuse(
        `validator ${shortId(validator)} takes no more stake: \`sion stake pools\` has others`,
      );
    }
    const staking = membersOf(context, all);
    const room = roomOf(pool, staking);
    if (room !== undefined && amount > room) {
      throw refuse(
        `validator ${shortId(validator)} can take ${formatUsdGrouped(room)} USD more, as nobody ` +
          "may have more than twice an equal share of the bonded stake: give less, or to another",
      );
    }
    if (staking.numberIfAny("epoch_pulses") === undefined) {
      context.note(
        "epochs never end on this chain, so nothing delegated ever earns: " +
          "`sion devnet --epoch-pulses` starts one on which they do",
      );
    }
  };
}

/**
 * The most that a validator's pool can take: with `a` more, n · (its + a) ≤ 2 · (all + a). Undefined
 * where there is no such bound.
 */
function roomOf(pool: Members, staking: Members): bigint | undefined {
  const own = pool.number("stake") + pool.number("delegated_pending") +
    pool.number("delegated_earning");
  const validators = staking.number("validators");
  if (validators <= 2n) return undefined;
  const room = (2n * staking.number("bonded") - validators * own) / (validators - 2n);
  return room > 0n ? room : 0n;
}

/** Of collecting rewards. */
export function claimForesight({ kind, id }: StakeNamed): Foresight {
  return async (place, options) => {
    const nothing = refuse(`nothing is owed to ${kind} ${shortId(id)} now: try later`);
    if (kind === "validator") {
      const validator = await operated(place, id, "claim its rewards", options);
      if (validator.number("earned") === 0n) throw nothing;
      return;
    }
    await owned(place, id, "claim its rewards", options);
    const { delegations } = await delegationsOf(place.context, place.signer.account, options);
    if (!delegations.some(({ delegation, owed }) => delegation === id && owed > 0n)) throw nothing;
  };
}

/** Of the end of a delegation. */
export function undelegationForesight(delegation: string): Foresight {
  return async (place, options) => {
    const { object } = await owned(place, delegation, "undelegate it", options);
    if (object["unbonding"] === null) return;
    throw refuse(
      `delegation ${shortId(delegation)} is unbonding already: \`sion stake show\` says until when`,
    );
  };
}

/** Of a withdrawal. */
export function withdrawalForesight({ kind, id }: StakeNamed): Foresight {
  return async (place, options) => {
    const what = `${kind} ${shortId(id)}`;
    let due: bigint | undefined;
    if (kind === "delegation") {
      const { object } = await owned(place, id, "withdraw it", options);
      if (object["shares"] === "0") throw refuse(`${what} was withdrawn already`);
      const { unbonding } = object;
      if (typeof unbonding !== "object" || unbonding === null) {
        throw refuse(`${what} is not unbonding: \`sion stake undelegate\` starts that`);
      }
      due = membersOf(place.context, { object: unbonding as ObjectValue["object"] }).number("due");
    } else {
      const validator = await operated(place, id, "withdraw its stake", options);
      due = validator.numberIfAny("withdrawable_at");
      if (due === undefined) throw refuse(`${what} has not left: \`sion stake leave\` does that`);
      if (validator.number("stake") === 0n) {
        throw refuse(`nothing of the own stake of ${what} is left`);
      }
    }
    // What is sent now executes in the next Pulse at the earliest.
    if (BigInt(place.view.pulse) + 1n >= due) return;
    throw refuse(
      `${what} can be withdrawn at Pulse ${due}, this is Pulse ${place.view.pulse}: wait for it`,
    );
  };
}

/** Of a new validator. @param key the id of its key */
export function registrationForesight(key: string, stake: bigint): Foresight {
  return async ({ context }, options) => {
    if (stake < MIN_OWN_STAKE) {
      throw refuse(
        `a validator's own stake must be at least ${
          formatUsdGrouped(MIN_OWN_STAKE)
        } USD: give more`,
      );
    }
    const { exists } = await context.rpc.object({ id: key }, options);
    if (exists) {
      throw refuse(
        "a validator has or had this key: make another with `sion genesis key`",
      );
    }
  };
}

/** Of another commission. */
export function commissionForesight(validator: string): Foresight {
  return async (place, options) => {
    const found = await operated(place, validator, "set its commission", options);
    const status = found.text("status");
    if (status === "active" || status === "joining") return;
    throw refuse(
      `validator ${shortId(validator)} ${
        status === "left" ? "has left" : "was slashed, and is out"
      }`,
    );
  };
}

/** Of a validator's leaving. */
export function leavingForesight(validator: string): Foresight {
  return async (place, options) => {
    const { context } = place;
    const found = await operated(place, validator, "take it out", options);
    const status = found.text("status");
    if (status === "left") throw refuse(`validator ${shortId(validator)} has left already`);
    const { STAKING } = await import("#internal/ledger/mod.ts");
    const staking = membersOf(context, await findObject(context, "staking", STAKING, options));
    if (status === "active" && staking.number("active") <= 1n) {
      throw refuse("the last active validator cannot leave: register another first");
    }
  };
}
