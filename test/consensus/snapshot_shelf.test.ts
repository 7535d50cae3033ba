/** What a node shows of snapshots is bounded, whoever asks. */
import { describe, expect, it } from "vitest";
import type { ShownPulse } from "#internal/consensus/mod.ts";
import { SnapshotShelf } from "#internal/consensus/mod.ts";

/** A shelf over a chain whose newest Pulse is whatever `newest` is. */
function shelfAt(newest: { pulse: number }): SnapshotShelf {
  return new SnapshotShelf({
    newest: () => ({
      certificate: { header: { number: BigInt(newest.pulse) } },
      state: { shards: [] },
      tail: new Uint8Array(1),
    } as unknown as ShownPulse),
    steps: () => [],
    leaves: () => [],
    keptRounds: 0,
  });
}

const OFFER = { pulse: 0n, what: { kind: "offer", body: {} } } as const;

function tailOf(pulse: number) {
  return { pulse: BigInt(pulse), what: { kind: "tail", body: { from: 0 } } } as const;
}

describe("SnapshotShelf", () => {
  it("shows three snapshots at most, and lets the oldest go", () => {
    const newest = { pulse: 0 };
    const shelf = shelfAt(newest);
    for (const pulse of [1_000, 2_000, 3_000, 4_000]) {
      newest.pulse = pulse;
      expect(shelf.answer(1, OFFER, 0)?.pulse).toBe(BigInt(pulse));
    }
    const shown = [1_000, 2_000, 3_000, 4_000].map((pulse) =>
      shelf.answer(1, tailOf(pulse), 0)?.part.kind
    );
    expect(shown).toEqual(["none", "tail", "tail", "tail"]);
  });

  it("gives a peer eight parts at once, all peers sixteen, and more as time passes", () => {
    const shelf = shelfAt({ pulse: 1 });
    const given = (peer: number, nowMs: number): number => {
      let parts = 0;
      while (shelf.answer(peer, OFFER, nowMs) !== undefined) parts++;
      return parts;
    };
    expect([1, 2, 3].map((peer) => given(peer, 0))).toEqual([8, 8, 0]);
    expect([1, 2, 3].map((peer) => given(peer, 50))).toEqual([1, 1, 0]);
  });

  it("forgets peers that took no part lately when over 256 are counted", () => {
    const shelf = shelfAt({ pulse: 1 });
    for (let peer = 0; peer <= 256; peer++) shelf.answer(peer, OFFER, 0);
    expect(shelf.counted).toBe(257);
    shelf.answer(257, OFFER, 1_000);
    expect(shelf.counted).toBe(1);
  });
});
