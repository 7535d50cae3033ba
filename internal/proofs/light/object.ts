/** One object of the state verified as a light client does. */
import { decode } from "#internal/core/mod.ts";
import type { ChainView } from "./chain_view.ts";
import type { LightSource } from "./source.ts";
import { notServed } from "./source.ts";
import { stateProofCodec, verifyStateProof } from "./state_proof.ts";

/**
 * The canonical bytes that a certified Pulse's state holds under a key; null where it is shown to hold
 * nothing there.
 * @throws {SionError} `not-served`, `codec`: what does not hold.
 */
export async function proveObject(
  key: string,
  number: number,
  view: ChainView,
  source: LightSource,
): Promise<Uint8Array | null> {
  const { header, session, verify } = await view.readHeader(number);
  const verdict = await verify();
  if (!verdict.ok) throw notServed(`the certificate does not hold: ${verdict.reason}`);
  const proof = decode(stateProofCodec, await source.state(number, key));
  if (proof.key !== key) throw notServed("another object is proven");
  if (!verifyStateProof(header.stateRoot, session.config.parameters.shards, proof)) {
    throw notServed("the object is not under the state root");
  }
  return proof.object;
}
