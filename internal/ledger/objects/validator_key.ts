/**
 * A key that a validator has or had besides its first, noted under the key's id: so that no key comes
 * back, and a validator is found by any of its keys.
 */
import { id, struct } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

/** What stands under the id of a key that is not a validator's first. */
export interface ValidatorKey {
  readonly validator: string;
}

export const validatorKeyKind = defineObjectKind({
  name: "validator_key",
  tag: 97,
  codec: struct({ validator: id }),
  refs: ({ validator }: ValidatorKey) => ({ validator }),
  view: ({ validator }: ValidatorKey) => ({ validator }),
});
