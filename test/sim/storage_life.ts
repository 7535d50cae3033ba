/**
 * A storage deal of a run: posted, accepted, lied about, proven while its rounds last, closed. Its
 * provider waits for Pulses by paying, so that the chain goes on.
 */
import { idBytes } from "#internal/core/mod.ts";
import type { StorageDeal } from "#internal/ledger/mod.ts";
import { beaconKind, beaconSlot, challengedLeaves, storageDealKind } from "#internal/ledger/mod.ts";
import type { KeptBeacon } from "../../internal/ledger/objects/beacon.ts";
import { accept, close, FILE, postDeal, shownOf, termsOf } from "../ledger/_storage.ts";
import { accountOf, payTo, usd } from "../ledger/_world.ts";
import type { Newest, Send, Steps } from "./life.ts";

/** Has a file kept. */
const DEPOSITOR = "depositor";
/** Keeps it. */
const WARDEN = "warden";

/** Accounts that only runs with storage deals begin with. */
export const STORAGE_WALLETS = [DEPOSITOR, WARDEN];

/** Rounds of 8 Pulses, so few that a run sees their end. */
const ROUNDS = 2n;
const LENGTH = 8n;
/** Pulses that the provider waits for at most. */
const MOST_WAITS = 60;

/** The steps of a deal and its provider. */
export function* storageLife(send: Send, look: () => Newest, misses: boolean): Steps {
  const terms = { ...termsOf(), rounds: ROUNDS, length: LENGTH, acceptBy: 1_000_000n };
  const deal = yield send(DEPOSITOR, [postDeal(terms)], "certain");
  // Before it is accepted it is the client's alone; with too little put up it is nobody's.
  send(WARDEN, [close(deal)], "forbidden");
  send(WARDEN, [accept(deal, usd(1) - 1n)], "forbidden");
  yield send(WARDEN, [accept(deal)], "certain");
  yield send(DEPOSITOR, [accept(deal)], "forbidden");
  let [proven, lied] = [misses ? 1n : 0n, false];
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    const { pulse, state } = look();
    const value = state?.at(deal)?.value as StorageDeal | undefined;
    if (value?.phase.kind !== "active") return;
    const { start } = value.phase.body;
    if (pulse >= start + ROUNDS * LENGTH) break;
    const round = pulse < start ? 0n : (pulse - start) / LENGTH + 1n;
    const first = start + (round - 1n) * LENGTH;
    const kept = state?.at(beaconSlot(first));
    const beacon = kept?.kind === beaconKind.name ? kept.value as KeptBeacon : undefined;
    if (round > proven && beacon?.pulse === first) {
      const drawn = challengedLeaves(idBytes(beacon.beacon), { ...value, deal }, round);
      const prove = (places: readonly bigint[], of: bigint, file = FILE) => ({
        kind: "storage_prove" as const,
        body: { deal, round: of, leaves: shownOf(file, places) },
      });
      if (!lied) {
        lied = true;
        const others = [0n, 1n, 2n, 3n, 4n].filter((place) => !drawn.includes(place));
        send(WARDEN, [prove(others.slice(0, 1), round)], "forbidden");
        send(WARDEN, [prove(drawn, round, FILE.map((byte) => byte ^ 1))], "forbidden");
        send(DEPOSITOR, [prove(drawn, round)], "forbidden");
        send(WARDEN, [prove(drawn, ROUNDS + 1n)], "forbidden");
      }
      proven = round;
      // It may come too late for its round, as any provider's.
      send(WARDEN, [prove(drawn, round)]);
    }
    yield send(WARDEN, [payTo([accountOf(DEPOSITOR), 1n])], "certain");
  }
  yield send(WARDEN, [close(deal)], "certain");
  yield send(DEPOSITOR, [close(deal)], "forbidden");
}

/** The deals of a state. */
export function dealsOf(
  state: Pick<NonNullable<Newest["state"]>, "entries">,
): readonly (readonly [id: string, deal: StorageDeal])[] {
  return [...state.entries()].flatMap(([id, { kind, value }]) =>
    kind === storageDealKind.name ? [[id, value as StorageDeal] as const] : []
  );
}
