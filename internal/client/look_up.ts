/** Looking at a chain: transactions and objects of anybody's with their proofs. Nothing is sent. */
import { fromHex, isHex64, SionError } from "#internal/core/mod.ts";
import type { Ledger, Receipt, SignedUnit } from "#internal/ledger/mod.ts";
import { knownNames } from "./accounts.ts";
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument } from "./errors.ts";
import { receiptOfView } from "./receipts.ts";
import type { Abortable, ObjectReading, Proof, TransactionReading } from "./types.ts";
import { proveObjectTold, proveTold } from "./verify.ts";

/** What became of a transaction, as it is known now; unlike `receiptValue` it finishes nothing. */
export async function readTransaction(
  context: Context,
  digest: string,
  options: Abortable = {},
): Promise<TransactionReading> {
  requireId(digest);
  const facts = await chainFacts(context, options.signal);
  const told = await context.rpc.receipt({ digest, wait_ms: 0 }, withSignal(options.signal));
  const { pulse, state } = told;
  if (told.receipt === undefined) {
    return { state: state === "executed" ? "final" : state, digest, pulse };
  }
  let receipt = receiptOfView(told.receipt);
  const proof = await proofOf(context, Number(receipt.pulse), options, async () => {
    const proven = await proveTold(context, digest, Number(receipt.pulse), undefined, options);
    receipt = proven.receipt;
    const { certificate, pinned } = proven;
    return { kind: "proven", pulse: Number(receipt.pulse), certificate, pinned };
  });
  const ledger = await context.ledger();
  const names = await knownNames(context, facts);
  const signed = told.tx === undefined ? undefined : unitOf(ledger, told.tx, receipt);
  const member = signed?.unit.members[receipt.index];
  return {
    state: "executed",
    digest,
    pulse,
    receipt,
    outcome: ledger.outcome(receipt, member, names),
    proof,
    ...(signed === undefined || told.tx === undefined ? {} : {
      unit: {
        intent: ledger.intent(signed, names),
        members: signed.unit.members.length,
        body: member?.body,
        hex: told.tx,
      },
    }),
  };
}

/**
 * What the state holds under a key: an object's id, or that of an account.
 * @param key see the ledger's `accountKey` for accounts.
 */
export async function readProven(
  context: Context,
  key: string,
  options: Abortable = {},
): Promise<ObjectReading> {
  requireId(key);
  await chainFacts(context, options.signal);
  const { certified_pulse: certified } = await context.rpc.status({}, withSignal(options.signal));
  if (certified < 1) return { proof: { kind: "waits", certified } };
  let object: ObjectReading["object"];
  const proof = await proofOf(context, certified, options, async () => {
    const proven = await proveObjectTold(context, key, certified, undefined, options);
    const { object: held, pulse, certificate, pinned } = proven;
    if (held !== null) object = { kind: held.kind, members: held.view };
    return { kind: "proven", pulse, certificate, pinned };
  });
  return { proof, ...(object === undefined ? {} : { object }) };
}

async function proofOf(
  context: Context,
  needed: number,
  { signal }: Abortable,
  prove: () => Promise<Proof>,
): Promise<Proof> {
  const { certified_pulse: certified } = await context.rpc.status({}, withSignal(signal));
  if (certified < needed) return { kind: "waits", certified };
  try {
    return await prove();
  } catch (error) {
    if (!(error instanceof SionError) || error.code !== "not-proven") throw error;
    return { kind: "refuted", reason: error.message };
  }
}

/** The unit that a receipt is of, if what the node told is it: its digests say so. */
function unitOf(ledger: Ledger, tx: string, receipt: Receipt): SignedUnit | undefined {
  const signed = ledger.decodeSigned(fromHex(tx));
  const isIt = ledger.memberDigests(signed.unit)[receipt.index] === receipt.digest;
  return isIt ? signed : undefined;
}

function requireId(id: string): void {
  if (!isHex64(id)) throw badArgument(`${id} is no digest or id: give its 64 hex digits`);
}
