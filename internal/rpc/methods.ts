/** The methods of a node, sorted. A new one is a declaration and a line in `methods`. */
import { MAX_SIGNED_UNIT_BYTES } from "#internal/core/mod.ts";
import { MAX_PAGE, MAX_WAIT_MS } from "./limits.ts";
import { defineMethod } from "./method.ts";
import type { ParamsOf, ResultOf } from "./method.ts";
import {
  badEncoding,
  genesis,
  headerProof,
  knowledgeProof,
  laneCertificates,
  objectProof,
  published,
  receiptProof,
  receipts,
  reportBadEncoding,
  sessionSteps,
  shares,
  squareCommitment,
  world,
} from "./proof_methods.ts";
import {
  balanceView,
  delegationView,
  eventView,
  objectView,
  poolView,
  receiptView,
  statusView,
} from "./views.ts";
import {
  count,
  flag,
  hex,
  hex64,
  hexText,
  json,
  list,
  nullable,
  oneOf,
  optional,
  record,
  string,
  u64,
} from "./wire.ts";

const MAX_HEADER_BYTES = 1 << 16;
const MAX_CERTIFICATE_BYTES = 1 << 20;
/** Bytes of an object that a claim rests on: a claim, a bond, an account of adjudicators' policy. */
const MAX_CLAIM_OBJECT_BYTES = 1 << 16;
/** A key, two headers and two dual signatures. */
const MAX_ACCUSATION_BYTES = 1 << 17;
const MAX_ACCUSATIONS = 64;
/** Validators that a chain has at most. */
const MAX_POOLS = 64;
/** The claims below one, their bonds and adjudicators: a claim rests on at most 128 atoms. */
const MAX_CLAIM_OBJECTS = 512;

const account = defineMethod({
  name: "account",
  summary: "An account's balances, next sequence, and what certified units still reserve of it.",
  params: record({ account: hex64 }, "closed"),
  result: record({
    account: hex64,
    balances: list(balanceView, 256),
    exists: flag,
    /** The first slot that no unit known to the node takes; `sequence` is the next to execute. */
    next_sequence: u64,
    pulse: count(),
    reserved: u64,
    sequence: u64,
  }),
});

const certificate = defineMethod({
  name: "certificate",
  summary: "The certificate of a Pulse's header, as canonical bytes.",
  params: record({ number: count() }, "closed"),
  result: record({ bytes: hexText(MAX_CERTIFICATE_BYTES), number: count(), pulse: count() }),
});

const delegations = defineMethod({
  name: "delegations",
  summary:
    "Delegations of an account, with the stake behind them and the rewards owed now; a page " +
    "at a time (`after`, `next`).",
  params: record({
    account: hex64,
    after: optional(hex64),
    limit: optional(count(MAX_PAGE)),
  }, "closed"),
  result: record({
    delegations: list(delegationView, MAX_PAGE),
    epoch: count(),
    next: optional(hex64),
    pulse: count(),
  }),
});

const events = defineMethod({
  name: "events",
  summary: "Events from a Pulse on, in order, but the first `skip`. `next` says how to ask for " +
    "what follows, now or later.",
  params: record({
    from: optional(count()),
    limit: optional(count(MAX_PAGE)),
    skip: optional(count()),
  }, "closed"),
  result: record({
    events: list(eventView, MAX_PAGE),
    next: record({ from: count(), skip: count() }),
    pulse: count(),
  }),
});

const accusations = defineMethod({
  name: "accusations",
  summary:
    "Validators that the node saw sign two things that contradict each other, each with what " +
    "a transaction of evidence takes.",
  params: record({}, "closed"),
  result: record({
    accusations: list(hexText(MAX_ACCUSATION_BYTES), MAX_ACCUSATIONS),
    pulse: count(),
  }),
});

const faucet = defineMethod({
  name: "faucet",
  changes: true,
  summary: "Devnet only: mints USD for an account; the asked node's operator signs and pays.",
  params: record({ account: hex64, amount: u64 }, "closed"),
  result: record({
    digest: hex64,
    pulse: count(),
    receipt: receiptView,
    tx: hexText(MAX_SIGNED_UNIT_BYTES),
  }),
  waitsMs: () => MAX_WAIT_MS,
});

const header = defineMethod({
  name: "header",
  summary: "A Pulse's header, as canonical bytes.",
  params: record({ number: count() }, "closed"),
  result: record({ bytes: hexText(MAX_HEADER_BYTES), number: count(), pulse: count() }),
});

const claim = defineMethod({
  name: "claim",
  summary: "A claim with what deciding on it reads, of one state: the claim, the claims that it " +
    "rests on as long as they are active, and the bonds of all of them that there are.",
  params: record({ id: hex64 }, "closed"),
  result: record({
    exists: flag,
    id: hex64,
    objects: list(
      record({ id: hex64, object: hexText(MAX_CLAIM_OBJECT_BYTES) }),
      MAX_CLAIM_OBJECTS,
    ),
    pulse: count(),
  }),
});

const object = defineMethod({
  name: "object",
  summary: "One object of the state by its id.",
  params: record({ id: hex64 }, "closed"),
  result: record({
    exists: flag,
    id: hex64,
    kind: optional(string(64)),
    object: json,
    pulse: count(),
  }),
});

const objects = defineMethod({
  name: "objects",
  summary:
    "Objects of a kind by id, a page at a time (`after`, `next`); `where` takes those that " +
    "name an id as their owner, principal, parent or other role.",
  params: record({
    after: optional(hex64),
    kind: string(64),
    limit: optional(count(MAX_PAGE)),
    where: optional(record({ equals: hex64, member: string(64) }, "closed")),
  }, "closed"),
  result: record({ next: optional(hex64), objects: list(objectView, MAX_PAGE), pulse: count() }),
});

const pools = defineMethod({
  name: "pools",
  summary: "Every validator with its own stake, its pool and its weight, of one state.",
  params: record({}, "closed"),
  result: record({
    epoch: count(),
    /** The Pulse at which the epoch is due to end; null: it never does. */
    epoch_end: nullable(count()),
    pools: list(poolView, MAX_POOLS),
    pulse: count(),
  }),
});

const receipt = defineMethod({
  name: "receipt",
  summary: "What became of a transaction. Waits up to `wait_ms` for it to be executed, or, with " +
    "`until` final, for its unit's certificate.",
  params: record({
    digest: hex64,
    until: optional(oneOf("final", "executed")),
    wait_ms: optional(count(MAX_WAIT_MS)),
  }, "closed"),
  result: record({
    digest: hex64,
    pulse: count(),
    receipt: optional(receiptView),
    /** `final`: a quorum confirmed the unit, it will execute. `expired`: it never will. */
    state: oneOf("unknown", "pending", "final", "executed", "expired"),
    /** The signed unit as hex, with `index` the member's place in it. */
    tx: optional(hexText(MAX_SIGNED_UNIT_BYTES)),
    unit: optional(hex64),
  }),
  waitsMs: (params) => params.wait_ms ?? 0,
});

const status = defineMethod({
  name: "status",
  summary: "The latest Pulse, the certified Pulse, the world commitment, transaction counts.",
  params: record({}, "closed"),
  result: statusView,
});

const submit = defineMethod({
  name: "submit",
  changes: true,
  summary: "Hands a signed unit in. `answer` is of the validator asked: accepted, locked by " +
    "another unit of the same slot (`by`), or refused with a reason.",
  params: record({ forced: optional(flag), tx: hex(MAX_SIGNED_UNIT_BYTES) }, "closed"),
  body: "tx",
  result: record({
    answer: oneOf("accepted", "locked", "refused"),
    by: optional(hex64),
    /** Of a refusal: `executed` is no failure, its receipt is there. */
    code: optional(string(64)),
    digests: list(hex64, 128),
    pulse: count(),
    reason: optional(string(1024)),
    unit: hex64,
  }),
});

/** Every method by its name. */
export const methods = {
  account,
  accusations,
  bad_encoding: badEncoding,
  certificate,
  claim,
  delegations,
  events,
  faucet,
  genesis,
  header,
  header_proof: headerProof,
  knowledge_proof: knowledgeProof,
  lane_certificates: laneCertificates,
  object,
  object_proof: objectProof,
  objects,
  pools,
  published,
  receipt,
  receipt_proof: receiptProof,
  receipts,
  report_bad_encoding: reportBadEncoding,
  session_steps: sessionSteps,
  shares,
  square_commitment: squareCommitment,
  status,
  submit,
  world,
} as const;

/** The names of all methods. */
export type MethodName = keyof typeof methods;
/** The parameters of a method, by its name. */
export type MethodParams<N extends MethodName> = ParamsOf<(typeof methods)[N]>;
/** The result of a method, by its name. */
export type MethodResult<N extends MethodName> = ResultOf<(typeof methods)[N]>;
/** A caller of each method: what a client offers and what a node in the same process can be. */
export type RpcCalls = {
  readonly [N in MethodName]: (
    params: MethodParams<N>,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<MethodResult<N>>;
};
