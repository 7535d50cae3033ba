import { expect, it } from "vitest";
import { runRevision } from "../conformance/_suite.ts";

/** How long the suite takes decides nothing; it waits for what must not come. */
const TIMEOUT_MS = 300_000;

it.each(
  [["2025-11-25", 30], ["2026-07-28", 37]] as const,
)(
  "the official suite finds nothing amiss with the protocol core in %s",
  async (revision, count) => {
    const { passed, total, scenarios } = await runRevision(revision);
    expect(scenarios.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`)))
      .toEqual([]);
    expect([passed, total]).toEqual([count, count]);
  },
  TIMEOUT_MS,
);
