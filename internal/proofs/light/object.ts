/** One object of the state verified as a light client does. */
import { decode } from "#internal/core/mod.ts";
import type { Header } from "../header.ts";
import { shownQuorum, shownStake } from "../validator_set.ts";
import type { ChainView } from "./chain_view.ts";
import type { ProvenReceipt } from "./receipt.ts";
import type { LightSource } from "./source.ts";
import { notServed } from "./source.ts";
import { stateProofCodec, verifyStateProof } from "./state_proof.ts";

/** What a certified Pulse's state holds under a key. */
export interface ProvenObject {
  /** Canonical bytes; null where it is shown to hold nothing there. */
  readonly bytes: Uint8Array | null;
  readonly header: Header;
  readonly certificate: ProvenReceipt["certificate"];
}

/**
 * What a certified Pulse's state holds under a key.
 * @throws {SionError} `not-served`, `codec`: what does not hold.
 */
export async function proveObject(
  key: string,
  number: number,
  view: ChainView,
  source: LightSource,
): Promise<ProvenObject> {
  const { header, session, verify } = await view.readHeader(number);
  const verdict = await verify();
  if (!verdict.ok) throw notServed(`the certificate does not hold: ${verdict.reason}`);
  const proof = decode(stateProofCodec, await source.state(number, key));
  if (proof.key !== key) throw notServed("another object is proven");
  if (!verifyStateProof(header.stateRoot, session.config.parameters.shards, proof)) {
    throw notServed("the object is not under the state root");
  }
  const { quorum } = session.committee;
  const certificate = { quorum: shownQuorum(quorum), signed: shownStake(verdict.weight) };
  return { bytes: proof.object, header, certificate };
}
