import { describe, expect, it } from "vitest";
import { createLedger } from "#internal/ledger/mod.ts";
import { executeByStackA } from "#internal/proofs/mod.ts";
import { tellOfSpawns } from "./_spawn_stories.ts";

describe("both stacks on several agents at once", () => {
  it("stack A comes to what stack B does of every story of them [L-624]", async () => {
    const ledger = createLedger();
    const told = await tellOfSpawns();
    for (const { input, output } of told) expect(executeByStackA(ledger, input)).toEqual(output);
    expect(told.length).toBeGreaterThan(60);
  });
});
