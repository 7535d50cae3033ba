/** The benchmark of the ledger, asked for a little: that it measures and what it prints, not how fast. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, run } from "../../scripts/_project.ts";
import { attempt } from "../../scripts/benches/_bench.ts";

const BENCH = join(ROOT, "scripts/bench");

/** What the issue on speed asks for by name. */
const PROMISED = [
  "sign_ms",
  "verify_ms",
  "limit_1",
  "rate_1",
  "limit_16",
  "rate_16",
  "rate_128",
  "hardhat_32",
  "lone_p50_ms",
  "lone_floor_ms",
  "start_to_first_final_ms",
  "rss_after_10k_mb",
  "idle_core",
  "accounts_100k_over_1k",
];

test("scripts/bench ledger measures the figures asked for and names all it has", async () => {
  const asked = ["lone_p50_ms", "rate_16", "idle_core"];
  const { code, stdout, output } = await run(
    [BENCH, "ledger", "--json", "--quick", "--only", asked.join()],
  );
  expect(output, output).toContain("ledger took");
  expect(code).toBe(0);
  const found = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
  expect(Object.keys(found)).toEqual(expect.arrayContaining(PROMISED));
  expect(found["quick"]).toBe(true);
  for (const key of [...asked, "sign_ms", "verify_ms", "lone_floor_ms", "limit_16"]) {
    expect(found[key], key).toBeGreaterThan(0);
  }
  // What nobody asked for is not made up.
  expect(found["rate_1"]).toBeNull();
  expect(found["hardhat_32"]).toBeNull();
  expect(found["lone_p50_ms"]).toBeGreaterThan(found["sign_ms"] as number);
  expect(found["failed"]).toBeUndefined();
  // Blocks and what is published go again; receipts and headers stay.
  expect(found["disk_lasting_mb_per_1k_16"]).toBeGreaterThan(0);
  expect(found["disk_lasting_mb_per_1k_16"]).toBeLessThan(found["disk_mb_per_1k_16"] as number);
});

test("attempt() notes the part that fails and why, and the others go on", async () => {
  const failures = {};
  const figures: Record<string, number> = {};
  await attempt(failures, "one", () => Promise.reject(new Error("the node ended")));
  await attempt(failures, "two", () => Promise.resolve(figures["rate_1"] = 7));
  expect(failures).toEqual({ one: "the node ended" });
  expect(figures).toEqual({ rate_1: 7 });
});

test("scripts/bench ledger refuses a figure that it does not have", async () => {
  const { code, stdout, output } = await run([BENCH, "ledger", "--only", "rate_2"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(output).toMatch(/^error: ledger has no figure rate_2: it has sign_ms, [^\n]*\n$/);
  const valueless = await run([BENCH, "ledger", "--only"]);
  expect([valueless.code, valueless.output]).toEqual([
    2,
    "error: --only needs a KEY,…: see scripts/bench --help\n",
  ]);
});

test("scripts/bench agent measures opening a long session, and steps in it and in a new one", async () => {
  const { code, stdout, output } = await run(
    [BENCH, "agent", "--json", "--quick", "--only", "long_session"],
  );
  expect(code, output).toBe(0);
  const found = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
  for (const key of ["open_10k_events_ms", "step_in_long_ms", "step_in_new_ms"]) {
    expect(found[key], key).toBeGreaterThan(0);
  }
});

test("scripts/bench agent measures steps that read and memory, by the program", async () => {
  const { code, stdout, output } = await run(
    [BENCH, "agent", "--json", "--quick", "--only", "steps"],
  );
  expect(code, output).toBe(0);
  const found = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
  for (const key of ["step_read_ms", "rss_mb"]) expect(found[key], key).toBeGreaterThan(0);
});
