/**
 * Task Charters: posting, attesting, handing in, settling, taking back. What can be known to fail is
 * refused here, before anything is signed; the ledger decides all the same.
 */
import {
  DEFAULT_KAPPA,
  DEFAULT_RELIANCE_PULSES,
  DEFAULT_TASK_DETECTION,
  DEFAULT_TASK_PULSES,
  formatFactor,
  formatUsd,
  isHex64,
  parseFactor,
  parseUsd,
  quoteOddWord,
  shortId,
  TASK_STATES,
  toHex,
  VERIFIER_BOND_LABEL,
} from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { TaskRule } from "#internal/ledger/mod.ts";
import { accountMeant, accountNamed } from "./accounts.ts";
import type { ChainFacts } from "./chain_facts.ts";
import { chainFacts, checkPinned } from "./chain_facts.ts";
import { readClaim } from "./claims.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, noNode, notFound } from "./errors.ts";
import type { SigningPlace } from "./lane.ts";
import { findObject, listObjects } from "./objects.ts";
import type {
  NewAttestation,
  NewResult,
  NewTask,
  TaskCalls,
  TaskQuestion,
  TaskSettlement,
  TaskValue,
} from "./task_types.ts";
import { makeOne, signingPlace } from "./transact.ts";
import type { Abortable, ObjectValue, Outcome } from "./types.ts";

type Judge = NonNullable<TaskRule["adjudicator"]>;

const ATOM_PREFIX = /^[0-9a-f]{4,64}$/;

/** See {@link TaskCalls}. */
export async function postTask(
  context: Context,
  task: NewTask,
): ReturnType<TaskCalls["post"]> {
  const facts = await chainFacts(context, task.signal);
  const options = withSignal(task.signal);
  const account = async (named: string, otherwise: string): Promise<string> =>
    await accountMeant(context, facts, named, otherwise, task.signal);
  const verifiers = await Promise.all(
    (task.verifiers ?? []).map((named) => account(named, "only that account can attest as it")),
  );
  const body = {
    budget: await budgetOf(context, task, options),
    worker: task.worker === undefined
      ? null
      : await account(task.worker, "only that account can be paid"),
    amount: task.amount,
    spec: task.spec === undefined ? null : hashOf(task.spec),
    rule: {
      requires: await requiredClaims(context, task.requires ?? [], options),
      verifiers: [...new Set(verifiers)].sort(),
      adjudicator: task.adjudicator === undefined
        ? null
        : await judgeNamed(context, facts, task.adjudicator, options),
      kappa: task.kappa ?? DEFAULT_KAPPA,
      detection: task.detection ?? DEFAULT_TASK_DETECTION,
      reliance: BigInt(task.reliancePulses ?? DEFAULT_RELIANCE_PULSES),
    },
    pulses: BigInt(task.deadlinePulses ?? DEFAULT_TASK_PULSES),
  };
  await checkShape(context, "task_post", body);
  const place = await signingPlace(context, facts, task.wallet, task);
  const outcome = await makeOne(place, { kind: "task_post", body }, task);
  const [id] = outcome.made;
  return { ...outcome, ...(id === undefined ? {} : { task: id }) };
}

/** What a body must be whatever the state; its fault is whoever called's to mend. */
async function checkShape(context: Context, kind: string, body: unknown): Promise<void> {
  const { kinds } = await context.ledger();
  const fault = kinds.find(({ name }) => name === kind)?.check?.(body);
  if (fault !== undefined) throw badArgument(`${fault}: nothing was sent`);
}

async function budgetOf(context: Context, task: NewTask, options: Abortable) {
  if (task.charter === undefined && task.allotment === undefined) return null;
  if (task.charter === undefined || task.allotment === undefined) {
    throw badArgument("a charter and its allotment are given both or not at all");
  }
  const [charter, allotment] = await Promise.all([
    findObject(context, "charter", task.charter, options),
    findObject(context, "allotment", task.allotment, options),
  ]);
  return { charter: charter.id, allotment: allotment.id };
}

async function requiredClaims(
  context: Context,
  named: readonly string[],
  options: Abortable,
): Promise<readonly string[]> {
  const claims = await Promise.all(
    named.map((id) => findObject(context, "claim", id, options)),
  );
  for (const claim of claims) requireActive(context, claim);
  return claims.map(({ id }) => id);
}

function requireActive(context: Context, { id, object }: ObjectValue): void {
  const status = told(context, () => textOf(object["status"]));
  if (status !== "Active") {
    throw badArgument(
      `claim ${shortId(id)} is ${status.toLowerCase()}: nothing can rest on it; nothing was sent`,
    );
  }
}

/** The judge that `carol:judge` or the id of an adjudicator atom names; its bond has to be there. */
async function judgeNamed(
  context: Context,
  facts: ChainFacts,
  text: string,
  options: Abortable,
): Promise<Judge> {
  const [named = "", label, ...rest] = text.split(":");
  if (label !== undefined && rest.length === 0) {
    const { account } = await accountNamed(context, facts, named, true);
    const judge = { account, label };
    await needBond(context, judge, named, options);
    return judge;
  }
  const { atomId } = await import("#internal/ledger/mod.ts");
  const found = ATOM_PREFIX.test(text)
    ? (await listObjects(context, "bond", undefined, options))
      .map(({ object }) =>
        told(context, () => ({
          account: idOf(object["account"]),
          label: textOf(object["label"]),
        }))
      )
      .filter((body) => atomId({ kind: "adjudicator", body }).startsWith(text))
    : [];
  const [judge, ...more] = found;
  if (judge === undefined || more.length > 0) {
    throw badArgument(
      `${quoteOddWord(text)} names ${judge === undefined ? "no" : "more than one"} adjudicator: ` +
        "give an account and the label of its bond, like carol:judge",
    );
  }
  return judge;
}

async function needBond(
  context: Context,
  bond: Judge,
  who: string,
  options: Abortable,
): Promise<Fields> {
  const { bondId, labelFault } = await import("#internal/ledger/mod.ts");
  const fault = labelFault(bond.label);
  if (fault !== undefined) throw badArgument(`${quoteOddWord(bond.label)}: ${fault}`);
  const found = await context.rpc.object({ id: bondId(bond) }, options);
  if (found.exists) return found.object as Fields;
  throw notFound(
    `${who} has no bond ${bond.label}: post it with ` +
      `\`sion bond post ${who} ${bond.label} 20\`; nothing was sent`,
  );
}

function hashOf(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/** A task that something is done for, and who does it. */
interface AtTask {
  readonly task: TaskValue;
  readonly place: SigningPlace;
  readonly options: Abortable;
}

async function atTask(
  context: Context,
  given: { readonly wallet: string; readonly task: string; readonly signal?: AbortSignal },
): Promise<AtTask> {
  const facts = await chainFacts(context, given.signal);
  const options = withSignal(given.signal);
  const [task, place] = await Promise.all([
    showTask(context, given.task, options),
    signingPlace(context, facts, given.wallet, given),
  ]);
  return { task, place, options };
}

function requireOpen({ state, task, deadline }: TaskValue): void {
  if (state === "open") return;
  const ended = state === "expired"
    ? `could be settled until Pulse ${deadline}`
    : `is ${state} already`;
  throw badArgument(`task ${shortId(task)} ${ended}: nothing was sent`);
}

/** See {@link TaskCalls}. */
export async function attestTask(
  context: Context,
  given: NewAttestation,
): ReturnType<TaskCalls["attest"]> {
  const { task, place, options } = await atTask(context, given);
  requireOpen(task);
  const { account } = place.signer;
  if (!task.verifiers.includes(account)) {
    throw badArgument(
      `${given.wallet} is no verifier of task ${shortId(task.task)}: ` +
        "`sion task show` lists them; nothing was sent",
    );
  }
  const bond = { account, label: given.bondLabel ?? VERIFIER_BOND_LABEL };
  const { amount } = await needBond(context, bond, given.wallet, options);
  if (microOf(amount) === 0n) {
    throw badArgument(
      `bond ${given.wallet}:${bond.label} holds nothing: add to it with ` +
        `\`sion bond add ${given.wallet} ${bond.label} 20\`; nothing was sent`,
    );
  }
  const { attestationFormula, attestationText, TASK_ATTESTATION_SCHEMA } = await import(
    "#internal/ledger/mod.ts"
  );
  const worker = given.worker === undefined
    ? task.worker ?? undefined
    : (await accountNamed(context, place.facts, given.worker, true)).account;
  const what = { task: task.task, output: hashOf(given.output) };
  return await issueFor(place, task, given, {
    schema: TASK_ATTESTATION_SCHEMA,
    subject: attestationText(what, worker),
    formula: attestationFormula(bond),
  });
}

/** See {@link TaskCalls}. */
export async function submitResult(
  context: Context,
  given: NewResult,
): ReturnType<TaskCalls["submit"]> {
  const { task, place, options } = await atTask(context, given);
  requireOpen(task);
  requireWorker(task, place, given.wallet);
  const { resultFormula, resultText, TASK_BOND_LABEL, TASK_RESULT_SCHEMA } = await import(
    "#internal/ledger/mod.ts"
  );
  const { account } = place.signer;
  await needBond(context, { account, label: TASK_BOND_LABEL }, given.wallet, options);
  const attestations = await requiredClaims(context, given.attestations ?? [], options);
  return await issueFor(place, task, given, {
    schema: TASK_RESULT_SCHEMA,
    subject: resultText({ task: task.task, output: hashOf(given.output) }),
    formula: resultFormula(task, account, attestations),
  });
}

function requireWorker({ task, worker }: TaskValue, { signer }: SigningPlace, who: string): void {
  if (worker === null || worker === signer.account) return;
  throw badArgument(`task ${shortId(task)} is not for ${who}: nothing was sent`);
}

/** Issues a claim under the judge and the detection factor of its task, without end. */
async function issueFor(
  place: SigningPlace,
  { adjudicator, detection_permille: detection }: TaskValue,
  given: NewResult | NewAttestation,
  what: { readonly schema: string; readonly subject: string; readonly formula: unknown },
): Promise<Outcome & { readonly claim?: string }> {
  const judge = adjudicator && { account: adjudicator.account, label: adjudicator.label };
  const body = { ...what, adjudicator: judge, detection, validFor: null };
  const outcome = await makeOne(place, { kind: "claim_issue", body }, given);
  const [id] = outcome.made;
  return { ...outcome, ...(id === undefined ? {} : { claim: id }) };
}

/** See {@link TaskCalls}. */
export async function settleTask(context: Context, given: TaskSettlement): Promise<Outcome> {
  const { task, place, options } = await atTask(context, given);
  requireOpen(task);
  requireWorker(task, place, given.wallet);
  const { id, claim, reader, pulse } = await readClaim(context, given.result, options);
  const { assess, attestedBy, formulaOf, isSameFormula, resultFormula, SETTLING_STEPS } =
    await import("#internal/ledger/mod.ts");
  const formula = formulaOf(claim);
  const attestations = given.attestations === undefined
    ? attestedBy(task, formula)
    : (await Promise.all(
      given.attestations.map((each) => findObject(context, "claim", each, options)),
    )).map((each) => each.id);
  if (!isSameFormula(formula, resultFormula(task, place.signer.account, attestations))) {
    throw badArgument(
      `claim ${shortId(id)} does not rest on exactly what task ${shortId(task.task)} requires of ` +
        `${given.wallet}: hand a result in with \`sion task submit\`; nothing was sent`,
    );
  }
  const { decision } = assess(reader, claim, {
    pulse,
    value: parseUsd(task.escrow),
    kappa: parseFactor(task.kappa),
    distrusted: new Set(),
    maxSteps: SETTLING_STEPS,
  });
  if (!decision.accept) {
    throw badArgument(`the result would not be paid: ${decision.reasons[0]}; nothing was sent`);
  }
  const body = { task: task.task, result: id, attestations };
  return await makeOne(place, { kind: "task_settle", body }, given);
}

/** See {@link TaskCalls}. */
export async function refundTask(
  context: Context,
  given: Parameters<TaskCalls["refund"]>[0],
): Promise<Outcome> {
  const { task, place } = await atTask(context, given);
  if (task.state === "open") {
    throw badArgument(
      `task ${shortId(task.task)} can be settled until Pulse ${task.deadline}: ` +
        "take its escrow back after that; nothing was sent",
    );
  }
  if (task.state !== "expired") requireOpen(task);
  const body = { task: task.task };
  return await makeOne(place, { kind: "task_refund", body }, given);
}

/** See {@link TaskCalls}. */
export async function showTask(
  context: Context,
  named: string,
  options: Abortable = {},
): Promise<TaskValue> {
  await checkPinned(context, options.signal);
  return taskValue(context, await findObject(context, "task", named, options));
}

/** See {@link TaskCalls}. */
export async function listTasks(
  context: Context,
  asked: TaskQuestion,
  options: Abortable = {},
): Promise<readonly TaskValue[]> {
  await checkPinned(context, options.signal);
  const facts = await chainFacts(context, options.signal);
  const account = async (named: string | undefined): Promise<string | undefined> =>
    named === undefined ? undefined : (await accountNamed(context, facts, named, false)).account;
  const [poster, worker] = await Promise.all([account(asked.poster), account(asked.worker)]);
  const where = poster === undefined ? undefined : { member: "poster", equals: poster };
  const tasks = await listObjects(context, "task", where, options);
  return tasks.map((task) => taskValue(context, task)).filter((task) =>
    worker === undefined || task.worker === worker || task.paid?.worker === worker
  );
}

function taskValue(context: Context, { id, object }: ObjectValue): TaskValue {
  return told(context, () => readTask(id, object));
}

/** What an object of the node's says. @throws {SionError} `node-error` when it is no such object */
function told<T>(context: Context, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw noNode(context.node, cause);
  }
}

type Fields = { readonly [member: string]: JsonValue };

function readTask(task: string, object: Fields): TaskValue {
  const judge = object["adjudicator"] as Fields | null;
  const paid = object["paid"] as Fields | null;
  const state = TASK_STATES.find((known) => known === object["state"]);
  if (state === undefined) throw new TypeError("A task has no such state");
  return {
    adjudicator: judge && {
      account: idOf(judge["account"]),
      atom: idOf(judge["atom"]),
      label: textOf(judge["label"]),
    },
    allotment: idIfAny(object["allotment"]),
    charter: idIfAny(object["charter"]),
    deadline: numberOf(object["deadline"]),
    detection_permille: numberOf(object["detection_permille"]),
    escrow: formatUsd(microOf(object["amount"])),
    kappa: formatFactor(microOf(object["kappa"])),
    paid: paid && {
      pulse: numberOf(paid["at"]),
      reserved_until: numberOf(paid["until"]),
      result: idOf(paid["result"]),
      worker: idOf(paid["worker"]),
    },
    posted: numberOf(object["posted"]),
    poster: idOf(object["poster"]),
    refunded: object["refunded"] === null ? null : numberOf(object["refunded"]),
    reliance_pulses: numberOf(object["reliance_pulses"]),
    requires: idsOf(object["requires"]),
    spec: idIfAny(object["spec"]),
    state,
    task,
    verifiers: idsOf(object["verifiers"]),
    worker: idIfAny(object["worker"]),
  };
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new TypeError("An object has no such text");
}

function idOf(value: JsonValue | undefined): string {
  if (typeof value === "string" && isHex64(value)) return value;
  throw new TypeError("A task names something by no id");
}

function idIfAny(value: JsonValue | undefined): string | null {
  return value === null ? null : idOf(value);
}

function idsOf(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(idOf);
  throw new TypeError("A task has no list of ids");
}

function numberOf(value: JsonValue | undefined): number {
  return Number(microOf(value));
}

function microOf(value: JsonValue | undefined): bigint {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return BigInt(value as number);
  throw new TypeError("A task has no whole number");
}
