/** What commands of budgets of model costs print, and what runs and the doctor say of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

const USAGE = { input: 900, output: 40, cost_usd: "0.3" };
const TURNS = [
  { calls: [{ tool: "ledger_balance", input: {} }], usage: USAGE },
  { say: "It is 10.", usage: USAGE },
];
const UNTIL = "until \\d{4}-\\d\\d-\\d\\d 00:00";

describe("sion agent budget", () => {
  const bench = useBench();
  const sion = (line: string) => bench.sion(...line.split(" "));
  const ok = async (line: string) => {
    const { code, stdout, stderr } = await sion(line);
    expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
    return stdout;
  };

  it("set, list and remove keep what runs may cost together, a change leaves the rest as it was", async () => {
    expect((await sion("agent budget list")).stderr).toContain("no budgets here");
    expect(await ok("agent budget set lead 0.5 --per day --zone Europe/Berlin"))
      .toMatch(new RegExp(`^budget lead: 0 of 0.5 USD a day used, ${UNTIL} Europe/Berlin\n$`));
    expect(await ok("agent budget set all 20 --per total"))
      .toBe("budget all: 0 of 20 USD used\n");
    expect(await ok("agent budget set lead 1"))
      .toMatch(/^budget lead: 0 of 1 USD a day used, until .* Europe\/Berlin\n$/);
    expect(JSON.parse(await ok("agent budget list --json"))).toMatchObject([
      { name: "all", limit_usd: "20", per: "total", zone: "UTC", until: null },
      { name: "lead", limit_usd: "1", per: "day", zone: "Europe/Berlin", spent_usd: "0" },
    ]);
    expect(await ok("agent budget remove lead")).toBe("removed budget lead\n");
    expect(await sion("agent budget remove al")).toMatchObject({
      code: 1,
      stderr: "error: there is no budget al here, did you mean all: `sion agent budget list` " +
        "shows yours\n",
    });
  });

  it.each([
    ["agent budget set lead 5", "budget lead is new: say for how long, --per day|week|month|total"],
    ["agent budget set lead 5 --per year", "is none of day, week, month, total"],
    ["agent budget set lead 5 --per day --zone Berlin", '"Berlin" is no time zone: give one like'],
    ["agent budget set ../x 5 --per day", "is no name"],
    ["agent budget set lead 1.1234567 --per day", "1.1234567"],
    [
      "agent budget set lead 2000000000 --per day",
      "error: 2000000000 is more than 1000000000: give at most that",
    ],
    [
      "agent budget set lead 99999999999999999999 --per day",
      "is more than 1000000000: give at most",
    ],
  ])("%s is refused in one line", async (line, says) => {
    const { code, stderr } = await sion(line);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("stops a run of its profile with code 7, says so in doctor, and lets it go on when raised", async () => {
    writeFileSync(join(bench.home, "turns.json"), JSON.stringify(TURNS));
    const created = await ok("agent create alice coder --budget 10 --payee bob --json");
    const { agent } = JSON.parse(created) as { agent: string };
    await ok(`agent profile add lead coder ${agent} --model script:turns.json`);
    await ok("agent budget set lead 0.5 --per day");
    const ran = await sion("agent run --profile lead --task look");
    expect(ran.code).toBe(7);
    expect(ran.stderr).toMatch(
      /stopped: budget lead has 0\.2 of 0\.5 USD a day left, until .*Z, and a request to script:/,
    );
    const doctor = await sion("agent doctor --offline --within 600 --all --json");
    expect((JSON.parse(doctor.stdout) as { checks: { name: string }[] }).checks)
      .toContainEqual(expect.objectContaining({
        name: "budgets",
        standing: "fine",
        says: expect.stringContaining("budget lead: 0.3 of 0.5 USD a day used"),
      }));
    await ok("agent budget set lead 0.3");
    expect((await sion("agent doctor --offline --within 600")).stdout).toContain(
      "sion agent budget set lead",
    );
    await ok("agent budget set lead 0.6");
    const session = /session ([0-9a-f]{16})/.exec(ran.stdout)?.[1] ?? "";
    const went = await ok(`agent continue ${session}`);
    expect(went).toContain("agent: It is 10.\nbudget lead: 0.6 of 0.6 USD a day used");
    expect(went.trimEnd().split("\n").at(-1)).toBe(`session ${session}: done`);
  });
});
