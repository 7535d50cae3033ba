/** A client of one node: this machine's wallets, the node's answers, what signs and waits. */
import { formatUsd, isHex64 } from "#internal/core/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import {
  displayPath,
  processId,
  sionHome,
  systemClock,
  systemRandom,
} from "#internal/runtime/mod.ts";
import type { ClientState, Wallets } from "#internal/store/mod.ts";
import { knownNames, resolveAccount, whoIsMeant } from "./accounts.ts";
import type { Context } from "./context.ts";
import { chainFacts, checkPinned } from "./chain_facts.ts";
import { createWork, withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import { httpTransport, nodeAddress } from "./http_transport.ts";
import { followEvents, listEvents } from "./events.ts";
import { createKeyRing } from "./keys.ts";
import { rpcCalls } from "./rpc.ts";
import type { Abortable, Balance, Client, ClientOptions } from "./types.ts";
import { walletBook } from "./wallet_book.ts";

/** @throws {SionError} `argument` on what is given and no chain's identity. */
function requireIdentity(chain: string | undefined): void {
  if (chain === undefined || isHex64(chain)) return;
  throw badArgument(`--chain ${chain} is no chain identity: give its 64 hex digits`);
}

/**
 * Refuses what `openClient` would.
 * @throws {SionError} `argument` on an address or an identity that cannot be meant.
 */
export function checkClientOptions(options: Pick<ClientOptions, "node" | "env" | "chain">): void {
  nodeAddress(options.node, options.env);
  requireIdentity(options.chain);
}

/**
 * A client of the node that the options or the environment name. Nothing is opened, read or asked
 * before a method is called; disposing of the client closes what was.
 * @throws {SionError} `argument` on an address or an identity that cannot be meant.
 */
export function openClient(options: ClientOptions): Client {
  const node = nodeAddress(options.node, options.env);
  const home = options.home ?? sionHome(options.env);
  requireIdentity(options.chain);
  const http = options.transport === undefined ? httpTransport(node) : undefined;
  const shown = (path: string): string => displayPath(path, options.env);
  const random = options.random ?? systemRandom;
  let wallets: Promise<Wallets> | undefined;
  let opening: Promise<ClientState> | undefined;
  let state: ClientState | undefined;
  let ledger: Promise<Ledger> | undefined;
  let closed = false;
  // What goes on in the background of a call that failed must not open it again.
  const stateOf = async (): Promise<ClientState> => {
    // Files are reached when the first is needed: most calls only ask the node.
    opening ??= (async () => {
      const { openClientState } = await import("#internal/store/mod.ts");
      if (closed) throw new Error("The client is closed");
      return state = openClientState(home, shown(home));
    })();
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const walletsOf = (): Promise<Wallets> =>
    wallets ??= (async () => {
      const { openWallets } = await import("#internal/store/mod.ts");
      return openWallets(home, shown);
    })();
  const context: Context = {
    node,
    home,
    pinned: options.chain,
    rpc: rpcCalls(options.transport ?? http ?? httpTransport(node), node),
    clock: options.clock ?? systemClock,
    random,
    processId: processId(),
    wallets: walletsOf,
    keys: createKeyRing(walletsOf, stateOf, random),
    async memory() {
      const { openMemoryStores } = await import("#internal/store/mod.ts");
      return openMemoryStores(home, shown);
    },
    state: stateOf,
    ledger: () =>
      ledger ??= import("#internal/ledger/mod.ts").then(({ createLedger }) => createLedger()),
    work: createWork(),
    shown,
    note: (text) => options.onNote?.(text),
    waiting: (what) => options.onWait?.(what),
  };
  return {
    node,
    home,
    rpc: context.rpc,
    wallets: walletBook(context),
    ...reading(context),
    ...signing(context),
    ...verifying(context),
    memory: memory(context),
    storage: storage(context),
    stake: stake(context),
    tasks: tasks(context),
    [Symbol.dispose]() {
      closed = true;
      http?.[Symbol.dispose]();
      state?.close();
    },
  };
}

type Reading = Pick<
  Client,
  | "status"
  | "balance"
  | "events"
  | "followEvents"
  | "resolve"
  | "names"
  | "object"
  | "objects"
  | "actingFor"
  | "purse"
>;

function reading(context: Context): Reading {
  const facts = (options: Abortable = {}) => chainFacts(context, options.signal);
  return {
    async status(options) {
      await checkPinned(context, options?.signal);
      return await context.rpc.status({}, options);
    },
    balance: (account, options) => balanceOf(context, account, options),
    events: (range, options) => listEvents(context, range, options),
    followEvents: (range, options) => followEvents(context, range, options),
    async resolve(text, options = {}) {
      const { otherwise, signal } = options;
      return otherwise === undefined
        ? await resolveAccount(context, await facts(options), text, signal)
        : await whoIsMeant(context, await facts(options), text, otherwise, signal);
    },
    async names(options) {
      return await knownNames(context, await facts(options));
    },
    async object(kind, id, options) {
      await checkPinned(context, options?.signal);
      return await (await import("./objects.ts")).findObject(context, kind, id, options);
    },
    async objects(kind, where, options) {
      await checkPinned(context, options?.signal);
      return await (await import("./objects.ts")).listObjects(context, kind, where, options);
    },
    actingFor: async (wallet, agent, options) =>
      (await import("./keyless.ts")).actingFor(context, wallet, agent, options),
    purse: async (agent, options) => (await import("./purse.ts")).purseOf(context, agent, options),
  };
}

type VerifyingCalls = Pick<
  Client,
  | "verifyPulse"
  | "provenTransaction"
  | "followChain"
  | "readClaim"
  | "readTransaction"
  | "readProven"
  | "proofSource"
>;

/** What a light client does is loaded when it is first used. */
function verifying(context: Context): VerifyingCalls {
  return {
    verifyPulse: async (request, options) =>
      (await import("./verify.ts")).verifyPulse(context, request, options),
    provenTransaction: async (digest, options) =>
      (await import("./proven.ts")).provenTransaction(context, digest, options),
    readClaim: async (claim, options = {}) =>
      (await import("./claims.ts")).readClaim(context, claim, options),
    readTransaction: async (digest, options) =>
      (await import("./look_up.ts")).readTransaction(context, digest, options),
    readProven: async (key, options) =>
      (await import("./look_up.ts")).readProven(context, key, options),
    proofSource: async (options) =>
      (await import("./proofs_unit.ts")).lightSource(context.rpc, options?.signal),
    async *followChain(options) {
      yield* (await import("./verify.ts")).followChain(context, options);
    },
  };
}

/** What has to do with memory logs is loaded when one is first used. */
function memory(context: Context): Client["memory"] {
  const logs = () => import("./memory.ts");
  return {
    open: async (given) => (await logs()).openMemory(context, given),
    remember: async (given) => (await logs()).remember(context, given),
    commit: async (given) => (await logs()).commitMemory(context, given),
    recall: async (asked, options) => (await logs()).recallMemory(context, asked, options),
    verify: async (given, options) => (await logs()).verifyMemory(context, given, options),
    list: async () => (await logs()).listMemory(context),
  };
}

/** What has to do with tasks is loaded when one is first used. */
function tasks(context: Context): Client["tasks"] {
  const calls = () => import("./tasks.ts");
  return {
    post: async (given) => (await calls()).postTask(context, given),
    attest: async (given) => (await calls()).attestTask(context, given),
    submit: async (given) => (await calls()).submitResult(context, given),
    settle: async (given) => (await calls()).settleTask(context, given),
    refund: async (given) => (await calls()).refundTask(context, given),
    show: async (task, options) => (await calls()).showTask(context, task, options),
    list: async (asked, options) => (await calls()).listTasks(context, asked, options),
    claims: async (task, options) =>
      (await import("./task_claims.ts")).claimsOfTask(context, task, options),
  };
}

/** What has to do with storage deals is loaded when one is first used. */
function storage(context: Context): Client["storage"] {
  const acts = () => import("./storage.ts");
  const deals = () => import("./deals.ts");
  return {
    post: async (given) => (await acts()).postDeal(context, given),
    deals: async (options) => (await deals()).listDeals(context, options),
    deal: async (id, options) => (await deals()).showDeal(context, id, options),
    accept: async (given) => (await acts()).acceptDeal(context, given),
    prove: async (given) => (await acts()).proveRound(context, given),
    close: async (given) => (await acts()).closeDeal(context, given),
    fetch: async (given) => (await acts()).fetchFile(context, given),
    provide: async (options) => (await import("./provider.ts")).provide(context, options),
  };
}

/** What has to do with stake is loaded when it is first used. */
function stake(context: Context): Client["stake"] {
  const staking = () => import("./staking.ts");
  return {
    pools: async (options) => (await staking()).readPools(context, options),
    show: async (account, options) => (await staking()).showStake(context, account, options),
    validator: async (text, options) => (await staking()).validatorNamed(context, text, options),
    delegate: async (given) => (await staking()).delegate(context, given),
    claim: async (given) => (await staking()).claimRewards(context, given),
    undelegate: async (given) => (await staking()).undelegate(context, given),
    withdraw: async (given) => (await staking()).withdrawStake(context, given),
    register: async (given) => (await staking()).registerValidator(context, given),
    setCommission: async (given) => (await staking()).setCommission(context, given),
    leave: async (given) => (await staking()).leave(context, given),
    accused: async (options) => (await staking()).readAccused(context, options),
    report: async (given) => (await staking()).report(context, given),
  };
}

type SigningCalls = Pick<
  Client,
  | "transact"
  | "pay"
  | "agentPay"
  | "agentPayFee"
  | "fetchPaid"
  | "payOffer"
  | "offerTaken"
  | "payBatch"
  | "endBatch"
  | "signBatchOffline"
  | "createAgent"
  | "spawnAgents"
  | "payTogether"
  | "issueClaim"
  | "assessClaim"
  | "rotateKey"
  | "signOffline"
  | "submitHex"
  | "receipt"
  | "settle"
  | "faucet"
>;

/** What signs or reads receipts is loaded when it is first used: most commands only look. */
function signing(context: Context): SigningCalls {
  const payments = () => import("./payments.ts");
  const receipts = () => import("./submission.ts");
  const batches = () => import("./batch.ts");
  return {
    transact: async (transaction) => (await payments()).transact(context, transaction),
    pay: async (payment) => (await payments()).pay(context, payment),
    agentPay: async (payment) => (await payments()).agentPay(context, payment),
    agentPayFee: async (payment) => (await payments()).agentPayFee(context, payment),
    payOffer: async (asked) => (await import("./paid_offer.ts")).payOffer(context, asked),
    offerTaken: async (payment) => (await import("./paid_offer.ts")).offerTaken(context, payment),
    fetchPaid: async (asked) => (await import("./paid_fetch.ts")).fetchPaid(context, asked),
    signOffline: async (payment) => (await payments()).signOffline(context, payment),
    payBatch: async (batch) => (await batches()).payBatch(context, batch),
    endBatch: async (batch) => (await context.state()).endBatch(batch),
    signBatchOffline: async (batch) => (await batches()).signBatchOffline(context, batch),
    rotateKey: async (rotation) => (await import("./rotate_key.ts")).rotateKey(context, rotation),
    createAgent: async (agent) => (await import("./new_agent.ts")).createAgent(context, agent),
    payTogether: async (payment) => (await payments()).payTogether(context, payment),
    spawnAgents: async (spawn) => (await import("./spawn.ts")).spawnAgents(context, spawn),
    issueClaim: async (claim) => (await import("./claims.ts")).issueClaim(context, claim),
    assessClaim: async (question, options) =>
      (await import("./claims.ts")).assessClaim(context, question, options),
    submitHex: async (tx, options) => (await receipts()).submitHex(context, tx, options),
    receipt: async (digest, options) => (await receipts()).receiptValue(context, digest, options),
    settle: async (digest, options) => (await receipts()).settle(context, digest, options),
    faucet: async (account, amount, options) =>
      (await receipts()).faucet(context, account, amount, options),
  };
}

async function balanceOf(
  context: Context,
  text: string,
  options: Abortable = {},
): Promise<Balance> {
  const { accountNamed } = await import("./accounts.ts");
  const account = isHex64(text)
    ? text
    : (await accountNamed(context, await chainFacts(context, options.signal), text, false)).account;
  await checkPinned(context, options.signal);
  const view = await context.rpc.account({ account }, withSignal(options.signal));
  return {
    account,
    balances: view.balances.map(({ amount, symbol }) => ({
      amount: formatUsd(amount),
      asset: symbol,
    })),
    pulse: view.pulse,
  };
}
