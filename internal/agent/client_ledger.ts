/** The ledger of an agent, through a client: its identity, its charters, its payments. */
import { formatUsd, shortId, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type {
  AgentPayment as ClientPayment,
  Client,
  KeptMemory,
  ObjectValue,
  Outcome,
  Purse,
  SignOptions,
} from "#internal/client/mod.ts";
import { openClientState } from "#internal/store/mod.ts";
import { AgentError } from "./errors.ts";
import type { Acting, AgentLedger, AgentPayment, Budget, SignedTransaction } from "./ledger.ts";
import type { AgentName, FoundAgent } from "./machine.ts";

/** How long a node that lags behind is waited for, and in what steps, ms. */
const LAG_LIMIT_MS = 60_000;
const LAG_STEP_MS = 5_000;

/** An identity's facts that matter here. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly wallet: string;
  /** How the wallet signs for it. */
  readonly acting: { readonly keyless?: string };
}

/**
 * Finds an agent by its id or a unique beginning of it, and makes sure that the wallet acts for it.
 * @throws {SionError} `not-found`, `node-unreachable`; `agent-unknown` for another's wallet.
 */
export async function findAgent(
  client: Client,
  { agent, wallet }: AgentName,
): Promise<FoundAgent> {
  const found = await client.object("identity", agent);
  const { account, name } = found.object;
  const acting = await actingFor(client, wallet, found);
  const identity = {
    id: found.id,
    name: textOf(name),
    account: textOf(account),
    wallet,
    acting,
  };
  return { agent: found.id, ledger: clientLedger(client, identity) };
}

async function actingFor(
  client: Client,
  wallet: string,
  agent: ObjectValue,
): Promise<Identity["acting"]> {
  try {
    return await client.actingFor(wallet, agent);
  } catch (error) {
    if (!(error instanceof SionError) || error.code !== "argument") throw error;
    throw new AgentError("agent-unknown", error.message, { cause: error });
  }
}

function clientLedger(client: Client, identity: Identity): AgentLedger {
  return {
    budget: (signal) => budgetOf(client, identity, signal),
    payFee: async (payment) =>
      await client.agentPayFee(await paymentOf(client, identity, { ...payment, onSigned() {} })),
    pay: async (payment) => await client.agentPay(await paymentOf(client, identity, payment)),
    outcome: (signed, signal) => outcomeOf(client, identity, signed, signal),
    assess: (question, options) => client.assessClaim(question, options),
    events: (range, options) => client.events(range, options),
    async fetchPaid(asked, acting) {
      const purse = await purseIds(client, identity, acting.signal);
      return await client.fetchPaid({ ...asked, ...purse, ...acts(identity, acting) });
    },
    isShownAgain(transaction) {
      const state = openClientState(client.home);
      try {
        return Promise.resolve(state.purchasesPaidBy(transaction).length > 0);
      } finally {
        state.close();
      }
    },
    memory: agentMemory(client, identity),
    tasks: agentTasks(client, identity),
  };
}

/** Who signs, and how that is watched. */
function acts(
  { acting, wallet }: Identity,
  { onSigned, signal }: Acting,
): SignOptions & { readonly wallet: string } {
  return {
    ...acting,
    wallet,
    signal,
    onSign: ({ digest, unit, intent, wallet, sequence, validUntil }) =>
      onSigned({ transaction: digest, unit, intent, wallet, sequence, validUntil }),
  };
}

/** A payment out of the agent's purse, as the client takes it. */
async function paymentOf(
  client: Client,
  identity: Identity,
  payment: AgentPayment,
): Promise<ClientPayment> {
  const { to, amount, purpose, session, call } = payment;
  const purse = await purseIds(client, identity, payment.signal);
  const { wallet: agent, ...options } = acts(identity, payment);
  return { ...options, ...purse, agent, payee: to, amount, purpose, session, call };
}

function agentMemory(client: Client, identity: Identity): AgentLedger["memory"] {
  const { memory } = client;
  const { wallet } = identity;
  const own = async (): Promise<readonly KeptMemory[]> =>
    (await memory.list()).filter((kept) => kept.wallet === wallet);
  return {
    list: own,
    open: (acting) => memory.open({ agent: identity.id, ...acts(identity, acting) }),
    remember: (atom, options) => memory.remember({ ...atom, ...options, wallet }),
    commit: (log, acting) => memory.commit({ log, ...acts(identity, acting) }),
    async recall(asked, options) {
      const known = await own();
      if (!known.some(({ log }) => log.startsWith(asked.log))) {
        throw new SionError(
          "not-found",
          `${asked.log} is no memory log of yours here: list yours with ledger_memory_list`,
        );
      }
      return await memory.recall(asked, options);
    },
  };
}

function agentTasks(client: Client, identity: Identity): AgentLedger["tasks"] {
  const { tasks } = client;
  return {
    show: (task, options) => tasks.show(task, options),
    list: (as, options) => tasks.list(as === undefined ? {} : { [as]: identity.account }, options),
    async post(task, acting) {
      const purse = await purseIds(client, identity, acting.signal);
      return await tasks.post({ ...task, ...purse, ...acts(identity, acting) });
    },
    attest: (given, acting) => tasks.attest({ ...given, ...acts(identity, acting) }),
    submit: (given, acting) => tasks.submit({ ...given, ...acts(identity, acting) }),
    settle: (given, acting) => tasks.settle({ ...given, ...acts(identity, acting) }),
    refund: (task, acting) => tasks.refund({ task, ...acts(identity, acting) }),
  };
}

/**
 * The client completes what is still kept and asks the node for the rest. That a node does not know
 * a transaction says nothing when this machine has seen its slot used: that node lags.
 */
async function outcomeOf(
  client: Client,
  identity: Identity,
  signed: SignedTransaction,
  signal: AbortSignal,
): Promise<Outcome | "not-made" | "unknown"> {
  const { transaction, sequence, validUntil } = signed;
  const settled = await client.settle(transaction, { signal });
  if (settled !== undefined) return settled;
  if (await consumedBelow(client, identity, signal) <= sequence) return "not-made";
  for (let waited = 0; waited < LAG_LIMIT_MS; waited += LAG_STEP_MS) {
    const told = await client.rpc.receipt(
      { digest: transaction, wait_ms: LAG_STEP_MS },
      { signal },
    );
    if (told.receipt !== undefined) {
      return await client.settle(transaction, { signal }) ?? "unknown";
    }
    if (BigInt(told.pulse) > validUntil) return "not-made";
  }
  return "unknown";
}

/** Every sequence below it was seen to be used by some process of this machine. */
async function consumedBelow(
  client: Client,
  { account }: Identity,
  signal: AbortSignal,
): Promise<bigint> {
  const { chain } = await client.status({ signal });
  const state = openClientState(client.home);
  try {
    return state.floor({ chain, account });
  } finally {
    state.close();
  }
}

async function budgetOf(client: Client, identity: Identity, signal: AbortSignal): Promise<Budget> {
  const { charter, balance } = await purseOf(client, identity, signal);
  const { expires, max_payment: most, payees, bucket } = charter.object;
  const [fees, names, status, standing] = await Promise.all([
    client.balance(identity.account, { signal }),
    client.names({ signal }),
    client.status({ signal }),
    standingOf(client, identity.id, signal),
  ]);
  const level = memberOf(bucket, "level");
  const now = level === undefined || level === null ? balance : smaller(amountOf(level), balance);
  return {
    budget_remaining_usd: formatUsd(balance),
    charter: charter.id,
    expires_at_pulse: expires === null || expires === undefined ? null : Number(expires),
    fee_money_usd: fees.balances.find(({ asset }) => asset === "USD")?.amount ?? "0",
    max_payment_usd: most === null || most === undefined ? null : formatUsd(amountOf(most)),
    payees: Array.isArray(payees) ? payees.map((id) => names(textOf(id)) ?? textOf(id)) : null,
    pulse: status.pulse,
    spendable_now_usd: formatUsd(now),
    standing,
  };
}

async function purseIds(
  client: Client,
  identity: Identity,
  signal: AbortSignal,
): Promise<{ readonly charter: string; readonly allotment: string }> {
  const { charter, allotment } = await purseOf(client, identity, signal);
  return { charter: charter.id, allotment: allotment.id };
}

/** What to pay from. @throws {AgentError} `no-budget` when there is nothing. */
async function purseOf(client: Client, identity: Identity, signal: AbortSignal): Promise<Purse> {
  const purse = await client.purse(identity.id, { signal });
  if (purse !== undefined) return purse;
  throw new AgentError(
    "no-budget",
    `agent ${shortId(identity.id)} has no charter in force with money under it: ` +
      "whoever stands above it gives it one",
  );
}

/** `good`, or which agent of it and those above it is suspended or revoked. */
async function standingOf(client: Client, id: string, signal: AbortSignal): Promise<string> {
  for (let at: string | undefined = id; at !== undefined;) {
    const { object }: ObjectValue = await client.object("identity", at, { signal });
    const own = textOf(object["own_standing"]);
    if (own !== "good") return at === id ? own : `${own}: agent ${shortId(at)} above it`;
    const { parent } = object;
    at = typeof parent === "string" ? parent : undefined;
  }
  return "good";
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: JsonValue })[name];
}

function amountOf(value: JsonValue | undefined): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(value);
  throw new SionError("node-error", "the node gave no amount where one belongs: ask another node");
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw new SionError("node-error", "the node gave no text where one belongs: ask another node");
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
