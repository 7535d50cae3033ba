/** Executes a Pulse from its witness alone. docs/protocol/ledger.md, Execution phases. */
import { encode, equalBytes, idBytes, toHex, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { PartialTree, WorldInput, WorldOutput } from "../world_input.ts";
import { keepBeacon } from "./beacons.ts";
import { checkConsent } from "./consent.ts";
import type { Credit } from "./context.ts";
import { contextOf, readAccount, USD, withBalance, writeAccount } from "./context.ts";
import { fail } from "./error.ts";
import { Failure, invalid } from "./failure.ts";
import { leavesRoot } from "./leaves.ts";
import { append, logOf, rootOf, rootOfList } from "./log.ts";
import type { Account } from "./objects.ts";
import type { Outcome, Receipt, Value } from "./receipt.ts";
import { receiptLeaf } from "./receipt.ts";
import type { State } from "./state.ts";
import { draftOver, openState } from "./state.ts";
import type { SignedUnit } from "./unit.ts";
import { endSession } from "./validators.ts";
import { decodeBareUnit, decodeUnit, floorFee, memberDigest, wholeFee } from "./unit.ts";

/** Micro-USD that a void slot costs, or what there is. */
const VOID_FEE = 1100n;

type Entry =
  | { readonly type: "unit"; readonly signed: SignedUnit }
  | { readonly type: "void"; readonly account: string; readonly sequence: bigint };

/** What came of one entry of the order; credits and claims still have to arrive. */
interface Result {
  readonly receipts: Receipt[];
  readonly credits: Credit[];
  readonly claims: string[];
  readonly endsSession: boolean;
}

/** What came of a Pulse. */
export interface ExecutedPulse {
  readonly output: WorldOutput;
  /** In certified order. */
  readonly receipts: readonly Receipt[];
  /** The shards' trees after it, as far as they are known. */
  readonly trees: readonly PartialTree[];
}

/**
 * Executes a Pulse. That the owners of the accounts asked for it is checked but for their signatures,
 * which `verifySignatures` checks.
 * @throws {SionError} with a {@link WorldErrorCode}, when nothing can be said about the Pulse.
 */
export function executePulse(input: WorldInput): ExecutedPulse {
  if (input.trees.length !== input.shards || input.shards < 1) {
    fail("witness", "there is not one tree a shard");
  }
  const state = openState(input.trees, input.before.stateRoot);
  const log = logOf(input.before.knowledgeSize, input.peaks);
  if (!equalBytes(rootOf(log), input.before.knowledgeRoot)) {
    fail("witness", "the peaks are not those of the knowledge log before");
  }
  const entries = input.ordered.map((entry): Entry => {
    if (entry.type === "void") return entry;
    const signed = decodeUnit(entry.bytes);
    checkConsent(input.chain, signed);
    return { type: "unit", signed };
  });
  const shardsBefore = state.shardRoots();
  const results = executeAll(input, state, entries);
  const receipts = results.flatMap((result) => result.receipts);
  const credits = results.flatMap((result) => result.credits);
  const fees = receipts.reduce((sum, receipt) => sum + receipt.fee, 0n);
  arrive(state, credits, fees);
  const committee = input.closesSession ? endSession(state, input.pulse) : null;
  keepBeacon(state, input);
  const knowledge = results.flatMap((result) => result.claims).map(idBytes).reduce(append, log);
  const shardsAfter = state.shardRoots();
  const count = (kind: Outcome["kind"]) => receipts.filter((r) => r.outcome.kind === kind).length;
  const output: WorldOutput = {
    stateRoot: rootOfList(shardsAfter),
    knowledgeRoot: rootOf(knowledge),
    knowledgeSize: knowledge.size,
    receiptsRoot: rootOfList(receipts.map(receiptLeaf)),
    leavesRoot: leavesRoot({ before: shardsBefore, after: shardsAfter, receipts, credits }),
    receipts: receipts.length,
    succeeded: count("success"),
    failed: count("failed"),
    voided: count("void"),
    fees,
    endsSession: results.some((result) => result.endsSession),
    committee,
  };
  return { output, receipts, trees: state.trees() };
}

/** First what touches nothing shared, then the rest; the results stand in certified order. */
function executeAll(input: WorldInput, state: State, entries: readonly Entry[]): Result[] {
  const results = new Array<Result>(entries.length);
  const later: number[] = [];
  const waiting = new Set<string>();
  const execute = (at: number) => {
    const entry = entries[at] as Entry;
    results[at] = entry.type === "void"
      ? executeVoid(input, state, entry)
      : executeUnit(input, state, entry.signed);
  };
  for (const [at, entry] of entries.entries()) {
    const members = entry.type === "unit" ? entry.signed.unit.members : [];
    const accounts = entry.type === "unit" ? members.map((m) => m.account) : [entry.account];
    const early = members.every((member) => member.kind.fixes(member.body) === "outcome") &&
      !accounts.some((account) => waiting.has(account));
    if (early) {
      execute(at);
    } else {
      for (const account of accounts) waiting.add(account);
      later.push(at);
    }
  }
  for (const at of later) execute(at);
  return results;
}

/** Consumes an account's next slot and takes a fee, or what there is of it. */
function consume(
  state: State,
  slot: { readonly account: string; readonly sequence: bigint },
  fee: bigint,
): bigint {
  const account = readAccount(state, slot.account);
  if (account.sequence !== slot.sequence) {
    fail("order", `slot ${slot.sequence} of an account comes where ${account.sequence} is next`);
  }
  const balance = account.balances.get(USD) ?? 0n;
  const taken = balance < fee ? balance : fee;
  const after = withBalance(account, USD, -taken) as Account;
  writeAccount(state, slot.account, { ...after, sequence: account.sequence + 1n });
  return taken;
}

function executeVoid(
  input: WorldInput,
  state: State,
  slot: { readonly account: string; readonly sequence: bigint },
): Result {
  const fee = consume(state, slot, VOID_FEE);
  const fields = [idBytes(slot.account), encode(u64, slot.sequence)];
  const digest = toHex(taggedHash("sion/void/v1", ...fields));
  const receipt: Receipt = {
    digest,
    unit: digest,
    index: 0,
    pulse: input.pulse,
    account: slot.account,
    sequence: slot.sequence,
    kind: 0,
    outcome: { kind: "void", body: {} },
    fee,
    events: [],
    made: [],
  };
  return { receipts: [receipt], credits: [], claims: [], endsSession: false };
}

/** Members one after another; each succeeds or fails by itself. */
function executeUnit(input: WorldInput, state: State, signed: SignedUnit): Result {
  const all = [...signed.unit.members.keys()].map((index) =>
    executeMember(input, state, signed, index)
  );
  return {
    receipts: all.flatMap((one) => one.receipts),
    credits: all.flatMap((one) => one.credits),
    claims: all.flatMap((one) => one.claims),
    endsSession: all.some((one) => one.endsSession),
  };
}

function executeMember(
  input: WorldInput,
  state: State,
  signed: SignedUnit,
  index: number,
): Result {
  const member = signed.unit.members[index] as SignedUnit["unit"]["members"][number];
  const { account, sequence, kind, body } = member;
  const digest = memberDigest(signed.digest, index);
  const floor = floorFee(signed);
  const beyond = wholeFee(signed, member) - floor;
  const taken = consume(state, member, floor);
  const draft = draftOver(state);
  const setting = {
    pulse: input.pulse,
    timeMs: input.timeMs,
    account,
    policy: signed.policy,
    digest,
    readUnit: decodeBareUnit,
  };
  const { context, effects } = contextOf(setting, draft);
  const common = { digest, unit: signed.digest, index, pulse: input.pulse, account, sequence };
  const made = (
    outcome: Outcome,
    fee: bigint,
    events: readonly Value[],
    ids: string[],
  ): Receipt => ({
    ...common,
    kind: kind.tag,
    outcome,
    fee,
    events,
    made: ids,
  });
  try {
    const left = readAccount(draft, account).balances.get(USD) ?? 0n;
    if (taken < floor || left < beyond) invalid("the balance does not cover the fee");
    context.take(USD, beyond);
    const events = kind.apply(context, body);
    draft.keep();
    const receipt = made({ kind: "success", body: {} }, floor + beyond, events, effects.made);
    const { credits, claims, endsSession } = effects;
    return { receipts: [receipt], credits, claims, endsSession };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const receipt = made({ kind: "failed", body: error.message }, taken, [], []);
    return { receipts: [receipt], credits: [], claims: [], endsSession: false };
  }
}

/** The Pulse's end: money arrives on accounts, fees in their asset. */
function arrive(state: State, credits: readonly Credit[], fees: bigint): void {
  for (const { account, asset, amount } of credits) {
    const after = withBalance(readAccount(state, account), asset, amount) as Account;
    writeAccount(state, account, after);
  }
  if (fees === 0n) return;
  const usd = state.read(USD);
  if (usd?.kind !== "asset") return fail("witness", "there is no USD in the state");
  state.write(USD, { kind: "asset", body: { ...usd.body, fees: usd.body.fees + fees } });
}
