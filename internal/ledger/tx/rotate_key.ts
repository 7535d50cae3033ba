/**
 * Gives a validator another key from the next session on, which it makes begin. The new key signs
 * too, for this very slot: so nobody can take a key that is another's, or use its consent again.
 */
import { byteString, encode, id, idBytes, shortId, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { ROTATION_PULSES } from "../committee.ts";
import { defineTxKind } from "../kind.ts";
import type { ConsentPlace } from "../kind.ts";
import { validatorId, validatorKind } from "../objects/validator.ts";
import { validatorKeyKind } from "../objects/validator_key.ts";
import type { View } from "../view.ts";

const ROTATE_TAG = "sion/rotate/v1";

const codec = struct({
  /** The id of the validator, or of a key that it has or had. */
  validator: id,
  /** The new dual public key. */
  key: byteString(DUAL_PUBLIC_KEY_BYTES),
  /** The new key's signature of {@link rotationDigest}. */
  consent: byteString(DUAL_SIGNATURE_BYTES),
});

/** Body of `rotate_key`. */
export type RotateKeyBody = ValueOf<typeof codec>;

/** What the new key signs: the chain, the validator as the body names it, and the slot. */
export function rotationDigest(
  { chain, account, sequence }: ConsentPlace,
  validator: string,
): Uint8Array {
  return taggedHash(
    ROTATE_TAG,
    idBytes(chain),
    idBytes(validator),
    idBytes(account),
    encode(u64, sequence),
  );
}

export const rotateKey = defineTxKind({
  name: "rotate_key",
  tag: 99,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ key }: RotateKeyBody) => key.length === 0 ? "a key is empty" : undefined,
  consents: ({ validator, key, consent }, place) => [
    { publicKey: key, digest: rotationDigest(place, validator), signature: consent },
  ],
  touches: ({ validator, key }) => ({ shared: [validator, validatorId(key)] }),
  intent: ({ validator, key }, say) =>
    `Change the key of validator ${say.short(validator)} to ${say.short(validatorId(key))} ` +
    "from the next session on",
  apply(view: View, { validator: named, key }) {
    const id = view.get(validatorKeyKind, named)?.validator ?? named;
    const validator = view.need(validatorKind, id);
    const short = shortId(id);
    view.require(
      validator.operator === view.actor,
      "unauthorized",
      `only the operator of validator ${short} may change its key`,
    );
    view.require(
      validator.status === "active",
      "invalid transaction",
      `validator ${short} is not active`,
    );
    view.require(
      validator.next === null,
      "invalid transaction",
      `the key of validator ${short} changes already`,
    );
    const keyId = validatorId(key);
    const isNew = view.get(validatorKind, keyId) === undefined &&
      view.get(validatorKeyKind, keyId) === undefined;
    view.require(isNew, "invalid transaction", "a validator has or had this key");
    view.put(validatorKind, id, { ...validator, next: { key, since: view.pulse } });
    view.put(validatorKeyKind, keyId, { validator: id });
    view.endSession();
    const ends = view.pulse + ROTATION_PULSES;
    view.emit("KeyRotated", { from: validatorId(validator.key), ends, to: keyId, validator: id });
  },
  tells: {
    KeyRotated: (fields, say) =>
      `validator ${say.short(fields.id("validator"))} changes its key from ` +
      `${say.short(fields.id("from"))} to ${say.short(fields.id("to"))} when its session ends, ` +
      `at Pulse ${fields.pulse("ends")} or soon after`,
  },
  done: ({ pulse }, { validator, key }, say) =>
    `validator ${say.short(validator)} signs with key ${say.short(validatorId(key))} from the ` +
    `next session on, which begins at about Pulse ${pulse + ROTATION_PULSES + 1n}`,
});
