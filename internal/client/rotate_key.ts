/** Changing a validator's key: the new key signs its consent for the very slot that is taken. */
import { chainFacts } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { makeOne, signingPlace } from "./transact.ts";
import type { KeyRotation, Outcome } from "./types.ts";

/** Asks the ledger to give a validator another key from its next session on. */
export async function rotateKey(context: Context, rotation: KeyRotation): Promise<Outcome> {
  const { wallet, validator, seed } = rotation;
  const facts = await chainFacts(context, rotation.signal);
  const place = await signingPlace(context, facts, wallet, rotation);
  const { rotationDigest } = await import("#internal/ledger/mod.ts");
  const backend = await context.keys.backend(facts.scheme);
  const keys = await backend.keysFromSeed(seed);
  const action = {
    kind: "rotate_key",
    bodyAt: async (slot: { readonly account: string; readonly sequence: bigint }) => {
      const digest = rotationDigest({ chain: facts.chain, ...slot }, validator);
      const consent = await backend.sign(keys, digest, context.random);
      return { validator, key: keys.publicKey, consent };
    },
  };
  return await makeOne(place, action, rotation);
}
