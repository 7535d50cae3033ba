/** `charter_narrow`: takes from what a charter, and all below it, allows. */
import { encode, equalBytes, id, struct } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { caveatsFault, narrowed, narrowedLevel } from "../limits.ts";
import { caveatsCodec } from "../objects.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, charter_narrow. */
export const charterNarrow = defineKind({
  name: "charter_narrow",
  tag: 25,
  codec: struct({ charter: id, caveats: caveatsCodec }),
  fixes: "execution",
  fault({ caveats }) {
    const { payees, maxPayment, bucket, expires, receipts } = caveats;
    const none = payees === null && maxPayment === null && bucket === null && expires === null;
    return none && !receipts ? "nothing is narrowed" : caveatsFault(caveats);
  },
  apply(context, body) {
    const charter = context.get("charter", body.charter);
    standAbove(context, lineOf(context, charter.agent), "narrow its charter");
    if (charter.revoked !== null) invalid("the charter is revoked");
    const caveats = narrowed(charter.caveats, body.caveats);
    const [before, after] = [charter.caveats, caveats].map((one) => encode(caveatsCodec, one));
    if (equalBytes(before as Uint8Array, after as Uint8Array)) {
      invalid("the charter is as narrow already");
    }
    context.put("charter", body.charter, {
      ...charter,
      caveats,
      bucket: narrowedLevel(
        charter.caveats.bucket,
        caveats.bucket,
        charter.bucket,
        context.timeMs,
      ),
      narrowed: context.pulse,
    });
    return { CharterNarrowed: { by: context.account, charter: body.charter } };
  },
});
