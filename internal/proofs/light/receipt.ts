/** One transaction's receipt verified as a light client does. */
import { decode } from "#internal/core/mod.ts";
import type { Ledger, Receipt } from "#internal/ledger/mod.ts";
import { shownQuorum, shownStake } from "../validator_set.ts";
import type { ChainView } from "./chain_view.ts";
import { receiptProofCodec, verifyReceiptProof } from "./receipt_proof.ts";
import type { LightSource } from "./source.ts";
import { notServed } from "./source.ts";

/** A receipt that is proven. */
export interface ProvenReceipt {
  readonly receipt: Receipt;
  readonly certificate: {
    /** Stake of a quorum, in whole units, rounded up. */
    readonly quorum: bigint;
    /** Stake that signed for the Pulse, in whole units. */
    readonly signed: bigint;
  };
}

/**
 * The receipt of a transaction, proven under a certified header.
 * @throws {SionError} `not-served`, `codec`: what does not hold.
 */
export async function proveReceipt(
  digest: string,
  view: ChainView,
  source: LightSource,
  ledger: Ledger,
): Promise<ProvenReceipt> {
  const proof = decode(receiptProofCodec, await source.receiptProof(digest));
  const { header, session, verify } = await view.readHeader(Number(proof.pulse));
  const verdict = await verify();
  if (!verdict.ok) throw notServed(`the certificate does not hold: ${verdict.reason}`);
  if (!verifyReceiptProof(header.receiptsRoot, proof)) {
    throw notServed("the receipt is not under the receipts root");
  }
  const receipt = decode(ledger.receiptCodec, proof.receipt);
  if (receipt.digest !== digest) throw notServed("the receipt is another transaction's");
  if (receipt.pulse !== header.number) throw notServed("the receipt is of another Pulse");
  const { quorum } = session.committee;
  const certificate = { quorum: shownQuorum(quorum), signed: shownStake(verdict.weight) };
  return { receipt, certificate };
}
