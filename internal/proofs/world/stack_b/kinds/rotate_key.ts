/** `rotate_key`: gives a validator another key from the next session on. */
import { byteString, encode, id, idBytes, struct, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { keyId } from "../objects.ts";
import { checkOperator, putChanged, STATUS, validatorNamed } from "../stake.ts";

/** Pulses until the session is due to end. */
const NOTICE = 7n;

/** docs/protocol/ledger.md, rotate_key. */
export const rotateKey = defineKind({
  name: "rotate_key",
  tag: 99,
  codec: struct({ validator: id, key: byteString(1344), consent: byteString(19_508) }),
  fixes: "execution",
  fault: (body) => body.key.length === 0 ? "a key is empty" : null,
  consents: (body, slot) => {
    const parts = [slot.chain, body.validator, slot.account].map(idBytes);
    const message = taggedHash("sion/rotate/v1", ...parts, encode(u64, slot.sequence));
    return [{ publicKey: body.key, message, signature: body.consent }];
  },
  apply(context, body) {
    const named = validatorNamed(context, body.validator);
    const { id: name, validator } = named;
    checkOperator(context, named, "change its key");
    if (validator.status === STATUS.left) invalid(`validator ${short(name)} has left`);
    if (validator.next !== null) invalid(`the key of validator ${short(name)} changes already`);
    const to = keyId(body.key);
    const isKnown = [context.find("validator", to), context.find("validator_key", to)]
      .some((found) => found !== null);
    if (isKnown) invalid("a validator has or had this key");
    const next = { key: body.key, since: context.pulse };
    if (validator.status === STATUS.slashed) {
      putChanged(context, named, { ...validator, next, status: STATUS.joining });
    } else {
      context.put("validator", name, { ...validator, next });
    }
    context.put("validator_key", to, { validator: name });
    context.endSession();
    const from = keyId(validator.key);
    return { KeyRotated: { ends: context.pulse + NOTICE, from, to, validator: name } };
  },
});
