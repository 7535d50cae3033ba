/** A liar that is found out and put out while epochs, delegations and keys go on, by seed. */
import { describe, expect, it } from "vitest";
import { taggedHash } from "#internal/crypto/mod.ts";
import { FORMAT_VERSION, ZERO_HASH } from "#internal/proofs/mod.ts";
import type { Accusation } from "#internal/proofs/mod.ts";
import type { Host } from "./host.ts";
import { keyOf } from "./keys.ts";
import { Reports } from "./reports.ts";
import { run } from "./simulation.ts";
import { slashingPlanOf } from "./slashing_plan.ts";
import { isSecondRuntime, share } from "../share.ts";

/** A hang is a failure; how busy the machine is decides nothing. */
const TIMEOUT_MS = 600_000;
const SEEDS = share(40);
const BATCH = Math.min(20, SEEDS);

describe("a network with a liar that is slashed", () => {
  for (let first = 1; first < SEEDS; first += BATCH) {
    const to = first + BATCH - 1;
    it(`run() breaks no promise, seeds ${first} to ${to} [L-481 L-514 L-595 L-596]`, () => {
      let slashed = 0;
      for (let seed = first; seed <= to; seed++) {
        const outcome = run(slashingPlanOf(seed));
        const replay = `replay: scripts/sim --plans slashing --seed ${seed} --trace`;
        expect(outcome.violation, replay).toBeUndefined();
        slashed += outcome.slashed;
      }
      // In a fifth of the seeds fewer may happen to be.
      if (!isSecondRuntime) expect(slashed).toBeGreaterThan(BATCH / 4);
    }, TIMEOUT_MS);
  }
});

describe("Reports", () => {
  const signed = {
    header: {
      version: FORMAT_VERSION,
      session: 0,
      round: 7,
      author: 3,
      parents: [],
      timeMs: 0n,
      link: { value: ZERO_HASH, next: ZERO_HASH },
      bodyRoot: ZERO_HASH,
      statementsRoot: ZERO_HASH,
    },
    signature: taggedHash("test/nobody"),
  };
  const later = { ...signed, header: { ...signed.header, timeMs: 1n } };

  function reports(second: typeof signed, whose = 3): Reports {
    const offence: Accusation["offence"] = { kind: "blocks", body: { first: signed, second } };
    const accusation = { key: keyOf(whose), offence };
    const host = { validator: { accusations: () => [accusation] } } as unknown as Host;
    return new Reports({
      liar: 3,
      chain: "c0".repeat(32),
      hosts: () => [host],
      send: () => expect.fail("it is not to be shown"),
      isLost: () => false,
    });
  }

  it("refuses accusations of the honest, and what shows nothing", () => {
    expect(() => reports(later, 1).check()).toThrow("is of an honest validator");
    expect(() => reports(signed).check()).toThrow("shows nothing: the blocks are one");
    expect(() => reports(later).check()).toThrow("has a signature that does not hold");
  });
});
