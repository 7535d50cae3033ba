/**
 * Adds caveats to a charter, by whoever stands above its agent. What meets the charter afterwards
 * meets the old caveats and the new ones; so it never widens. It binds everything below at once.
 */
import { id, struct } from "#internal/core/mod.ts";
import { compareBytes, encode } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { fullBucket, narrowedLevel } from "../bucket.ts";
import type { BucketLevel } from "../bucket.ts";
import type { Caveats } from "../caveats.ts";
import { caveatsCodec, caveatsFault, caveatsText, narrowed, NO_CAVEATS } from "../caveats.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import type { Charter } from "../objects/charter.ts";
import { charterKind } from "../objects/charter.ts";
import type { View } from "../view.ts";

const codec = struct({ charter: id, caveats: caveatsCodec });

/** Body of `charter_narrow`. */
export type CharterNarrowBody = ValueOf<typeof codec>;

function same(a: Caveats, b: Caveats): boolean {
  return compareBytes(encode(caveatsCodec, a), encode(caveatsCodec, b)) === 0;
}

function narrowedBucket(charter: Charter, to: Caveats, timeMs: bigint): BucketLevel | null {
  if (!to.bucket) return null;
  return charter.caveats.bucket && charter.bucket
    ? narrowedLevel(charter.caveats.bucket, to.bucket, charter.bucket, timeMs)
    : fullBucket(to.bucket, timeMs);
}

export const charterNarrow = defineTxKind({
  name: "charter_narrow",
  tag: 25,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ caveats }: CharterNarrowBody) =>
    same(caveats, NO_CAVEATS) ? "no caveat is added" : caveatsFault(caveats),
  touches: ({ charter }) => ({ shared: [charter] }),
  intent: ({ charter, caveats }, say) =>
    `Narrow charter ${say.short(charter)} and all below it to pay ${caveatsText(caveats, say)}`,
  apply(view: View, { charter: id, caveats: added }) {
    const charter = view.need(charterKind, id);
    levelAbove(view, lineOf(view, charter.agent), "narrow its charter");
    view.require(charter.revoked === null, "invalid transaction", "the charter is revoked");
    const caveats = narrowed(charter.caveats, added);
    view.require(
      !same(caveats, charter.caveats),
      "invalid transaction",
      "the charter is as narrow already",
    );
    view.put(charterKind, id, {
      ...charter,
      caveats,
      bucket: narrowedBucket(charter, caveats, view.timeMs),
      narrowed: view.pulse,
    });
    view.emit("CharterNarrowed", { charter: id, by: view.actor });
  },
  tells: {
    CharterNarrowed: (fields, say) =>
      `charter ${say.short(fields.id("charter"))} narrowed by ${say.account(fields.id("by"))}`,
  },
  done: (_receipt, { charter }, say) =>
    `charter ${say.short(charter)} narrowed, with everything below it`,
});
