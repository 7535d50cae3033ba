/** `storage_prove`: shows the leaves that were drawn for the round under way. */
import { byteString, id, list, struct, u64 } from "#internal/core/mod.ts";
import { keptBeacon } from "../beacons.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { beginOf, isUnderWay, readDeal, showsChallenged } from "../storage.ts";

const MAX_ROUND = 1_000_000n;

/** docs/protocol/storage.md, storage_prove. */
export const storageProve = defineKind({
  name: "storage_prove",
  tag: 74,
  codec: struct({
    deal: id,
    round: u64,
    leaves: list(struct({ data: byteString(1024), path: list(id, 40) }), 16),
  }),
  fixes: "execution",
  fault({ round, leaves }) {
    if (leaves.length === 0) return "a proof shows nothing";
    if (leaves.some(({ data }) => data.length === 0)) return "a leaf has no bytes";
    return round < 1n || round > MAX_ROUND ? "no deal has that many rounds" : null;
  },
  apply(context, { deal: id, round, leaves }) {
    const { account: provider, pulse } = context;
    const deal = readDeal(context, id);
    const { phase } = deal;
    if (phase.kind === "open") return invalid("the storage deal is not accepted");
    if (phase.kind === "closed") return invalid("the storage deal is closed");
    if (deal.provider !== provider) {
      unauthorized("only the provider of a storage deal may prove it");
    }
    const active = phase.body;
    if (!isUnderWay(deal, active, round, pulse)) {
      invalid(`round ${round} of the storage deal is not under way`);
    }
    if (active.last === round) invalid(`round ${round} of the storage deal is proven already`);
    const beacon = keptBeacon(context, beginOf(deal, active, round));
    if (beacon === null) return invalid(`the challenge of round ${round} is not drawn yet`);
    if (!showsChallenged(beacon, { id, deal, round }, leaves)) {
      invalid("the proof does not show the challenged leaves");
    }
    const proven = active.proven + 1n;
    const body = { ...active, proven, last: round };
    context.put("storage_deal", id, { ...deal, phase: { kind: "active", body } });
    return { RoundProven: { deal: id, proven, provider, round } };
  },
});
