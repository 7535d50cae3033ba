/** A client of no ledger: it answers as the reference's recordings do and keeps what it was asked. */
import type {
  DealValue,
  LedgerEventValue,
  Outcome,
  Signing,
  SignOptions,
  Status,
} from "#internal/client/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import {
  type LedgerClient,
  type LedgerContext,
  ledgerServer,
  type ServerDefinition,
} from "#internal/mcp/mod.ts";
import { fetchedFrom, HEX } from "./_paid.ts";

export { HEX };

const STATUS: Status = {
  active: true,
  active_validators: 4,
  anchors: 342,
  beacon: HEX,
  certified_pulse: 202,
  chain: HEX,
  chain_id: "sion-devnet-1",
  claims: 6,
  commitment: {
    config: HEX,
    knowledge_root: HEX,
    knowledge_size: 6,
    pulse: 202,
    state_root: HEX,
  },
  epoch: 0,
  epoch_end: 9223372036854775807n,
  executed: [40, 4, 1],
  forced_overdue: 0,
  forced_pending: 0,
  genesis: HEX,
  insecure_signatures: false,
  objects: 85,
  proven_pulse: 0,
  pulse: 202,
  round: 814,
  session: 0,
  shards: 2,
  validator: HEX,
  validators: 4,
};

const AGENT_PAID = { AgentPaid: { amount: 200000, charter: HEX, payee: HEX, receipt: HEX } };

/** What was asked of a fake client: the method's name and its arguments without functions. */
export type Asked = { readonly method: string; readonly args: readonly unknown[] };

export function fakeLedger(asked: Asked[] = []): LedgerClient {
  const note = (method: string, ...args: unknown[]): void => {
    asked.push({ method, args: args.map(withoutEffects) });
  };
  return {
    status: (options) => (note("status", options), Promise.resolve(STATUS)),
    balance(account, options) {
      note("balance", account, options);
      const balances = [{ amount: "31.2422", asset: "USD" }];
      return Promise.resolve({ account: HEX, balances, pulse: 202 });
    },
    events(range, options) {
      note("events", range, options);
      const list: LedgerEventValue[] = [
        { event: AGENT_PAID, pulse: 211, tx: HEX },
        { event: { ClaimIssued: { claim: HEX, log_index: 7 } }, pulse: 211, tx: null },
      ];
      return Promise.resolve(list);
    },
    async pay(payment) {
      note("pay", payment);
      await payment.onSign?.(signing("Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 225."));
      return {
        digest: HEX,
        events: [{ Transferred: { asset: HEX, outputs: [[HEX, 1500000]] } }],
        fee: "0.0011",
        made: [],
        pulse: 205,
        receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
        status: "Success",
      };
    },
    agentPay(payment) {
      note("agentPay", payment);
      const Failed = "charter caveat violated: payee not allowed";
      const allowed = payment.payee === "carol";
      return Promise.resolve({
        digest: HEX,
        events: allowed ? [AGENT_PAID] : [],
        fee: "0.0011",
        made: [],
        pulse: 211,
        receipt: allowed
          ? "Done: agent paid 0.2 USD to carol (receipt claim 8386175a); fee 0.0011 USD."
          : `Failed (${Failed}); nothing happened except the fee of 0.0011 USD.`,
        status: allowed ? "Success" : { Failed },
      });
    },
    fetchPaid(given) {
      note("fetchPaid", given);
      return fetchedFrom(given);
    },
    issueClaim(claim) {
      note("issueClaim", claim);
      const fails = claim.bondLabel === "none";
      const Failed = "invalid transaction: there is no bond 0a1b2c3d";
      return Promise.resolve({
        digest: HEX,
        events: [],
        fee: "0.0011",
        made: fails ? [] : [HEX],
        pulse: 207,
        receipt: fails
          ? `Failed (${Failed}); nothing happened except the fee of 0.0011 USD.`
          : "Done: claim e825c122 submitted; fee 0.0011 USD.",
        status: fails ? { Failed } : "Success",
        ...(fails ? {} : { claim: HEX }),
      });
    },
    assessClaim(question, options) {
      note("assessClaim", question, options);
      return Promise.resolve({
        atoms: [
          { bond: null, cost: "Infinite", id: HEX, trusted: true, what: "ml-dsa-44" },
          {
            bond: 100_000_000,
            cost: { Finite: 100_000_000 },
            id: HEX,
            trusted: true,
            what: "bond dana:tests",
          },
        ],
        claim: "Invoice 88 was paid in full",
        decision: {
          accept: true,
          adjudicator_cap: "Infinite",
          coc: { exact: true, high: "Infinite", low: "Infinite" },
          detection_adjusted: "Infinite",
          effective: "Infinite",
          reasons: ["cost of corruption ∞ covers κ·V = 2,000"],
          required: 2_000_000_000,
          reservable: "Infinite",
        },
        status: "Active",
      });
    },
    submitHex(hex, options) {
      note("submitHex", hex, options);
      const intent = "Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.";
      if (options?.wait === false) return Promise.resolve({ digest: HEX, intent });
      const receipt = "Done: paid 1 USD to bob; fee 0.0011 USD.";
      return Promise.resolve({ digest: HEX, intent, pulse: 221, receipt, status: "Success" });
    },
    verifyPulse(request, options) {
      note("verifyPulse", request, options);
      const pinned = request.chain !== undefined;
      return Promise.resolve({ pinned, report: ["chain: 6345655c matches ✓"], verified: true });
    },
    memory: fakeMemory(note),
    tasks: fakeTasks(note),
    storage: fakeStorage(note),
    stake: fakeStake(note),
    receipt(digest, options) {
      note("receipt", digest, options);
      return Promise.resolve({
        certificate: { quorum: 266667, signed: 300000 },
        chain: HEX,
        chain_pinned: options?.chain !== undefined,
        digest,
        events: [{ Transferred: { asset: HEX, outputs: [[HEX, 1500000]] } }],
        outcome: "success",
        pulse: 205,
        receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
        verified: true,
      });
    },
  };
}

type Note = (method: string, ...args: unknown[]) => void;

const done = (receipt: string, made: readonly string[]): Outcome => ({
  digest: HEX,
  events: [],
  fee: "0.0011",
  made,
  pulse: 13,
  receipt,
  status: "Success",
});

/** What comes of the calls about tasks. */
function fakeTasks(note: Note): LedgerClient["tasks"] {
  const claim = { ...done("Done: claim e825c122 submitted; fee 0.0011 USD.", [HEX]), claim: HEX };
  return {
    async post(task) {
      note("tasks.post", task);
      await task.onSign?.(signing("Post a task of 5 USD for bob. Fee 0.0011 USD; …"));
      const receipt = "Done: task 5bc688d4 posted, with 5 USD in escrow; fee 0.0011 USD.";
      return { ...done(receipt, [HEX]), task: HEX };
    },
    attest: (given) => (note("tasks.attest", given), Promise.resolve(claim)),
    submit: (given) => (note("tasks.submit", given), Promise.resolve(claim)),
    settle(given) {
      note("tasks.settle", given);
      const receipt = "Done: task 5bc688d4 paid 5 USD to bob; 10 USD of what backs result " +
        "e825c122 reserved until Pulse 1013; fee 0.0011 USD.";
      const paid = { amount: 5_000_000, reserved: [[HEX, 10_000_000]], result: HEX, task: HEX };
      const events = [{ TaskPaid: { ...paid, until: 1013, worker: HEX } }];
      return Promise.resolve({ ...done(receipt, []), events });
    },
    refund: () => Promise.reject(new TypeError("no tool takes an escrow back")),
    claims: () => Promise.reject(new TypeError("no tool lists what was handed in")),
    show(task, options) {
      note("tasks.show", task, options);
      return Promise.resolve({
        adjudicator: { account: HEX, atom: HEX, label: "judge" },
        allotment: null,
        charter: null,
        deadline: 1012,
        detection_permille: 900,
        escrow: "5",
        kappa: "2",
        paid: { pulse: 13, reserved_until: 1013, result: HEX, worker: HEX },
        posted: 12,
        poster: HEX,
        refunded: null,
        reliance_pulses: 1000,
        requires: [HEX],
        spec: null,
        state: "paid",
        task: HEX,
        verifiers: [HEX],
        worker: HEX,
      });
    },
    list: () => Promise.reject(new TypeError("no tool lists tasks")),
  };
}

/** What comes of the recorded calls about memory logs. */
function fakeMemory(note: Note): LedgerClient["memory"] {
  return {
    async open(memory) {
      note("memory.open", memory);
      await memory.onSign?.(signing("Open a memory log. Fee 0.0012 USD; valid until Pulse 30."));
      return done("Done: memory log 5bc688d4 opened; fee 0.0012 USD.", [HEX]);
    },
    remember(atom) {
      note("memory.remember", atom);
      return Promise.resolve({ id: HEX, log: HEX, seq: 0, size: 1, uncommitted: 1 });
    },
    commit(commit) {
      note("memory.commit", commit);
      const receipt = "Done: memory log 5bc688d4 now holds 2 atoms (head 1); fee 0.0011 USD.";
      return Promise.resolve(done(receipt, []));
    },
    recall(asked, options) {
      note("memory.recall", asked, options);
      const value = {
        as_of: { index: HEX, pulse: 16, size: 2 },
        atoms: [{
          confidence_permille: 900,
          id: HEX,
          kind: "observation",
          seq: 0,
          statement: "pallet-17 at aisle-4",
          valid_from_s: 1790812800,
          valid_until_s: 1790812830,
        }],
        log: HEX,
        proof_bytes: 327,
        verified: "complete against the index root the ledger holds",
      };
      return Promise.resolve({ value, proof: new Uint8Array(327), outside: [] });
    },
    verify: () => Promise.reject(new TypeError("no tool verifies a recall")),
    list: () => Promise.reject(new TypeError("no tool lists memory logs")),
  };
}

/** The deal of the recordings, before it was closed and after. */
function recordedDeal(closed: boolean): DealValue {
  return {
    accept_by: 208,
    challenges: 4,
    client: HEX,
    collateral: "1",
    deal: HEX,
    escrow: closed ? "0" : "1",
    leaves: 5,
    locator: "file:///data/patrol-archive.bin",
    price: "0.25",
    provider: null,
    root: HEX,
    round_length: 16,
    rounds: 4,
    state: closed
      ? { at: 14, forfeited: "0", missed: 0, phase: "closed", proven: 0, refund: "1" }
      : { phase: "open" },
  };
}

/** What comes of the recorded calls about storage deals. */
function fakeStorage(note: (method: string, ...args: unknown[]) => void): LedgerClient["storage"] {
  const none = () => Promise.reject(new TypeError("no tool does that"));
  return {
    async post(deal) {
      note("storage.post", deal);
      await deal.onSign?.(signing("Have a file kept. Fee 0.0012 USD; valid until Pulse 28."));
      return {
        digest: HEX,
        events: [],
        fee: "0.0012",
        leaves: 5,
        made: [HEX],
        pulse: 10,
        receipt: "Done: storage deal 66f5ffa4 posted: 5 leaves, 4 rounds at 0.25 USD each, 1 USD " +
          "of collateral, open to any provider; fee 0.0012 USD.",
        root: HEX,
        status: "Success",
      };
    },
    deals(options) {
      note("storage.deals", options);
      return Promise.resolve([recordedDeal(false)]);
    },
    deal(id, options) {
      note("storage.deal", id, options);
      return Promise.resolve(recordedDeal(true));
    },
    close(closing) {
      note("storage.close", closing);
      const Failed = "unauthorized: only the client closes an open deal";
      const isClient = closing.wallet === "robot-7";
      const amounts = { forfeited: 0, missed: 0, paid: 0, refund: 1000000, returned: 0 };
      return Promise.resolve({
        digest: HEX,
        events: isClient ? [{ DealClosed: { deal: HEX, ...amounts } }] : [],
        fee: "0.0011",
        made: [],
        pulse: 14,
        receipt: isClient
          ? "Done: storage deal 66f5ffa4 closed: 1 USD refunded, 0 USD paid, 0 USD of collateral " +
            "returned, 0 USD forfeited, 0 round(s) missed; fee 0.0011 USD."
          : `Failed (${Failed}); nothing happened except the fee of 0.0011 USD.`,
        status: isClient ? "Success" : { Failed },
      });
    },
    accept: none,
    prove: none,
    fetch: none,
    provide: none,
  };
}

const STAKE_DONE = {
  delegate:
    "alice delegated 5,000 USD to validator d7c1b77d as delegation 59e26b64, earning from " +
    "the epoch's end",
  claim: "0.5 USD collected as rewards of delegation 59e26b64",
  undelegate: "delegation 59e26b64 earns no more, its stake can be withdrawn from Pulse 1012 on; " +
    "0.5 USD collected as rewards",
  withdraw: "5,000 USD withdrawn from delegation 59e26b64",
} as const;

/** What comes of the recorded calls about stake. */
function fakeStake(note: (method: string, ...args: unknown[]) => void): LedgerClient["stake"] {
  const doing = (method: keyof typeof STAKE_DONE) => async (given: SignOptions) => {
    note(`stake.${method}`, given);
    await given.onSign?.(signing(`Do ${method}. Fee 0.0011 USD; valid until Pulse 30.`));
    const outcome: Outcome = {
      digest: HEX,
      events: [{ Delegated: { amount: 5000000000, delegation: HEX, owner: HEX } }],
      fee: "0.0011",
      made: [],
      pulse: 9,
      receipt: `Done: ${STAKE_DONE[method]}; fee 0.0011 USD.`,
      status: "Success",
    };
    return outcome;
  };
  return {
    pools(options) {
      note("stake.pools", options);
      const lines = ["epoch 0, ending after Pulse 12; stake asset USD (test stake)"];
      return Promise.resolve({ epoch: 0, epochEnd: 12, pools: [], lines });
    },
    show(account, options) {
      note("stake.show", account, options);
      const delegation = {
        delegation: HEX,
        phase: "pending" as const,
        rewards_owed: "0",
        shares: "5000000000",
        since: 7,
        stake: "5,000",
        state: "pending: earns from the end of this epoch",
        validator: HEX,
        withdrawable_at: null,
      };
      return Promise.resolve({ account: HEX, delegations: [delegation], epoch: 0 });
    },
    delegate: doing("delegate"),
    claim: doing("claim"),
    undelegate: doing("undelegate"),
    withdraw: doing("withdraw"),
  };
}

function signing(intent: string): Signing {
  return { digest: HEX, unit: HEX, wallet: "dana", sequence: 0n, validUntil: 225n, intent };
}

function withoutEffects(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== "signal" && key !== "onSign"),
  );
}

/** The real server over a fake client. */
export function fakeLedgerServer(
  asked: Asked[] = [],
  other: Partial<LedgerClient> = {},
): ServerDefinition<LedgerContext> {
  const client = { ...fakeLedger(asked), ...other };
  return ledgerServer({ client: { env: {} }, open: () => Promise.resolve(client) });
}

/** The real server where no node answers. */
export function lonelyServer(): ServerDefinition<LedgerContext> {
  const node = "http://127.0.0.1:8400";
  const fail = () =>
    Promise.reject(
      new SionError(
        "node-unreachable",
        `no node answers at ${node}: start one with \`sion devnet\`, or give --node`,
      ),
    );
  const client: LedgerClient = {
    status: fail,
    balance: fail,
    events: fail,
    pay: fail,
    issueClaim: fail,
    assessClaim: fail,
    agentPay: fail,
    fetchPaid: fail,
    submitHex: fail,
    verifyPulse: fail,
    receipt: fail,
    memory: { open: fail, remember: fail, commit: fail, recall: fail, verify: fail, list: fail },
    tasks: {
      post: fail,
      attest: fail,
      submit: fail,
      settle: fail,
      refund: fail,
      show: fail,
      list: fail,
      claims: fail,
    },
    storage: {
      post: fail,
      deals: fail,
      deal: fail,
      accept: fail,
      prove: fail,
      close: fail,
      fetch: fail,
      provide: fail,
    },
    stake: {
      pools: fail,
      show: fail,
      delegate: fail,
      claim: fail,
      undelegate: fail,
      withdraw: fail,
    },
  };
  return ledgerServer({ client: { env: {} }, open: () => Promise.resolve(client) });
}

/** Arguments that each tool takes, as recorded. */
export const RECORDED: Readonly<Record<string, { readonly [name: string]: JsonValue }>> = {
  sion_status: {},
  sion_balance: { account: "dana" },
  sion_pay: { from: "dana", to: "bob", amount_usd: 1.5 },
  sion_issue_claim: {
    issuer: "dana",
    subject: "Invoice 88 was paid in full",
    schema: "note/v1",
    valid_for_pulses: 2000,
  },
  sion_assess_claim: { claim: HEX, value_usd: 1000 },
  sion_agent_pay: {
    agent: "agent8",
    allotment: HEX,
    amount_usd: 0.2,
    charter: HEX,
    payee: "carol",
    purpose: "one forecast",
  },
  sion_events: { from: 211, limit: 4 },
  sion_submit_intent: { tx: "f9b79999824af932" },
  sion_fetch_paid: {
    url: "http://127.0.0.1:8402/v1/resource",
    wallet: "dana",
    max_usd: 1,
    chain: HEX,
  },
  sion_verify_pulse: { chain: HEX },
  sion_fetch_receipt: { digest: HEX, chain: HEX },
  sion_task_post: {
    adjudicator: HEX,
    amount_usd: 5,
    deadline_pulses: 500,
    detection_permille: 900,
    kappa: 2,
    reliance_pulses: 1000,
    requires: [HEX],
    spec: "Count the primes below 60.",
    verifiers: ["dana"],
    wallet: "alice",
    worker: "bob",
  },
  sion_task_attest: { bond_label: "verifier", output: "17", task: HEX, wallet: "dana" },
  sion_task_submit: { attestations: [HEX], output: "17", task: HEX, wallet: "bob" },
  sion_task_settle: { attestations: [HEX], result: HEX, task: HEX, wallet: "bob" },
  sion_task_show: { task: HEX },
  sion_memory_open: { wallet: "robot-7" },
  sion_memory_remember: {
    at: [41000, 11000, 500],
    confidence_permille: 900,
    frame: "warehouse-3",
    from_s: 1790812800,
    log: "5bc688d4",
    predicate: "at",
    seconds: 30,
    size: [600, 400, 500],
    subject: "pallet-17",
    value: "@aisle-4",
    wallet: "robot-7",
  },
  sion_memory_commit: { log: "5bc688d4", wallet: "robot-7" },
  sion_memory_recall: {
    frame: "warehouse-3",
    from_s: 1790812800,
    log: "5bc688d4",
    max: [42000, 12000, 3000],
    min: [40000, 10000, 0],
    until_s: 1790812860,
  },
  sion_stake_pools: {},
  sion_stake_delegate: { wallet: "alice", validator: "d7c1b77d", amount: 5000 },
  sion_stake_show: { account: "alice" },
  sion_stake_claim: { wallet: "alice", delegation: "59e26b64" },
  sion_stake_undelegate: { wallet: "alice", delegation: "59e26b64" },
  sion_stake_withdraw: { wallet: "alice", delegation: "59e26b64" },
  sion_storage_post: {
    collateral: 1,
    local: true,
    path: "patrol-archive.bin",
    price: 0.25,
    round_length: 16,
    rounds: 4,
    wallet: "robot-7",
  },
  sion_storage_deals: { open: true },
  sion_storage_close: { deal: "66f5ffa4", wallet: "robot-7" },
};
