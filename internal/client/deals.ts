/** Storage deals as the node shows them, as programs see them, and what can be done about one now. */
import { formatUsd, shortId } from "#internal/core/mod.ts";
import { checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { findObject, listObjects } from "./objects.ts";
import type { DealValue } from "./storage_types.ts";
import type { Abortable, ObjectValue } from "./types.ts";

/** The kind of objects that deals are. */
export const DEAL_KIND = "storage_deal";

/** A deal as the node shows it; amounts are micro-USD. */
export interface DealObject {
  readonly id: string;
  readonly client: string;
  readonly provider: string | null;
  readonly size: bigint;
  readonly leaves: number;
  readonly root: string;
  readonly locator: string | null;
  readonly price: bigint;
  readonly rounds: number;
  readonly roundLength: number;
  readonly challenges: number;
  readonly collateral: bigint;
  readonly escrow: bigint;
  readonly acceptBy: number;
  readonly state: DealPhase;
}

/** How it stands at the node's newest Pulse. */
export type DealPhase =
  | { readonly phase: "open" }
  | {
    readonly phase: "active";
    readonly start: number;
    readonly end: number;
    readonly proven: number;
    readonly missed: number;
    readonly last: number;
    readonly round: number | null;
    readonly roundStart: number | null;
  }
  | {
    readonly phase: "closed";
    readonly at: number;
    readonly proven: number;
    readonly missed: number;
    readonly forfeited: bigint;
    readonly refund: bigint;
  };

/** All deals, or those that can still be accepted, by when they can be. */
export async function listDeals(
  context: Context,
  { open = false, signal }: { readonly open?: boolean } & Abortable = {},
): Promise<readonly DealValue[]> {
  await checkPinned(context, signal);
  const objects = await listObjects(context, DEAL_KIND, undefined, withSignal(signal));
  const { pulse } = await context.rpc.status({}, withSignal(signal));
  return objects.map(dealOf)
    .filter(({ state, acceptBy }) => !open || (state.phase === "open" && acceptBy > pulse))
    .sort((a, b) => a.acceptBy - b.acceptBy || (a.id < b.id ? -1 : 1))
    .map(dealValue);
}

/** One deal. */
export async function showDeal(
  context: Context,
  id: string,
  options: Abortable = {},
): Promise<DealValue> {
  return dealValue(await findDeal(context, id, options));
}

/** A deal by its id, or the beginning of one. */
export async function findDeal(
  context: Context,
  id: string,
  options: Abortable = {},
): Promise<DealObject> {
  await checkPinned(context, options.signal);
  return dealOf(await findObject(context, DEAL_KIND, id, options));
}

/** Why the ledger would not let an account accept a deal, in words that go on from it. */
export function acceptanceFault(
  { id, state, provider, acceptBy }: DealObject,
  account: string,
  pulse: number,
): string | undefined {
  const deal = `storage deal ${shortId(id)}`;
  if (state.phase === "active") return `${deal} is accepted already: see \`sion storage deals\``;
  if (state.phase === "closed") {
    return `${deal} is closed: \`sion storage deals --open\` has others`;
  }
  if (provider !== null && provider !== account) {
    return `${deal} is meant for ${shortId(provider)}: give that provider's wallet`;
  }
  if (acceptBy <= pulse) {
    return `${deal} could be accepted through Pulse ${acceptBy}: it is too late`;
  }
  return undefined;
}

/** Why no round of a deal can be proven now. */
export function roundFault({ id, state }: DealObject, pulse: number): string | undefined {
  const deal = `storage deal ${shortId(id)}`;
  if (state.phase === "open") return `${deal} is not accepted: \`sion storage accept\` does that`;
  if (state.phase === "closed") return `${deal} is closed: nothing is left to prove`;
  const { round, roundStart, start, end, last } = state;
  if (pulse >= end) return `${deal} is over: close it with \`sion storage close\``;
  if (round === null || roundStart === null) {
    return `round 1 of ${deal} begins at Pulse ${start}: wait for it`;
  }
  return last === round
    ? `round ${round} of ${deal} is proven already: the next one begins later`
    : undefined;
}

/** Why the ledger would not let an account close a deal in a Pulse. */
export async function closingFault(
  { id, client, provider, rounds, roundLength, state }: DealObject,
  account: string,
  pulse: number,
): Promise<string | undefined> {
  const deal = `storage deal ${shortId(id)}`;
  if (state.phase === "closed") return `${deal} is closed already, since Pulse ${state.at}`;
  if (state.phase === "open") {
    return client === account
      ? undefined
      : `nobody accepted ${deal} yet, and its client alone may close it: give that wallet`;
  }
  if (client !== account && provider !== account) {
    return `only client and provider may close ${deal}: give the wallet of one`;
  }
  const { progressAt } = await import("#internal/ledger/mod.ts");
  const { over, abandoned } = progressAt(
    { rounds: BigInt(rounds), length: BigInt(roundLength) },
    { start: BigInt(state.start), proven: BigInt(state.proven), last: BigInt(state.last) },
    BigInt(pulse),
  );
  if (over || (abandoned && client === account)) return undefined;
  const unless = client === account ? ", unless its provider misses three rounds in a row" : "";
  return `${deal} runs through Pulse ${state.end - 1}: close it after that${unless}`;
}

/**
 * Transactions that a deal may still ask of its provider after a Pulse: a proof of each round that is not
 * over, and the closing. Of one that is not accepted yet: of all its rounds.
 */
export function transactionsToCome(
  { state, rounds, roundLength }: DealObject,
  pulse: number,
): number {
  switch (state.phase) {
    case "open":
      return rounds + 1;
    case "active":
      return Math.min(rounds, Math.max(0, Math.ceil((state.end - pulse) / roundLength))) + 1;
    case "closed":
      return 0;
  }
}

/** Reads a deal as the node shows it. */
export function dealOf({ id, object }: ObjectValue): DealObject {
  const number = (name: string): number => Number(object[name]);
  const micro = (name: string): bigint => BigInt(object[name] as number | bigint);
  return {
    id,
    client: object["client"] as string,
    provider: object["provider"] as string | null,
    size: micro("size"),
    leaves: number("leaves"),
    root: object["root"] as string,
    locator: object["locator"] as string | null,
    price: micro("price"),
    rounds: number("rounds"),
    roundLength: number("round_length"),
    challenges: number("challenges"),
    collateral: micro("collateral"),
    escrow: micro("escrow"),
    acceptBy: number("accept_by"),
    state: phaseOf(object["state"] as Readonly<Record<string, unknown>>),
  };
}

function phaseOf(state: Readonly<Record<string, unknown>>): DealPhase {
  const number = (name: string): number => Number(state[name]);
  const numberIfAny = (name: string): number | null => state[name] === null ? null : number(name);
  switch (state["phase"]) {
    case "active":
      return {
        phase: "active",
        start: number("start"),
        end: number("end"),
        proven: number("proven"),
        missed: number("missed"),
        last: number("last_proven"),
        round: numberIfAny("round"),
        roundStart: numberIfAny("round_start"),
      };
    case "closed":
      return {
        phase: "closed",
        at: number("at"),
        proven: number("proven"),
        missed: number("missed"),
        forfeited: BigInt(state["forfeited"] as number | bigint),
        refund: BigInt(state["refund"] as number | bigint),
      };
    default:
      return { phase: "open" };
  }
}

/** A deal as `sion_storage_deals` shows it. */
function dealValue(deal: DealObject): DealValue {
  return {
    accept_by: deal.acceptBy,
    challenges: deal.challenges,
    client: deal.client,
    collateral: formatUsd(deal.collateral),
    deal: deal.id,
    escrow: formatUsd(deal.escrow),
    leaves: deal.leaves,
    locator: deal.locator,
    price: formatUsd(deal.price),
    provider: deal.provider,
    root: deal.root,
    round_length: deal.roundLength,
    rounds: deal.rounds,
    state: stateValue(deal),
  };
}

function stateValue({ state, roundLength }: DealObject): DealValue["state"] {
  switch (state.phase) {
    case "open":
      return { phase: "open" };
    case "active": {
      const { end, missed, proven, round, roundStart } = state;
      return {
        phase: "active",
        ends: end - 1,
        missed,
        proven,
        round,
        round_ends: roundStart === null ? null : roundStart + roundLength - 1,
      };
    }
    case "closed": {
      const { at, forfeited, missed, proven, refund } = state;
      return {
        phase: "closed",
        at,
        forfeited: formatUsd(forfeited),
        missed,
        proven,
        refund: formatUsd(refund),
      };
    }
  }
}
