/**
 * Signing: a wallet's next sequence is taken and the signed unit is kept in one durable step, before
 * anything is sent. Up to 16 sequences are signed ahead of the ledger; then signing waits.
 */
import type { Digest } from "#internal/core/mod.ts";
import { DEFAULT_VALIDITY_PULSES, fromHex } from "#internal/core/mod.ts";
import type { Ledger, SignedUnit, Unit } from "#internal/ledger/mod.ts";
import type { BatchPlace, Lane, PendingUnit } from "#internal/store/mod.ts";
import type { AccountView } from "./accounts.ts";
import { knownNames } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { badArgument, notEnough, readOnlyNode } from "./errors.ts";
import type { Signer } from "./keys.ts";
import { orAborted } from "./or_aborted.ts";
import type { Action, Signing, SignOptions } from "./types.ts";

/** How many sequences beyond the last known consumed one may be signed. */
const MAX_AHEAD = 16;
/** How often other processes' progress is looked for while waiting for room, ms. */
const ROOM_POLL_MS = 100;

/** A unit that is signed and kept. */
export interface KeptUnit {
  readonly pending: PendingUnit;
  readonly signed: SignedUnit;
  /** Digests of its members. */
  readonly digests: readonly Digest[];
}

/** An action whose body depends on the slot that it takes. */
export interface SlotAction {
  readonly kind: string;
  readonly bodyAt: (
    slot: { readonly account: string; readonly sequence: bigint },
  ) => Promise<unknown>;
}

/** The members of one unit, given the units signed before it in the same call. */
export type Plan = (earlier: readonly Drafted[]) => readonly (Action | SlotAction)[];

/** How units are signed: as whoever asked wants it, and where in a batch, one place for each plan. */
export interface LaneOptions extends Omit<SignOptions, "onSign"> {
  /** @param at which of the plans it is. */
  readonly onSign?: (signing: Signing, drafted: Drafted, at: number) => void | Promise<void>;
  readonly places?: readonly BatchPlace[];
  /** The purchase over HTTP that the one plan pays for. */
  readonly purchase?: string;
}

/** A unit before it is signed: ids of what it will make follow from its digests. */
export interface Drafted {
  readonly unit: Unit;
  readonly digests: readonly Digest[];
  /** Micro-USD, all members together. */
  readonly fee: bigint;
  /** Micro-USD at most, fees not counted. */
  readonly spend: bigint;
}

/** What signing needs besides the plans, as it was when the node was asked. */
export interface SigningPlace {
  readonly context: Context;
  readonly facts: ChainFacts;
  readonly signer: Signer;
  /** The node's view of the signer's account. */
  readonly view: AccountView;
}

/**
 * Drafts, signs and keeps one unit for each plan, at the wallet's next sequences. Calls for one
 * account stand in line: the first waits for room.
 * @param again the place anew: whoever waited must not sign for Pulses that have passed.
 * @throws {SionError} `not-enough` and what `onSign` throws; nothing is kept then.
 */
export async function signAhead(
  place: SigningPlace,
  plans: readonly Plan[],
  options: LaneOptions,
  again: () => Promise<SigningPlace>,
): Promise<readonly KeptUnit[]> {
  const { context, signer } = place;
  return await inLine(context, signer.account, options.signal, async (waited) => {
    let now = waited ? await again() : place;
    for (;;) {
      options.signal?.throwIfAborted();
      const kept = await signIfRoom(now, plans, options);
      if (kept !== undefined) return kept;
      await context.work.wait(ROOM_POLL_MS);
      now = await again();
    }
  });
}

/** Waits for those of the account that came before. @param body is told whether there were any. */
async function inLine<T>(
  { work }: Context,
  account: string,
  signal: AbortSignal | undefined,
  body: (waited: boolean) => Promise<T>,
): Promise<T> {
  const before = work.signing.get(account);
  const turn = Promise.withResolvers<void>();
  const mine = (before ?? Promise.resolve()).then(() => turn.promise);
  work.signing.set(account, mine);
  try {
    if (before !== undefined) await orAborted(before, signal);
    return await body(before !== undefined);
  } finally {
    turn.resolve();
    if (work.signing.get(account) === mine) work.signing.delete(account);
  }
}

/** What is signed and kept is sent, sooner or later: so only where somebody takes it. */
function requireTaker({ node }: Context, { readOnly }: ChainFacts): void {
  if (readOnly) throw readOnlyNode(node);
}

/** Signs and keeps; `undefined` when so many wait already that nothing was signed. */
async function signIfRoom(
  place: SigningPlace,
  plans: readonly Plan[],
  options: LaneOptions,
): Promise<readonly KeptUnit[] | undefined> {
  const { context, facts, signer } = place;
  requireTaker(context, facts);
  const ledger = await context.ledger();
  const names = await knownNames(context, facts);
  const state = await context.state();
  const key = { chain: facts.chain, account: signer.account };
  return await state.withLane(key, async (lane) => {
    if (!hasRoom(lane, place.view.sequence, plans.length)) return undefined;
    const drafts = await draftAll(place, ledger, lane, plans, options);
    checkFunds(place, lane, drafts);
    const units: KeptUnit[] = [];
    for (const [at, draft] of drafts.entries()) {
      await tellSigning(ledger, names, signer, { draft, at }, options);
      const unit = await signDraft(place, ledger, draft);
      const batch = options.places?.[at];
      const { purchase: id } = options;
      lane.keep({
        ...unit.pending,
        ...(batch === undefined ? {} : { batch }),
        ...(id === undefined ? {} : { purchase: { id, digest: unit.digests[0] as Digest } }),
      });
      units.push(unit);
    }
    // Before the turn ends, so that no other call takes them for left behind.
    for (const { pending } of units) context.work.units.add(pending.unit);
    return units;
  });
}

/** One member of a unit of several accounts: who acts, and what it does. */
export interface JointMember {
  readonly place: SigningPlace;
  readonly action: Action;
}

/**
 * Drafts, signs and keeps one unit of several accounts that one policy signs for, each member at its
 * account's next sequence: under one signature, and in the lane of each account in one durable step.
 * @param again the members anew: whoever waited must not sign for Pulses that have passed.
 * @throws {SionError} `not-enough` and what `onSign` throws; nothing is kept then.
 */
export async function signTogether(
  members: readonly [JointMember, ...JointMember[]],
  options: LaneOptions,
  again: () => Promise<readonly [JointMember, ...JointMember[]]>,
): Promise<KeptUnit> {
  const { context } = members[0].place;
  // In one order for all calls: two that share accounts would wait for each other else.
  const accounts = [...new Set(members.map(({ place }) => place.signer.account))].sort();
  const waiting = async (left: readonly string[], waited: boolean): Promise<KeptUnit> => {
    const [next, ...rest] = left;
    if (next !== undefined) {
      return await inLine(context, next, options.signal, (more) => waiting(rest, waited || more));
    }
    let now = waited ? await again() : members;
    for (;;) {
      options.signal?.throwIfAborted();
      const kept = await signTogetherIfRoom(now, options);
      if (kept !== undefined) return kept;
      await context.work.wait(ROOM_POLL_MS);
      now = await again();
    }
  };
  return await waiting(accounts, false);
}

async function signTogetherIfRoom(
  members: readonly [JointMember, ...JointMember[]],
  options: LaneOptions,
): Promise<KeptUnit | undefined> {
  const { context, facts, signer } = members[0].place;
  requireTaker(context, facts);
  const ledger = await context.ledger();
  const names = await knownNames(context, facts);
  const state = await context.state();
  return await state.withLane({ chain: facts.chain, account: signer.account }, async ({ keep }) => {
    const places = new Map(members.map(({ place }) => [place.signer.account, place]));
    const lanes = new Map([...places.keys()].map((account) => {
      const key = { chain: facts.chain, account };
      return [account, { pending: state.pending(key), floor: state.floor(key), keep }] as const;
    }));
    const isFull = [...lanes].some(([account, lane]) =>
      !hasRoom(lane, places.get(account)?.view.sequence ?? 0n, 1)
    );
    if (isFull) return undefined;
    const draft = draftTogether(ledger, members, lanes, options);
    const parts = partsOf(ledger, draft.unit, signer);
    for (const [account, part] of parts) {
      const place = places.get(account) as SigningPlace;
      checkFunds(place, lanes.get(account) as Lane, [part]);
    }
    await tellSigning(ledger, names, signer, { draft, at: 0 }, options);
    const salts = members.map(({ place }) => place.signer.salt);
    const unit = await signDraft(members[0].place, ledger, draft, salts);
    for (const [account, { sequence, count, fee, spend }] of parts) {
      keep({ ...unit.pending, account, sequence, members: count, cost: fee + spend });
    }
    context.work.units.add(unit.pending.unit);
    return unit;
  });
}

/** The members of one account in a unit: its slots, and what they cost it. */
interface Part {
  readonly sequence: bigint;
  readonly count: number;
  /** Micro-USD. */
  readonly fee: bigint;
  readonly spend: bigint;
}

function draftTogether(
  ledger: Ledger,
  members: readonly [JointMember, ...JointMember[]],
  lanes: ReadonlyMap<string, Lane>,
  { validForPulses = DEFAULT_VALIDITY_PULSES }: Pick<SignOptions, "validForPulses">,
): Drafted {
  const [{ place: { facts, signer } }] = members;
  const heads = members.map(({ place }) => BigInt(place.view.pulse));
  const head = heads.reduce(max, facts.head);
  const next = new Map<string, bigint>();
  const slots = members.map(({ place: { signer: { account }, view }, action }) => {
    const { pending, floor } = lanes.get(account) as Lane;
    const taken = new Set(pending.flatMap(sequencesOf));
    const sequence = next.get(account) ??
      firstFree(taken, max(floor, view.sequence), membersOf(members, account));
    next.set(account, sequence + 1n);
    return { account, sequence, kind: action.kind, body: action.body };
  });
  return draftUnit(ledger, signer, {
    chain: facts.chain,
    validUntil: head + BigInt(validForPulses),
    maxFee: 0n,
    members: slots,
  });
}

function membersOf(members: readonly JointMember[], account: string): number {
  return members.filter(({ place }) => place.signer.account === account).length;
}

/** What each account has in a unit, in the order of its first members. */
function partsOf(ledger: Ledger, unit: Unit, signer: Signer): ReadonlyMap<string, Part> {
  const fees = ledger.fees(policed(unit, signer));
  const parts = new Map<string, Part>();
  for (const [at, { account, sequence, kind, body }] of unit.members.entries()) {
    const part = parts.get(account) ?? { sequence, count: 0, fee: 0n, spend: 0n };
    parts.set(account, {
      ...part,
      count: part.count + 1,
      fee: part.fee + (fees[at] ?? 0n),
      spend: part.spend + spendOf(ledger, kind, body),
    });
  }
  return parts;
}

/** The most that a member takes from its account besides its fee, micro-USD. */
function spendOf(ledger: Ledger, kind: string, body: unknown): bigint {
  return ledger.kinds.find(({ name }) => name === kind)?.spendBound?.(body)?.amount ?? 0n;
}

/** Drafts and signs units without keeping them: for sending later, in order, from elsewhere. */
export async function signOnly(
  place: SigningPlace,
  plans: readonly Plan[],
  options: Pick<SignOptions, "validForPulses">,
): Promise<readonly { readonly kept: KeptUnit; readonly intent: string }[]> {
  const { context, facts, signer } = place;
  const ledger = await context.ledger();
  const names = await knownNames(context, facts);
  const signed = [];
  for (const draft of await draftOnly(place, plans, options)) {
    const intent = ledger.intent(policed(draft.unit, signer), names);
    signed.push({ kept: await signDraft(place, ledger, draft), intent });
  }
  return signed;
}

/**
 * The units as they would be signed now, with nothing signed or kept.
 * @throws {SionError} `not-enough` for all of them together, `argument` for a body out of shape
 */
export async function draftOnly(
  place: SigningPlace,
  plans: readonly Plan[],
  options: Pick<SignOptions, "validForPulses">,
): Promise<readonly Drafted[]> {
  const { context, facts, signer } = place;
  const state = await context.state();
  const key = { chain: facts.chain, account: signer.account };
  const lane = { pending: state.pending(key), floor: state.floor(key), keep: () => {} };
  const drafts = await draftAll(place, await context.ledger(), lane, plans, options);
  checkFunds(place, lane, drafts);
  return drafts;
}

function hasRoom(lane: Lane, ledgerNext: bigint, units: number): boolean {
  const base = max(lane.floor, ledgerNext);
  const waiting = lane.pending.filter(({ sequence }) => sequence >= base).length;
  return waiting + units <= MAX_AHEAD;
}

async function draftAll(
  { facts, signer, view }: SigningPlace,
  ledger: Ledger,
  lane: Lane,
  plans: readonly Plan[],
  { validForPulses = DEFAULT_VALIDITY_PULSES }: Pick<SignOptions, "validForPulses">,
): Promise<readonly Drafted[]> {
  if (!Number.isInteger(validForPulses) || validForPulses < 1) {
    throw badArgument(`${validForPulses} Pulses is no time to be valid for: give 1 or more`);
  }
  const taken = new Set(lane.pending.flatMap(sequencesOf));
  const head = max(facts.head, BigInt(view.pulse));
  const validUntil = head + BigInt(validForPulses);
  const drafts: Drafted[] = [];
  for (const plan of plans) {
    const actions = plan(drafts);
    const first = firstFree(taken, max(lane.floor, view.sequence), actions.length);
    const members = [];
    for (const [index, action] of actions.entries()) {
      const slot = { account: signer.account, sequence: first + BigInt(index) };
      taken.add(slot.sequence);
      const body = "bodyAt" in action ? await action.bodyAt(slot) : action.body;
      members.push({ ...slot, kind: action.kind, body });
    }
    drafts.push(draftUnit(ledger, signer, { chain: facts.chain, validUntil, maxFee: 0n, members }));
  }
  return drafts;
}

function draftUnit(ledger: Ledger, signer: Signer, unbounded: Unit): Drafted {
  const fees = ledger.fees(policed(unbounded, signer));
  const fee = fees.reduce((sum, one) => sum + one, 0n);
  const unit: Unit = { ...unbounded, maxFee: fee };
  const spend = unit.members.reduce((sum, { kind, body }) => sum + spendOf(ledger, kind, body), 0n);
  return { unit, digests: digestsOf(ledger, unit), fee, spend };
}

/** What no ledger state could accept is found here, before anything is signed. */
function digestsOf(ledger: Ledger, unit: Unit): readonly Digest[] {
  try {
    return ledger.memberDigests(unit);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const fault = error.message.replace(/^Cannot encode( unit)?: /, "");
    throw badArgument(`${fault}: give another value; nothing was sent`, error);
  }
}

/** The first of `count` sequences in a row, from `from` on, that no kept unit has. */
function firstFree(taken: ReadonlySet<bigint>, from: bigint, count: number): bigint {
  let first = from;
  for (let run = 0n; run < BigInt(count);) {
    if (taken.has(first + run)) {
      first += run + 1n;
      run = 0n;
    } else {
      run++;
    }
  }
  return first;
}

/** What waits already, here or on the ledger, is not there to be spent again. */
function checkFunds(
  { signer, view }: SigningPlace,
  lane: Lane,
  drafts: readonly Pick<Drafted, "fee" | "spend">[],
): void {
  const waiting = lane.pending
    .filter(({ sequence }) => sequence >= view.sequence)
    .reduce((sum, { cost }) => sum + cost, 0n);
  const has = usdOf(view) - max(waiting, view.reserved);
  const spend = drafts.reduce((sum, draft) => sum + draft.spend, 0n);
  const fee = drafts.reduce((sum, draft) => sum + draft.fee, 0n);
  if (has < spend + fee) throw notEnough(signer.called, max(has, 0n), spend, fee);
}

/** What one action of an account costs as a unit of its own, micro-USD. */
export async function feeOf(
  { context, facts, signer }: SigningPlace,
  action: Action,
): Promise<bigint> {
  const ledger = await context.ledger();
  const member = { account: signer.account, sequence: 0n, kind: action.kind, body: action.body };
  const unit = { chain: facts.chain, validUntil: 0n, maxFee: 0n, members: [member] };
  return ledger.fees(policed(unit, signer)).reduce((sum, one) => sum + one, 0n);
}

/** USD of an account, in micro-units. */
export function usdOf(view: AccountView): bigint {
  return view.balances.find(({ symbol }) => symbol === "USD")?.amount ?? 0n;
}

async function tellSigning(
  ledger: Ledger,
  names: (id: string) => string | undefined,
  signer: Signer,
  { draft, at }: { readonly draft: Drafted; readonly at: number },
  { onSign }: LaneOptions,
): Promise<void> {
  if (onSign === undefined) return;
  const first = draft.unit.members[0];
  await onSign(
    {
      wallet: signer.wallet,
      digest: draft.digests[0] as Digest,
      unit: ledger.unitDigest(draft.unit),
      sequence: first?.sequence ?? 0n,
      validUntil: draft.unit.validUntil,
      intent: ledger.intent(policed(draft.unit, signer), names),
    },
    draft,
    at,
  );
}

async function signDraft(
  { context, facts, signer }: SigningPlace,
  ledger: Ledger,
  draft: Drafted,
  salts: readonly Uint8Array[] = draft.unit.members.map(() => signer.salt),
): Promise<KeptUnit> {
  const digest = ledger.unitDigest(draft.unit);
  const signature = await signer.sign(fromHex(digest));
  const signed: SignedUnit = {
    unit: draft.unit,
    authorization: {
      policy: signer.policy,
      salts,
      signatures: [{ key: 0, signature }],
    },
  };
  const pending: PendingUnit = {
    chain: facts.chain,
    account: signer.account,
    sequence: draft.unit.members[0]?.sequence ?? 0n,
    members: draft.unit.members.length,
    wallet: signer.wallet,
    unit: digest,
    bytes: ledger.encodeSigned(signed),
    cost: draft.spend + draft.fee,
    validUntil: draft.unit.validUntil,
    owner: context.processId,
    touchedMs: context.clock.nowMs(),
  };
  return { pending, signed, digests: draft.digests };
}

function policed(unit: Unit, signer: Signer): {
  unit: Unit;
  authorization: { policy: Signer["policy"] };
} {
  return { unit, authorization: { policy: signer.policy } };
}

function sequencesOf({ sequence, members }: PendingUnit): bigint[] {
  return Array.from({ length: members }, (_, index) => sequence + BigInt(index));
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
