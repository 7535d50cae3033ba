/**
 * Stack A: executes a Pulse again by the product's own executor, over a state of which only the
 * witness is known. docs/protocol/world-proof.md.
 */
import { equalBytes, idBytes, SionError, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type {
  Ledger,
  LedgerState,
  Ordered,
  PulseOutput,
  Receipt,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import {
  accountId,
  LedgerError,
  MAX_SHARDS,
  objectHash,
  partialState,
  verifyAuthorization,
} from "#internal/ledger/mod.ts";
import type { SparseWitness } from "#internal/merkle/mod.ts";
import { logPeaksRoot, SparseTree } from "#internal/merkle/mod.ts";
import type {
  PartialTree,
  WorldErrorCode,
  WorldInput,
  WorldOrdered,
  WorldOutput,
} from "./world_input.ts";

function fail(code: WorldErrorCode, what: string, cause?: unknown): never {
  const options = cause === undefined ? {} : { cause };
  throw new SionError<WorldErrorCode>(code, `Cannot execute the Pulse: ${what}`, options);
}

/**
 * Executes a Pulse. That the owners of the accounts asked for it is checked but for their signatures,
 * which {@link verifySignaturesByStackA} checks.
 * @throws {SionError} with a `WorldErrorCode`, when nothing can be said about the Pulse.
 */
export function executeByStackA(ledger: Ledger, input: WorldInput): WorldOutput {
  const before = stateBefore(ledger, input);
  const ordered = input.ordered.map((entry) => orderedOf(ledger, entry, input.chain));
  return outputOf(execute(ledger, before, input, ordered));
}

/**
 * Verifies every client signature of a Pulse, both halves, and whose they are.
 * @throws {SionError} `authorization` at the first that does not hold; `unit`.
 */
export async function verifySignaturesByStackA(
  ledger: Ledger,
  input: WorldInput,
  backend: DualBackend,
): Promise<void> {
  for (const entry of input.ordered) {
    if (entry.type === "void") continue;
    const signed = decodeUnit(ledger, entry.bytes);
    if (!await verifyAuthorization(backend, signed, ledger)) {
      fail("authorization", "a client's signature does not hold");
    }
  }
}

function execute(
  ledger: Ledger,
  before: LedgerState,
  { pulse, timeMs, beacon, closesSession }: WorldInput,
  ordered: readonly Ordered[],
): PulseOutput {
  try {
    return ledger.execute(before, {
      pulse,
      timeMs,
      beacon: idBytes(beacon),
      ordered,
      closesSession,
    });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "sequence") throw error;
    return fail("order", error.message, error);
  }
}

/** The state before, as far as it is shown, once its roots are found to be those of the header. */
function stateBefore(ledger: Ledger, { trees, peaks, shards, before }: WorldInput): LedgerState {
  if (trees.length !== shards || shards < 1 || shards > MAX_SHARDS) {
    fail("witness", "there is not one tree a shard");
  }
  const objects = new Map<string, Uint8Array>();
  const state = partialState(ledger, {
    trees: trees.map((tree) => SparseTree.partial(knownOf(tree, objects))),
    objects,
    knowledge: { size: before.knowledgeSize, peaks },
  });
  if (!equalBytes(state.root(), before.stateRoot)) {
    fail("witness", "the witness is not of the state before");
  }
  const ones = before.knowledgeSize.toString(2).replaceAll("0", "").length;
  if (peaks.length !== ones || !equalBytes(logPeaksRoot(state.knowledge), before.knowledgeRoot)) {
    fail("witness", "the peaks are not those of the knowledge log before");
  }
  return state;
}

/** @param objects is given what the tree shows, by key. */
function knownOf(tree: PartialTree, objects: Map<string, Uint8Array>): SparseWitness {
  switch (tree.type) {
    case "branch":
      return {
        type: "branch",
        left: knownOf(tree.left, objects),
        right: knownOf(tree.right, objects),
      };
    case "opened": {
      const { key, object } = tree;
      objects.set(toHex(key), object);
      return { type: "leaf", key, valueHash: objectHash(object), wanted: true };
    }
    case "closed":
      return { type: "leaf", key: tree.key, valueHash: tree.valueHash, wanted: false };
    default:
      return tree;
  }
}

function decodeUnit(ledger: Ledger, bytes: Uint8Array): SignedUnit {
  try {
    return ledger.decodeSigned(bytes);
  } catch (error) {
    if (!(error instanceof SionError)) throw error;
    return fail("unit", `bytes in the order are no unit (${error.message})`, error);
  }
}

function orderedOf(ledger: Ledger, entry: WorldOrdered, chain: string): Ordered {
  if (entry.type === "void") return entry;
  const signed = decodeUnit(ledger, entry.bytes);
  const { unit, authorization: { policy, salts } } = signed;
  if (unit.chain !== chain) fail("unit", "a unit is of another chain");
  // A batch has few salts: each costs a hash over all keys.
  const accounts = new Map<string, string>();
  for (const [at, { account }] of unit.members.entries()) {
    const salt = salts[at] as Uint8Array;
    const owned = accounts.get(toHex(salt)) ?? accountId(policy, salt);
    accounts.set(toHex(salt), owned);
    if (owned !== account) fail("authorization", "a unit's policy is not that of its account");
  }
  const fees = ledger.fees(signed).reduce((sum, fee) => sum + fee, 0n);
  if (fees > unit.maxFee) {
    fail("authorization", "a unit costs more than its owner agreed to");
  }
  return { type: "unit", signed, forced: entry.forced };
}

function outputOf({ roots, receipts, endsSession, committee }: PulseOutput): WorldOutput {
  const count = (kind: Receipt["outcome"]["kind"]): number =>
    receipts.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    stateRoot: roots.state,
    knowledgeRoot: roots.knowledge,
    knowledgeSize: roots.knowledgeSize,
    receiptsRoot: roots.receipts,
    leavesRoot: roots.leaves,
    receipts: receipts.length,
    succeeded: count("success"),
    failed: count("failed"),
    voided: count("void"),
    fees: receipts.reduce((sum, { fee }) => sum + fee, 0n),
    endsSession,
    committee,
  };
}
