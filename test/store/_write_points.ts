/**
 * Every write point of every SQLite file that sion keeps: one entry a file, one row a method that
 * writes. `write_points.test.ts` breaks each of them off, and refuses a method or a file without a row.
 */
import { join } from "node:path";
import type { StoredBlock } from "#internal/consensus/mod.ts";
import { toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { encodeAtom } from "#internal/memory/mod.ts";
import type {
  Budgets,
  ClaimedPayment,
  ClientState,
  KeptPurchase,
  LightState,
  MemoryStore,
  NodeState,
  PendingUnit,
  PulseCommit,
  SettlementBook,
  SnapshotImport,
} from "#internal/store/mod.ts";
import {
  openBudgets,
  openClientState,
  openLightState,
  openMemoryStores,
  openNodeState,
  openSettlementBook,
} from "#internal/store/mod.ts";
import { atomOf } from "../memory/_atoms.ts";
import type { KeptFile } from "./_kept_file.ts";
import { methodsOf } from "./_kept_file.ts";
import { sessions } from "./_session_writes.ts";

/** How sessions' ends were kept before they named who signs next. */
const SESSIONS_BEFORE_4 = "DROP TABLE session_ends; " +
  "CREATE TABLE session_ends (session INTEGER PRIMARY KEY, number INTEGER NOT NULL)";

function idOf(name: string): string {
  return toHex(sha256(utf8(name)));
}

function block(round: number, author: number): StoredBlock {
  return {
    id: idOf(`block ${round} ${author}`),
    round,
    author,
    bytes: utf8(`bytes ${round} ${author} `.repeat(40)),
    signature: utf8("signature"),
    units: [
      { form: idOf(`unit ${round}`), bytes: utf8(`unit ${round} `.repeat(900)), until: round + 64 },
      { form: idOf("unit"), bytes: utf8("unit ".repeat(900)), until: round + 64 },
    ],
  };
}

function pulse(number: number, more: Partial<PulseCommit> = {}): PulseCommit {
  return {
    number,
    header: utf8(`header ${number}`),
    contents: utf8(`contents ${number} `.repeat(300)),
    executed: { succeeded: number, failed: 0, void: 0 },
    eventCount: 1,
    digests: [idOf(`tx ${number} 0`), idOf(`tx ${number} 1`)],
    objects: [{
      id: idOf("account"),
      kind: "identity",
      bytes: utf8(`balance ${number}`),
      refs: { principal: idOf("alice") },
    }],
    knowledge: [utf8(`claim ${number}`)],
    knowledgeSize: number - 1,
    tail: utf8(`tail ${number}`),
    keepFrom: 4 * number,
    rows: [{ op: "put", table: "locks", key: `${number}`, value: utf8("lock") }],
    published: { data: utf8(`data ${number}`), locks: utf8("locks"), state: utf8("state") },
    witness: utf8(`witness ${number}`),
    dropBlocksBelow: 0,
    dropCertificatesBelow: 0,
    dropPublishedBelow: 0,
    ...more,
  };
}

/** A snapshot of a Pulse in another session, with blocks above round 5. */
function snapshot(number: number): SnapshotImport {
  const { header, objects, knowledge, tail } = pulse(number);
  const certificate = utf8("certificate ".repeat(100));
  return {
    number,
    header,
    certificate,
    ends: [{ session: 0, next: utf8("config"), number: 4, certificate }],
    objects,
    knowledge,
    tail,
    keepFrom: 3,
    wholeFrom: 6,
    blocks: [block(6, 1), block(6, 2)],
  };
}

const LEAD = { name: "lead", limitMicro: 9_000n, per: "total", zone: "UTC" } as const;
const REQUEST = { names: ["lead"], mostMicro: 5_000n, session: "5e55" };
/** The id of a test's first request. */
const FIRST_REQUEST = "01".repeat(16);

const budgets: KeptFile<Budgets> = {
  name: "budgets of model costs",
  source: "store/budgets.ts",
  path: (folder) => join(folder, "agents", "budgets.db"),
  open(folder) {
    let counter = 0;
    const all = openBudgets(folder, {
      clock: { nowMs: () => 1_000 },
      random: (n) => new Uint8Array(n).fill(++counter),
      self: { pid: 1, started: "1" },
      alive: () => true,
    });
    all.set({ ...LEAD, name: "other" });
    return all;
  },
  close: (store) => store.close(),
  methods: (store) => methodsOf(store),
  reads: { list: (store) => store.list() },
  writes: {
    set: { write: (store) => store.set(LEAD) },
    remove: {
      before(store) {
        store.set(LEAD);
        store.reserve(REQUEST);
      },
      write: (store) => store.remove("lead"),
    },
    reserve: { before: (store) => store.set(LEAD), write: (store) => store.reserve(REQUEST) },
    settle: {
      before(store) {
        store.set(LEAD);
        store.reserve(REQUEST);
      },
      write: (store) => store.settle(FIRST_REQUEST, 1_000n),
    },
    endRun: {
      before: (store) => store.reserve({ ...REQUEST, bound: { run: 1, limitMicro: 9_000_000n } }),
      write: (store) => store.endRun(REQUEST.session),
    },
    // Not a write of its own: it copies the log into the file.
    close: { write: (store) => store.set(LEAD) },
  },
};

const nodeState: KeptFile<NodeState> = {
  name: "a validator's store",
  source: "store/node_state.ts",
  path: (folder) => join(folder, "node.sqlite"),
  open(folder) {
    const identity = { store: "a1".repeat(16), chain: "c0".repeat(32), format: 1 };
    const objects = [{ id: idOf("genesis"), kind: "account", bytes: utf8("rich"), refs: {} }];
    const path = join(folder, "node.sqlite");
    return openNodeState(path, { shown: "~/d", fresh: { identity, objects } }) as NodeState;
  },
  close: (store) => store[Symbol.dispose](),
  methods: methodsOf,
  reads: {
    newestPulse: (store) => store.newestPulse(),
    pulse: (store) => store.pulse(1),
    pulsesWithEvents: (store) => store.pulsesWithEvents(0, 9),
    header: (store) => store.header(1),
    certificate: (store) => store.certificate(1),
    certificateFrom: (store) => store.certificateFrom(1),
    published: (store) => store.published(1),
    badEncoding: (store) => store.badEncoding(1),
    witness: (store) => store.witness(1),
    endOfSession: (store) => store.endOfSession(0),
    newestCertificate: (store) => store.newestCertificate(),
    tail: (store) => store.tail(),
    receiptPlaces: (store) => store.receiptPlaces(idOf("tx 1 0")),
    objects: (store) => [...store.objects()],
    objectIds: (store) => store.objectIds({ kind: "identity", limit: 9 }),
    knowledge: (store) => [...store.knowledge()],
    block: (store) => store.block(idOf("block 1 0")),
    unit: (store) => store.unit(idOf("unit 1")),
    hasUnit: (store) => store.hasUnit(idOf("unit 1")),
    blocksOfRounds: (store) => [...store.blocksOfRounds(0, 9)],
    newestOwnBlock: (store) => store.newestOwnBlock(),
    ownRows: (store) => [...store.ownRows()],
    lowestRound: (store) => store.lowestRound(),
  },
  writes: {
    // What is only queued is another's, and asked for again: it is written with what comes next.
    addBlocks: {
      write(store) {
        store.addBlocks([block(1, 1), block(1, 2)]);
        store.flush();
      },
    },
    addCertificate: {
      before: (store) => store.commitPulse(pulse(1)),
      write(store) {
        store.addCertificate(1, utf8("certificate ".repeat(100)));
        store.flush();
      },
    },
    keepBadEncoding: {
      before: (store) => store.commitPulse(pulse(1)),
      write: (store) => store.keepBadEncoding(1, utf8("proof ".repeat(1_000))),
    },
    flush: {
      before: (store) => store.commitOwn(block(1, 0), []),
      write(store) {
        store.addBlocks([block(2, 3)]);
        store.addCertificate(9, utf8("certificate"));
        store.flush();
      },
    },
    "commitOwn: the first": {
      write: (store) =>
        store.commitOwn(block(1, 0), [{ op: "put", table: "t", key: "k", value: utf8("v") }]),
    },
    "commitOwn: a later one, with what waits": {
      before: (store) =>
        store.commitOwn(block(1, 0), [{ op: "put", table: "t", key: "k", value: utf8("v") }]),
      write(store) {
        store.addBlocks([block(1, 1)]);
        store.commitOwn(block(2, 0), [
          { op: "delete", table: "t", key: "k" },
          { op: "put", table: "t", key: "l", value: utf8("w") },
        ]);
      },
    },
    "commitPulse: the first": { write: (store) => store.commitPulse(pulse(1)) },
    "commitPulse: a session's last, dropping what is old": {
      before(store) {
        store.commitOwn(block(1, 0), []);
        for (const number of [1, 2]) store.addCertificate(number, utf8("certificate"));
        store.commitPulse(pulse(1));
      },
      write: (store) =>
        store.commitPulse(pulse(2, {
          endsSession: { session: 0, next: utf8("config") },
          dropBlocksBelow: 70,
          dropCertificatesBelow: 9,
          dropPublishedBelow: 2,
          rows: [{ op: "delete", table: "locks", key: "1" }],
        })),
    },
    "importSnapshot: into a store that was left behind": {
      before(store) {
        store.addBlocks([block(1, 1)]);
        store.commitOwn(block(1, 0), [{ op: "put", table: "t", key: "k", value: utf8("v") }]);
        store.commitPulse(pulse(1));
      },
      write: (store) => store.importSnapshot(snapshot(9)),
    },
  },
  older: {
    6: "DROP TABLE recent_receipts",
    5: "DROP TABLE units",
    4: "DROP TABLE bad_encodings",
    3: SESSIONS_BEFORE_4,
    2: "DROP TABLE witnesses",
    1: "DROP TABLE published; DROP TABLE session_ends",
  },
};

const LANE = { chain: "c0".repeat(32), account: "a1".repeat(32) };

function unit(sequence: bigint): PendingUnit {
  return {
    ...LANE,
    sequence,
    members: 1,
    wallet: "alice",
    unit: idOf(`unit ${sequence}`),
    bytes: utf8(`signed ${sequence} `.repeat(1_000)),
    cost: 7n,
    validUntil: 20n,
    owner: 77,
    touchedMs: 5,
  };
}

function keep(store: ClientState, sequence: bigint): Promise<void> {
  return store.withLane(LANE, (lane) => Promise.resolve(lane.keep(unit(sequence))));
}

/** A unit of two accounts, kept in the lane of each. */
function keepJoint(store: ClientState): Promise<void> {
  return store.withLane(LANE, (lane) => {
    lane.keep(unit(0n));
    lane.keep({ ...unit(0n), account: "a2".repeat(32), sequence: 4n });
    return Promise.resolve();
  });
}

const BATCH = { batch: "b1", list: "l1", payments: 1, begunMs: 9 };

function keepInBatch(store: ClientState): Promise<void> {
  const batch = { id: BATCH.batch, place: 0 };
  return store.withLane(LANE, (lane) => Promise.resolve(lane.keep({ ...unit(0n), batch })));
}

const PURCHASE: KeptPurchase = {
  ...LANE,
  purchase: idOf("memo"),
  method: "GET",
  url: "http://127.0.0.1:8402/v1/resource",
  nonce: idOf("nonce"),
  offer: JSON.stringify({ scheme: "exact", amount: "250000" }),
  owner: 77,
  touchedMs: 5,
};

function keepForPurchase(store: ClientState): Promise<void> {
  const purchase = { id: PURCHASE.purchase, digest: idOf("tx") };
  return store.withLane(LANE, (lane) => Promise.resolve(lane.keep({ ...unit(0n), purchase })));
}

const clientState: KeptFile<ClientState> = {
  name: "the wallet book",
  source: "store/client_state.ts",
  path: (folder) => join(folder, "client.db"),
  open: (folder) => openClientState(folder),
  close: (store) => store.close(),
  older: {
    2: "DROP INDEX purchases_by_unit; DROP INDEX purchases_by_url; DROP TABLE purchases",
    1: "DROP INDEX batch_units_by_unit; DROP TABLE batch_units; DROP TABLE batches",
  },
  methods: methodsOf,
  reads: {
    pending: (store) => store.pending(LANE),
    pendingOf: (store) => store.pendingOf(LANE.chain),
    floor: (store) => store.floor(LANE),
    isOfBatch: (store) => store.isOfBatch(unit(0n).unit),
    batchUnits: (store) => store.batchUnits(BATCH.batch),
    accountOf: (store) => store.accountOf("dual", "alice"),
    accountOfSeed: (store) => store.accountOfSeed("dual", new Uint8Array(32)),
    names: (store) => store.names("dual"),
    purchases: (store) => store.purchases(PURCHASE),
    purchasesPaidBy: (store) => store.purchasesPaidBy(idOf("tx")),
  },
  writes: {
    beginPurchase: { write: (store) => store.beginPurchase(PURCHASE) },
    touchPurchase: {
      before: (store) => store.beginPurchase(PURCHASE),
      write: (store) => store.touchPurchase(PURCHASE.purchase, 78, 9),
    },
    endPurchase: {
      before: (store) => store.beginPurchase(PURCHASE),
      write: (store) => store.endPurchase(PURCHASE.purchase),
    },
    "withLane: the unit of a purchase": {
      before: (store) => store.beginPurchase(PURCHASE),
      write: keepForPurchase,
    },
    "settle: of a purchase that is not paid": {
      before: async (store) => {
        await store.beginPurchase(PURCHASE);
        await keepForPurchase(store);
      },
      write: (store) => store.settle(unit(0n), "never"),
    },
    "withLane: a unit signed and kept": { write: (store) => keep(store, 0n) },
    "withLane: behind another": {
      before: (store) => keep(store, 0n),
      write: (store) => keep(store, 1n),
    },
    touch: {
      before: (store) => keep(store, 0n),
      write: (store) => store.touch(unit(0n), 78, 9),
    },
    "withLane: in two lanes": { write: keepJoint },
    "touch: in two lanes": {
      before: keepJoint,
      write: (store) => store.touch(unit(0n), 78, 9),
    },
    "settle: in two lanes": {
      before: keepJoint,
      write: (store) => store.settle(unit(0n), "executed"),
    },
    "settle: consumed": {
      before: (store) => keep(store, 0n),
      write: (store) => store.settle(unit(0n), "executed"),
    },
    "settle: free again": {
      before: (store) => keep(store, 0n),
      write: (store) => store.settle(unit(0n), "never"),
    },
    "withLane: a unit of a batch": {
      before: (store) => store.startBatch(LANE, BATCH, false),
      write: keepInBatch,
    },
    "settle: of a batch": {
      before: async (store) => {
        await store.startBatch(LANE, BATCH, false);
        await keepInBatch(store);
      },
      write: (store) => store.settle(unit(0n), "executed"),
    },
    startBatch: { write: (store) => store.startBatch(LANE, BATCH, false) },
    "startBatch: in place of another": {
      before: async (store) => {
        await store.startBatch(LANE, { ...BATCH, batch: "b0", list: "l0" }, false);
      },
      write: (store) => store.startBatch(LANE, BATCH, true),
    },
    endBatch: {
      before: async (store) => {
        await store.startBatch(LANE, BATCH, false);
        await keepInBatch(store);
      },
      write: (store) => store.endBatch(BATCH.batch),
    },
    name: { write: (store) => store.name("dual", "alice", LANE.account) },
    keepAccountOfSeed: {
      write: (store) => store.keepAccountOfSeed("dual", new Uint8Array(32), LANE.account),
    },
    // Not a write of its own: it copies the log into the file.
    close: { write: (store) => store.name("dual", "bob", LANE.account) },
  },
};

function head(number: number) {
  return { number, header: utf8(`header ${number}`), session: utf8("session"), after: 0 };
}

const lightState: KeptFile<LightState> = {
  name: "a light client's trust",
  source: "store/light_state.ts",
  path: (folder) => join(folder, "light.db"),
  open: (folder) => openLightState(folder),
  close: (store) => store[Symbol.dispose](),
  older: { 1: "DROP TABLE refused" },
  methods: methodsOf,
  reads: {
    trusted: (store) => store.trusted(LANE.chain),
    forks: (store) => store.forks(LANE.chain),
    refused: (store) => store.refused(LANE.chain),
  },
  writes: {
    "trust: the first head": { write: (store) => store.trust(LANE.chain, head(1)) },
    "trust: a later one": {
      before: (store) => store.trust(LANE.chain, head(1)),
      write: (store) => store.trust(LANE.chain, head(5)),
    },
    refuse: {
      before: (store) => store.trust(LANE.chain, head(5)),
      write: (store) =>
        store.refuse(LANE.chain, {
          number: 6,
          header: idOf("header 6"),
          proof: utf8("proof ".repeat(1_000)),
        }),
    },
    keepFork: {
      before: (store) => store.trust(LANE.chain, head(5)),
      write: (store) => store.keepFork(LANE.chain, 5, utf8("proof ".repeat(1_000))),
    },
  },
};

const LOG = idOf("log");

function atoms(first: number, count: number): Uint8Array[] {
  return Array.from(
    { length: count },
    (_, i) =>
      encodeAtom(atomOf({ subject: `pallet-${first + i} ${"x".repeat(200)}`, at: [7n, 8n, 9n] })),
  );
}

const memoryStore: KeptFile<MemoryStore> = {
  name: "a memory log",
  source: "store/memory_store.ts",
  path: (folder) => join(folder, "memory", `${LOG}.db`),
  open: (folder) => openMemoryStores(folder).open(LOG),
  close: (store) => store[Symbol.dispose](),
  older: { 1: "DROP TABLE outside" },
  methods: methodsOf,
  reads: {
    outsideOf: (store) => store.outsideOf(Array.from({ length: store.size }, (_, at) => at)),
    atom: (store) => store.size > 0 && store.atom(0),
    node: (store) => store.size > 1 && store.node(1, 0),
    owner: (store) => store.owner(),
    committed: (store) => store.committed(),
  },
  writes: {
    "append: the first": { write: (store) => store.append(atoms(0, 1)) },
    "append: many behind others": {
      before: (store) => store.append(atoms(0, 5)),
      write: (store) => store.append(atoms(5, 20)),
    },
    "append: what may repeat a page": {
      before: (store) => store.append(atoms(0, 5)),
      write: (store) => store.append(atoms(5, 3), "page a"),
    },
    own: {
      write: (store) => store.own({ ...LANE, wallet: "alice" }),
    },
    "noteCommitted: the first": {
      write: (store) => store.noteCommitted({ size: 3, sealed: false }),
    },
    "noteCommitted: sealed": {
      before: (store) => store.noteCommitted({ size: 3, sealed: false }),
      write: (store) => store.noteCommitted({ size: 4, sealed: true }),
    },
  },
};

// deno-lint-ignore no-explicit-any -- each file has a store type of its own
const CLAIMED: ClaimedPayment = {
  digest: idOf("tx"),
  memo: idOf("memo"),
  settlement: JSON.stringify({ success: true, transaction: idOf("tx") }),
  by: "gateway",
  claimedMs: 5,
};
const ANSWER = { status: 200, headers: "{}", body: utf8("paid ".repeat(2_000)) };

const settlementBook: KeptFile<SettlementBook> = {
  name: "payments that were taken",
  source: "store/settlement_book.ts",
  path: (folder) => join(folder, "x402.db"),
  open: (folder) => openSettlementBook(folder),
  close: (store) => store.close(),
  methods: methodsOf,
  reads: { find: (store) => store.find(CLAIMED.digest) },
  writes: {
    claim: { write: (store) => store.claim(CLAIMED) },
    serve: {
      before: (store) => store.claim(CLAIMED),
      write: (store) => store.serve(CLAIMED.digest),
    },
    release: {
      before(store) {
        store.claim(CLAIMED);
        store.serve(CLAIMED.digest);
      },
      write: (store) => store.release(CLAIMED.digest),
    },
    keepAnswer: {
      before: (store) => store.claim(CLAIMED),
      write: (store) => store.keepAnswer(CLAIMED.digest, ANSWER, 9),
    },
    // Not a write of its own: it copies the log into the file.
    close: { write: (store) => store.claim(CLAIMED) },
  },
};

export const KEPT_FILES: readonly KeptFile<any>[] = [
  budgets,
  clientState,
  lightState,
  memoryStore,
  nodeState,
  sessions,
  settlementBook,
];
