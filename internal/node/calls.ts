/** What a validator answers to clients: one function for each method of the contract. */
import { encode, messageOf, SionError, toHex } from "#internal/core/mod.ts";
import type {
  Account,
  Asset,
  LedgerState,
  Moment,
  ReadObject,
  Unit,
} from "#internal/ledger/mod.ts";
import {
  accountKind,
  assetKind,
  delegationKind,
  readDelegation,
  readEpoch,
  readPools,
  readToDecide,
} from "#internal/ledger/mod.ts";
import { accusationCodec, headerCodec } from "#internal/proofs/mod.ts";
import type { MethodParams, MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { DEFAULT_EVENT_PULSES, DEFAULT_EVENTS, MAX_PAGE, RpcError } from "#internal/rpc/mod.ts";
import { busyError } from "./intake.ts";
import type { Faucet } from "./faucet.ts";
import { hexIfThere, receiptView } from "./pulse_contents.ts";
import type { ValidatorParts } from "./parts.ts";
import { createProofCalls } from "./proof_calls.ts";

/** Epochs that never end are said to end here: 2^63-1. */
const NEVER = 9_223_372_036_854_775_807n;

/** The calls of a validator. */
export function createCalls(parts: ValidatorParts, faucet: Faucet | undefined): RpcCalls {
  /** A call that is answered at once; what it throws reaches the caller as its promise's fault. */
  const now = <P, R>(answer: (parts: ValidatorParts, params: P) => R) =>
  // deno-lint-ignore require-await -- async for what it throws
  async (params: P): Promise<R> => answer(parts, params);
  return {
    ...createProofCalls(parts),
    account: now(accountOf),
    accusations: now(accusationsOf),
    certificate: now(certificateOf),
    claim: now(claimOf),
    delegations: now(delegationsOf),
    events: now(eventsOf),
    faucet(params, options) {
      if (faucet === undefined) {
        const message = "This chain has no faucet: only devnets have";
        return Promise.reject(new RpcError("not-devnet", message));
      }
      return faucet.give(params, options?.signal);
    },
    header: now(headerOf),
    object: now(objectOf),
    objects: now(objectsOf),
    pools: now(poolsOf),
    receipt: (params, options) => receiptOf(parts, params, options?.signal),
    status: now(statusOf),
    submit: (params) => submit(parts, params),
  };
}

function pulseOf({ machine }: ValidatorParts): number {
  return Number(machine.header().number);
}

function momentOf({ machine }: ValidatorParts): Moment {
  const { number, timeMs } = machine.header();
  return { pulse: number, timeMs };
}

/** The value of an object that must be of a kind, if it is there. */
function valueOf<Value>(
  { machine }: ValidatorParts,
  id: string,
  kind: { readonly name: string },
): Value | undefined {
  const object = machine.state().get(id);
  return object?.kind === kind.name ? object.value as Value : undefined;
}

function accountOf(
  parts: ValidatorParts,
  { account }: MethodParams<"account">,
): MethodResult<"account"> {
  const { machine } = parts;
  const value = valueOf<Account>(parts, account, accountKind);
  const balances = [...value?.balances ?? []].map(([asset, amount]) => ({
    amount,
    asset,
    symbol: valueOf<Asset>(parts, asset, assetKind)?.symbol ?? "",
  }));
  return {
    account,
    balances,
    exists: value !== undefined,
    next_sequence: machine.nextSequence(account),
    pulse: pulseOf(parts),
    reserved: machine.reserved(account),
    sequence: value?.sequence ?? 0n,
  };
}

function headerOf(
  parts: ValidatorParts,
  { number }: MethodParams<"header">,
): MethodResult<"header"> {
  const bytes = number === 0 ? encode(headerCodec, parts.facts.header) : parts.store.header(number);
  if (bytes === undefined) throw new RpcError("not-found", `There is no Pulse ${number} here`);
  return { bytes: toHex(bytes), number, pulse: pulseOf(parts) };
}

function certificateOf(
  parts: ValidatorParts,
  { number }: MethodParams<"certificate">,
): MethodResult<"certificate"> {
  const bytes = parts.store.certificate(number);
  if (bytes === undefined) {
    throw new RpcError("not-found", `There is no certificate of Pulse ${number} here`);
  }
  return { bytes: toHex(bytes), number, pulse: pulseOf(parts) };
}

function eventsOf(parts: ValidatorParts, params: MethodParams<"events">): MethodResult<"events"> {
  const pulse = pulseOf(parts);
  const from = params.from ?? Math.max(0, pulse - DEFAULT_EVENT_PULSES + 1);
  const limit = params.limit ?? DEFAULT_EVENTS;
  return { ...parts.journal.events(from, params.skip ?? 0, limit), pulse };
}

function claimOf(
  { ledger, machine }: ValidatorParts,
  { id }: MethodParams<"claim">,
): MethodResult<"claim"> {
  const { number } = machine.header();
  const state = machine.state();
  const objects = [...readToDecide((each) => state.get(each), id, number)]
    .map(([id, object]) => ({ id, object: toHex(ledger.encodeObject(object)) }));
  return { exists: objects.length > 0, id, objects, pulse: Number(number) };
}

function objectOf(
  parts: ValidatorParts,
  { id }: MethodParams<"object">,
): MethodResult<"object"> {
  const object = parts.machine.state().get(id);
  const pulse = pulseOf(parts);
  if (object === undefined) return { exists: false, id, object: null, pulse };
  const view = parts.ledger.viewObject(object, momentOf(parts));
  return { exists: true, id, kind: object.kind, object: view, pulse };
}

function objectsOf(
  parts: ValidatorParts,
  params: MethodParams<"objects">,
): MethodResult<"objects"> {
  const limit = params.limit ?? MAX_PAGE;
  const state = parts.machine.state();
  const { kind, after, where } = params;
  const ids = parts.store.objectIds({
    kind,
    limit,
    ...(after === undefined ? {} : { after }),
    ...(where === undefined ? {} : { where: { role: where.member, equals: where.equals } }),
  });
  const objects = [];
  for (const id of ids) {
    const object = state.get(id);
    if (object === undefined) continue;
    // The store keeps what an object ever named; what it names now decides.
    if (where !== undefined && parts.ledger.refsOf(object)[where.member] !== where.equals) continue;
    objects.push({ id, kind, object: parts.ledger.viewObject(object, momentOf(parts)) });
  }
  const last = ids.at(-1);
  const next = ids.length < limit || last === undefined ? {} : { next: last };
  return { ...next, objects, pulse: pulseOf(parts) };
}

function accusationsOf(parts: ValidatorParts): MethodResult<"accusations"> {
  const accusations = parts.machine.accusations()
    .map((accusation) => toHex(encode(accusationCodec, accusation)));
  return { accusations, pulse: pulseOf(parts) };
}

function poolsOf({ machine }: ValidatorParts): MethodResult<"pools"> {
  const read = readerOf(machine.state());
  const { epoch, epochEnd } = readEpoch(read);
  return {
    epoch: Number(epoch),
    epoch_end: epochEnd === null ? null : Number(epochEnd),
    pools: [...readPools(read)],
    pulse: Number(machine.header().number),
  };
}

function delegationsOf(
  parts: ValidatorParts,
  { account, after, limit = MAX_PAGE }: MethodParams<"delegations">,
): MethodResult<"delegations"> {
  const read = readerOf(parts.machine.state());
  const ids = parts.store.objectIds({
    kind: delegationKind.name,
    limit,
    ...(after === undefined ? {} : { after }),
    where: { role: "owner", equals: account },
  });
  const delegations = ids.flatMap((id) => {
    const found = readDelegation(read, id);
    if (found === undefined) return [];
    const { since, withdrawableAt, ...rest } = found;
    const withdrawable = withdrawableAt === null ? null : Number(withdrawableAt);
    return [{ ...rest, since: Number(since), withdrawable_at: withdrawable }];
  });
  const last = ids.at(-1);
  const next = ids.length < limit || last === undefined ? {} : { next: last };
  return { ...next, delegations, epoch: Number(readEpoch(read).epoch), pulse: pulseOf(parts) };
}

function readerOf(state: LedgerState): ReadObject {
  return (id) => state.at(id);
}

async function receiptOf(
  parts: ValidatorParts,
  params: MethodParams<"receipt">,
  signal: AbortSignal | undefined,
): Promise<MethodResult<"receipt">> {
  const { digest } = params;
  const { journal, machine } = parts;
  await journal.wait(digest, params.until ?? "executed", { ms: params.wait_ms ?? 0, signal });
  const pulse = pulseOf(parts);
  const found = journal.find(digest);
  if (found !== undefined) {
    const receipt = found.contents.receipts[found.index];
    if (receipt !== undefined) {
      const tx = hexIfThere(found.contents.unitOf(found.index));
      return {
        digest,
        pulse,
        receipt: receiptView(receipt),
        state: "executed",
        ...(tx === undefined ? {} : { tx }),
        unit: receipt.unit,
      };
    }
  }
  const unit = journal.unitOf(digest);
  const standing = machine.standing(unit);
  switch (standing) {
    case "unknown":
      return { digest, pulse, state: "unknown" };
    case "dead":
      return { digest, pulse, state: "expired", unit };
    case "executed":
      // Ordered, so that it will execute; its Pulse is not cut yet.
      return { digest, pulse, state: "final", unit };
    default:
      return { digest, pulse, state: standing, unit };
  }
}

/** As `sion_status` shows it. */
function statusOf(parts: ValidatorParts): MethodResult<"status"> {
  const { machine, facts, genesis } = parts;
  const status = machine.status();
  const header = machine.header();
  const executed = parts.executed();
  const { validators } = machine.session();
  return {
    active: status.signs,
    active_validators: validators.filter(({ weight }) => weight > 0n).length,
    anchors: status.anchors,
    beacon: toHex(status.beacon),
    certified_pulse: status.certified,
    chain: facts.chain,
    chain_id: genesis.chainId,
    claims: Number(header.knowledgeSize),
    commitment: {
      config: toHex(header.config),
      knowledge_root: toHex(header.knowledgeRoot),
      knowledge_size: Number(header.knowledgeSize),
      pulse: Number(header.number),
      state_root: toHex(header.stateRoot),
    },
    epoch: status.epoch,
    epoch_end: status.epochEnd === null ? NEVER : BigInt(status.epochEnd),
    executed: [executed.succeeded, executed.failed, executed.void],
    forced_overdue: status.forcedOverdue,
    forced_pending: status.forcedPending,
    genesis: facts.genesis,
    insecure_signatures: genesis.insecure,
    objects: machine.state().size(),
    proven_pulse: parts.proven(),
    pulse: Number(header.number),
    round: status.round,
    session: status.session,
    shards: genesis.shards,
    validator: parts.keyId,
    validators: validators.length,
  };
}

/** Whether one of a unit's transactions has its receipt: then its slot is behind its account. */
function isExecuted(
  { machine, journal }: ValidatorParts,
  { members }: Unit,
  digests: readonly string[],
): boolean {
  const state = machine.state();
  return members.some(({ account, sequence }, index) => {
    const next = (state.get(account)?.value as Account | undefined)?.sequence ?? 0n;
    return sequence < next && journal.find(digests[index] as string) !== undefined;
  });
}

async function submit(
  parts: ValidatorParts,
  { tx: bytes, forced = false }: MethodParams<"submit">,
): Promise<MethodResult<"submit">> {
  const { ledger, intake } = parts;
  let signed;
  try {
    signed = ledger.decodeSigned(bytes);
  } catch (error) {
    if (!(error instanceof SionError || error instanceof SyntaxError)) throw error;
    throw new RpcError("bad-request", `Cannot read transaction: ${messageOf(error)}`);
  }
  const unit = ledger.unitDigest(signed.unit);
  const digests = ledger.memberDigests(signed.unit);
  const common = { digests, pulse: pulseOf(parts), unit };
  // A client that lost the answer asks with the same bytes; its receipt is there for it.
  if (isExecuted(parts, signed.unit, digests)) {
    return { ...common, answer: "refused", code: "executed", reason: "it is executed already" };
  }
  const holds = await intake.offerUnit(signed, bytes);
  const answer = holds
    ? await parts.handIn({ unit, signed, bytes, forced })
    : { type: "refused", code: "authorization", reason: "a signature is not valid" } as const;
  switch (answer.type) {
    case "accepted":
      return { ...common, answer: "accepted" };
    case "locked":
      return { ...common, answer: "locked", by: answer.by };
    case "refused":
      if (answer.code === "busy") throw busyError();
      return { ...common, answer: "refused", code: answer.code, reason: answer.reason };
  }
}
