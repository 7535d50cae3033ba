/**
 * Gives a validator another key from the next session on, which it makes begin. The new key signs
 * too, for this very slot: so nobody can take a key that is another's, or use its consent again. A
 * slashed validator joins again with it.
 */
import { byteString, encode, id, idBytes, shortId, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { defineTxKind } from "../kind.ts";
import type { ConsentPlace } from "../kind.ts";
import { STAKING } from "../objects/staking.ts";
import type { Validator } from "../objects/validator.ts";
import { validatorId, validatorKind } from "../objects/validator.ts";
import { validatorKeyKind } from "../objects/validator_key.ts";
import { ROTATION_PULSES } from "../staking/committee.ts";
import type { View } from "../view.ts";
import { needOperated, putValidator, requireNewKey } from "./_staking.ts";

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
  touches: ({ validator, key }) => ({ shared: [validator, validatorId(key), STAKING] }),
  intent: ({ validator, key }, say) =>
    `Change the key of validator ${say.short(validator)} to ${say.short(validatorId(key))} ` +
    "from the next session on",
  apply(view: View, { validator: named, key }) {
    const found = needOperated(view, named, "change its key");
    const { id, validator } = found;
    const short = shortId(id);
    const { status } = validator;
    view.require(
      status !== "left",
      "invalid transaction",
      `validator ${short} has left`,
    );
    view.require(
      validator.next === null,
      "invalid transaction",
      `the key of validator ${short} changes already`,
    );
    const keyId = validatorId(key);
    requireNewKey(view, keyId);
    const after: Validator = { ...validator, next: { key, since: view.pulse } };
    if (status === "slashed") putValidator(view, found, { ...after, status: "joining" });
    else view.put(validatorKind, id, after);
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
