/** A transaction of anybody's, with the proof that it was executed: what payees look at. */
import { fromHex } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import type { Abortable, ProvenTransaction } from "./types.ts";
import { proveTold } from "./verify.ts";

/**
 * What the ledger did with a transaction, proven as a light client does, with the body that its
 * digest is of; `pending` while that may still come, `unknown` where it will not or is not told.
 * @throws {SionError} `not-proven`, `other-chain`
 */
export async function provenTransaction(
  context: Context,
  digest: string,
  options: { readonly waitMs: number; readonly chain?: string } & Abortable,
): Promise<ProvenTransaction | "pending" | "unknown"> {
  const told = await context.rpc.receipt(
    { digest, wait_ms: options.waitMs },
    withSignal(options.signal),
  );
  if (told.receipt === undefined) {
    return told.state === "pending" || told.state === "final" ? "pending" : "unknown";
  }
  if (told.tx === undefined) return "unknown";
  const ledger = await context.ledger();
  const { unit } = ledger.decodeSigned(fromHex(told.tx));
  const at = ledger.memberDigests(unit).indexOf(digest);
  const member = unit.members[at];
  if (member === undefined) return "unknown";
  try {
    const proven = await proveTold(context, digest, told.receipt.pulse, options.chain, options);
    const { receipt, chain, certificate: { quorum, signed } } = proven;
    return {
      account: receipt.account,
      kind: member.kind,
      body: member.body,
      succeeded: receipt.outcome.kind === "success",
      proof: { chain, pulse: Number(receipt.pulse), quorum, signedStake: signed },
    };
  } catch (error) {
    // Executed, and its Pulse is not certified yet.
    if (error instanceof SionError && error.code === "not-certified") return "pending";
    throw error;
  }
}
