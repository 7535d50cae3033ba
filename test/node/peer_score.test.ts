import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Offence } from "../../internal/node/peer_score.ts";
import {
  FIRST_REFUSAL_MS,
  FORGIVEN_MS,
  LIMIT_POINTS,
  LONGEST_REFUSAL_MS,
  MAX_REMEMBERED,
  OFFENCES,
  PeerScores,
  USELESS_A_SECOND_BYTES,
  USELESS_BURST_BYTES,
  WANTS_A_SECOND,
  WANTS_BURST,
} from "../../internal/node/peer_score.ts";

const KINDS = Object.keys(OFFENCES) as Offence[];

/** Misbehaves until it is dropped; answers how long it is refused. */
function provoke(scores: PeerScores, peer: string, nowMs: number, kind: Offence = "oversize") {
  for (;;) {
    const verdict = scores.note(peer, kind, { nowMs });
    if (verdict.type === "dropped") return verdict.refusedMs;
  }
}

describe("PeerScores", () => {
  test.each(KINDS)("PeerScores.note() drops a peer at %s as often as its points say", (kind) => {
    const scores = new PeerScores();
    const times = Math.ceil(LIMIT_POINTS / OFFENCES[kind].points);
    for (let i = 1; i < times; i++) {
      expect(scores.note("a", kind, { nowMs: 0 })).toEqual({ type: "heard" });
    }
    expect(scores.isRefused("a", 0)).toBe(false);
    expect(scores.note("a", kind, { nowMs: 0 })).toEqual({
      type: "dropped",
      refusedMs: FIRST_REFUSAL_MS,
      why: OFFENCES[kind].said + (times > 1 ? ` (${times} times)` : ""),
    });
    expect(scores.isRefused("a", FIRST_REFUSAL_MS - 1)).toBe(true);
    expect(scores.isRefused("a", FIRST_REFUSAL_MS)).toBe(false);
    expect(scores.isRefused("b", 0)).toBe(false);
  });

  test("PeerScores.note() lets points fade: who errs now and then is heard for ever", () => {
    const scores = new PeerScores();
    for (let i = 0; i < 1_000; i++) {
      expect(scores.note("a", "undecodable", { nowMs: i * 26_000 })).toEqual({ type: "heard" });
    }
  });

  test("PeerScores.note() refuses for twice as long each time, up to a bound, and forgives", () => {
    const scores = new PeerScores();
    let nowMs = 0;
    const lengths = [];
    for (let i = 0; i < 8; i++) {
      const refusedMs = provoke(scores, "a", nowMs);
      lengths.push(refusedMs / FIRST_REFUSAL_MS);
      nowMs += refusedMs;
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 32, 32]);
    expect(LONGEST_REFUSAL_MS).toBe(32 * FIRST_REFUSAL_MS);
    nowMs += 8 * FORGIVEN_MS;
    expect(provoke(scores, "a", nowMs)).toBe(FIRST_REFUSAL_MS);
  });

  test("PeerScores.note() only drops whoever cannot be spared", () => {
    const scores = new PeerScores();
    expect(scores.note("a", "oversize", { nowMs: 0, mayRefuse: () => false })).toMatchObject({
      refusedMs: 0,
    });
    expect(scores.isRefused("a", 0)).toBe(false);
    expect(scores.note("a", "undecodable", { nowMs: 0 })).toEqual({ type: "heard" });
  });

  test("PeerScores never refuses for longer than the bound, whatever comes", () => {
    const event = fc.record({ kind: fc.constantFrom(...KINDS), afterMs: fc.nat(100_000) });
    fc.assert(fc.property(fc.array(event, { maxLength: 300 }), (events) => {
      const scores = new PeerScores();
      let nowMs = 0;
      for (const { kind, afterMs } of events) {
        nowMs += afterMs;
        const verdict = scores.note("a", kind, { nowMs });
        if (verdict.type === "dropped") expect(verdict.refusedMs).toBeGreaterThan(0);
        expect(scores.isRefused("a", nowMs + LONGEST_REFUSAL_MS)).toBe(false);
      }
    }));
  });

  test("PeerScores.takesWant() answers a burst, then so many a second", () => {
    const scores = new PeerScores();
    let taken = 0;
    while (scores.takesWant("a", 0)) taken++;
    expect(taken).toBe(WANTS_BURST);
    expect(scores.takesWant("b", 0)).toBe(true);
    for (taken = 0; scores.takesWant("a", 1_000);) taken++;
    expect(taken).toBe(WANTS_A_SECOND);
  });

  test("PeerScores.countUseless() passes over what asking several peers brings", () => {
    const scores = new PeerScores();
    expect(scores.countUseless("a", USELESS_BURST_BYTES, 0)).toBe(0);
    expect(scores.countUseless("a", 1, 0)).toBe(1);
    expect(scores.countUseless("a", 1 << 20, 0)).toBe(16);
    expect(scores.countUseless("a", USELESS_A_SECOND_BYTES, 1_000)).toBe(0);
  });

  test("PeerScores remembers so many, those that are refused longest", () => {
    const scores = new PeerScores();
    provoke(scores, "bad", 0);
    for (let i = 0; i < 2 * MAX_REMEMBERED; i++) {
      scores.note(`stranger ${i}`, "useless", { nowMs: 0 });
    }
    expect(scores.isRefused("bad", 0)).toBe(true);
    expect(scores.size).toBe(MAX_REMEMBERED);
  });
});
