/** `sion doctor` on homes that lack something, and what `--fix` does about it. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSessions } from "#internal/store/mod.ts";
import type { DoctorMachine } from "../../internal/cli/doctor/_check.ts";
import { checks, runChecks } from "../../internal/cli/doctor/mod.ts";
import type { Ran } from "./bench.ts";
import { useBench } from "./bench.ts";

interface Told {
  readonly checks: readonly {
    readonly name: string;
    readonly standing: string;
    readonly says: string;
    readonly fix?: string;
    readonly repairs?: readonly string[];
  }[];
  readonly fine: number;
  readonly look: number;
  readonly failed: number;
  readonly fixed?: readonly { readonly does: string; readonly error?: string }[];
}

/** However slow the machine is that the tests run on. */
const WITHIN = ["--within", "600"] as const;
/** A number that no process has: the largest that Linux gives is 2^22. */
const NOBODY = 99_999_999;

/** What a check said in an answer as JSON. */
function saidBy(ran: Ran, name: string): Told["checks"][number] {
  const found = (ran.json() as Told).checks.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No check ${name}`);
  return found;
}

/** Every path below a folder with its mode and content. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const path = join(folder, name);
    const { mode } = lstatSync(path);
    const isFile = lstatSync(path).isFile();
    return `${name} ${mode.toString(8)} ${isFile ? readFileSync(path).toString("base64") : ""}`;
  });
}

describe("sion doctor", () => {
  const bench = useBench();
  const doctor = (...words: string[]) =>
    bench.sionIn(
      { env: { SION_KEYRING: "off", PATH: process.env["PATH"] ?? "" } },
      "doctor",
      ...WITHIN,
      ...words,
    );

  it("shows what failed first, then what to look at, then a count; --all also what is fine", async () => {
    await bench.sion("wallet", "new", "savings");
    chmodSync(join(bench.home, "wallets/savings"), 0o644);
    const { code, stdout } = await doctor("--offline");
    expect(code).toBe(6);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("✗ home: "))).toEqual([
      `✗ home: others can get at ${bench.home}/wallets/savings (mode 0644). ` +
      `Fix: \`chmod 600 ${bench.home}/wallets/savings\`, or --fix`,
    ]);
    expect(lines.at(-1)).toMatch(/^\d+ checks: \d+ fine(, \d+ to look at)?, \d+ failed$/);
    const order = lines.slice(0, -1).map((line) => "✗!✓".indexOf(line[0] ?? ""));
    expect(order).toEqual(order.toSorted());
    expect(stdout).not.toContain("✓");
    expect((await doctor("--offline", "--all")).stdout).toContain("\n✓ runtime: sion ");
  });

  it("has nothing to do with a folder that is somebody else's", async () => {
    mkdirSync(join(bench.home, "theirs"), { mode: 0o755 });
    writeFileSync(join(bench.home, "notes.txt"), "", { mode: 0o644 });
    chmodSync(bench.home, 0o755);
    const { stdout } = await doctor("--offline", "--fix");
    expect(stdout).toContain(
      `✗ home: ${bench.home} holds other things, and nothing of sion's. ` +
        "Fix: give a folder of sion's own as SION_HOME\n",
    );
    expect(lstatSync(bench.home).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(bench.home, "notes.txt")).mode & 0o777).toBe(0o644);
  });

  it("changes nothing without --fix, whatever it finds", async () => {
    await bench.sion("wallet", "new", "savings");
    await bench.sionIn({ stdin: "sk-0123456789" }, "agent", "credential", "add", "KEY");
    openSessions(bench.home, { clock: { nowMs: () => 1 }, random: (n) => new Uint8Array(n) })
      .close();
    chmodSync(bench.home, 0o755);
    mkdirSync(join(bench.home, "sandbox", `${NOBODY}-ab`), { recursive: true });
    const before = treeOf(bench.home);
    await doctor();
    expect(treeOf(bench.home)).toEqual(before);
  });

  it("--fix lists what it does first, closes what others could read, and finds it closed then", async () => {
    await bench.sion("wallet", "new", "savings");
    chmodSync(join(bench.home, "wallets/savings"), 0o644);
    chmodSync(bench.home, 0o755);
    const { stdout } = await doctor("--offline", "--fix");
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "this will be done:",
      `  chmod 700 ${bench.home}`,
      `  chmod 600 ${bench.home}/wallets/savings`,
      `done: chmod 700 ${bench.home}`,
      `done: chmod 600 ${bench.home}/wallets/savings`,
    ]);
    expect(lstatSync(join(bench.home, "wallets/savings")).mode & 0o777).toBe(0o600);
    const again = await doctor("--offline", "--json");
    expect(saidBy(again, "home").standing).toBe("fine");
    expect(saidBy(again, "wallets").says).toBe("1 kept, and they open");
  });

  it("names a store that is damaged, and leaves it as it is", async () => {
    const path = join(bench.home, "agents/sessions.db");
    mkdirSync(join(bench.home, "agents"), { mode: 0o700 });
    writeFileSync(path, new Uint8Array(8_192).fill(7), { mode: 0o600 });
    const ran = await doctor("--offline", "--json", "--fix");
    expect(ran.code).toBe(6);
    expect(saidBy(ran, "stores")).toMatchObject({
      standing: "failed",
      says: expect.stringContaining("agents/sessions.db is not whole: "),
    });
    expect(readFileSync(path)).toEqual(Buffer.alloc(8_192, 7));
  });

  it("--fix lets go of sessions that a killed process held, and of no others [A-594]", async () => {
    const nowMs = Date.now();
    const options = { clock: { nowMs: () => nowMs } };
    const killed = openSessions(bench.home, {
      ...options,
      random: (n) => new Uint8Array(n).fill(1),
      self: { pid: NOBODY, started: "1" },
    });
    killed.create([]);
    const mine = openSessions(bench.home, { ...options, random: (n) => new Uint8Array(n).fill(2) });
    const held = mine.create([]);
    const told = saidBy(await doctor("--offline", "--json"), "locks");
    expect(told.says).toBe(
      `session ${"01".repeat(8)} was held by process ${NOBODY}, which is gone`,
    );
    const fixed = await doctor("--offline", "--json", "--fix");
    expect((fixed.json() as Told).fixed).toContainEqual({ does: "let go of 1 session" });
    expect(saidBy(fixed, "locks").standing).toBe("fine");
    expect(() => held.renew()).not.toThrow();
    killed.close();
    mine.close();
  });

  it("--fix puts credentials aside whose key file is gone, and keeps them; none is made up", async () => {
    const add = () =>
      bench.sionIn(
        { stdin: "sk-0123456789", env: { SION_KEYRING: "off" } },
        ...["agent", "credential", "add", "KEY"],
      );
    await add();
    const kept = join(bench.home, "agents/credentials.bin");
    const bytes = readFileSync(kept);
    rmSync(join(bench.home, "agents/credentials.key"));
    expect((await add()).code).toBe(1);
    const fixed = await doctor("--offline", "--json", "--fix");
    expect((fixed.json() as Told).fixed).toEqual([
      { does: `put ${kept} aside as ${kept}.no-key, since its key file is gone` },
    ]);
    expect(readFileSync(`${kept}.no-key`)).toEqual(bytes);
    expect(existsSync(join(bench.home, "agents/credentials.key"))).toBe(false);
    expect((await add()).code).toBe(0);
  });

  it("--fix mends what a repair brings to light too, listed before it is done", async () => {
    await bench.sionIn(
      { stdin: "sk-0123456789", env: { SION_KEYRING: "off" } },
      ...["agent", "credential", "add", "KEY"],
    );
    const kept = join(bench.home, "agents/credentials.bin");
    rmSync(join(bench.home, "agents/credentials.key"));
    chmodSync(kept, 0o644);
    const { stdout } = await doctor("--offline", "--fix");
    const aside = `put ${kept} aside as ${kept}.no-key, since its key file is gone`;
    expect(stdout.split("\n").slice(0, 6)).toEqual([
      "this will be done:",
      `  chmod 600 ${kept}`,
      `done: chmod 600 ${kept}`,
      "this will be done:",
      `  ${aside}`,
      `done: ${aside}`,
    ]);
    expect((await doctor("--offline", "--fix")).stdout).not.toContain("this will be done:");
  });

  it("--fix removes what sandboxes of killed processes left, and nothing of those that run", async () => {
    const left = join(bench.home, "sandbox", `${NOBODY}-ab`);
    // By this process, by one of another container, by somebody's hand.
    const used = [`${process.pid}-cd`, `${NOBODY}.1-ef`, "notes"]
      .map((name) => join(bench.home, "sandbox", name));
    mkdirSync(left, { recursive: true });
    for (const folder of used) mkdirSync(folder);
    const found = saidBy(await doctor("--offline", "--json"), "left over");
    expect(found.repairs).toContain(`remove ${left}`);
    await doctor("--offline", "--fix");
    expect([left, ...used].map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
  });

  it("checks each file of a skill's release, and --fix removes what an install that was cut off left", async () => {
    const folder = join(bench.home, "word-count");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "SKILL.md"),
      "---\nname: word-count\ndescription: Counts.\n---\nGo.\n",
    );
    const bundle = join(bench.home, "word-count.skill.tar");
    expect((await bench.sion("skill", "pack", folder, "--out", bundle)).stderr).toBe("");
    const installed = await bench.sion("skill", "install", bundle, "--yes");
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    const all = async () => saidBy(await doctor("--offline", "--json", "--all"), "skills");
    expect(await all()).toMatchObject({
      standing: "fine",
      says: "1 can be used, 1 of them releases with the digests of their bundles",
    });
    const releases = join(bench.home, "agents/releases");
    mkdirSync(join(releases, "ab".repeat(32)));
    const fixed = await doctor("--offline", "--json", "--fix");
    expect((fixed.json() as Told).fixed)
      .toContainEqual({ does: `remove release ${"ab".repeat(32)}` });
    expect(readdirSync(releases)).toHaveLength(1);
    writeFileSync(join(releases, readdirSync(releases)[0] ?? "", "SKILL.md"), "changed");
    expect(await all()).toMatchObject({
      standing: "failed",
      says: expect.stringContaining("skill word-count cannot be used: the release of skill"),
      fix: "install it again, or `sion skill remove word-count`",
    });
  });

  it("compares the clock with the node's, and not with --offline", async () => {
    const server = createServer((_, answer) => {
      answer.sendDate = false;
      answer.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString());
      answer.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const clock = async (...words: string[]) =>
        saidBy(await doctor("--json", "--all", "--node", node, ...words), "clock");
      expect(await clock()).toMatchObject({
        standing: "look",
        says: expect.stringMatching(/\b3\d{3} s behind the node's: one of the two is wrong$/),
      });
      expect((await clock("--offline")).standing).toBe("fine");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("closes files of profiles to others too", async () => {
    mkdirSync(join(bench.home, "agents/profiles"), { recursive: true, mode: 0o700 });
    const path = join(bench.home, "agents/profiles/lead.json");
    writeFileSync(path, "{}", { mode: 0o644 });
    const { repairs } = saidBy(await doctor("--offline", "--json"), "home");
    expect(repairs).toContain(`chmod 600 ${path}`);
    await doctor("--offline", "--fix");
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
  });

  it("tries a model's key where the operator's server is, and not with --offline [A-595]", async () => {
    const asked: string[] = [];
    const server = createServer(({ url, headers }, answer) => {
      asked.push(`${url} ${headers.authorization}`);
      answer.writeHead(headers.authorization === "Bearer right" ? 200 : 401).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const trying = (key: string, ...words: string[]) =>
      bench.sionIn(
        { env: { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, SION_KEYRING: "off" } },
        ...["agent", "doctor", "--json", ...WITHIN, ...words],
      );
    try {
      expect(saidBy(await trying("right", "--offline"), "models").says)
        .toBe("OPENAI_API_KEY is there, not tried");
      expect(asked).toEqual([]);
      expect(saidBy(await trying("right"), "models").says).toBe("OPENAI_API_KEY is accepted");
      const refused = await trying("wrong");
      expect(refused.code).toBe(6);
      expect(saidBy(refused, "models")).toMatchObject({
        standing: "failed",
        fix: "`sion agent credential add OPENAI_API_KEY` with a new one",
      });
      expect(asked).toEqual(["/v1/models Bearer right", "/v1/models Bearer wrong"]);
    } finally {
      server.close();
    }
  });

  it("names a hook whose program is gone, and hooks that others could change", async () => {
    await bench.sion("agent", "hooks", "add", "--event", "run-start", "--", "/no/such/hook");
    expect(saidBy(await doctor("--offline", "--json"), "hooks")).toMatchObject({
      standing: "failed",
      says: "hook 1 runs /no/such/hook, which is not there",
    });
    chmodSync(join(bench.home, "agents/hooks.json"), 0o666);
    expect(saidBy(await doctor("--offline", "--json"), "hooks").says)
      .toMatch(/^others can change .*hooks\.json \(mode 0666\)/);
  });

  it("sion agent doctor has the agents' part of the checks", async () => {
    const all = (await doctor("--offline", "--json")).json() as Told;
    const part = (await bench.sion("agent", "doctor", "--offline", "--json", ...WITHIN))
      .json() as Told;
    const names = part.checks.map(({ name }) => name);
    expect(names).toContain("sandbox");
    expect(names).not.toContain("pending");
    expect(all.checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(all.fine + all.look + all.failed).toBe(all.checks.length);
  });
});

describe("runChecks()", () => {
  const machine = { signal: new AbortController().signal } as DoctorMachine;

  it("says that a check had no answer in time, and does not wait for it", async () => {
    const hangs = { name: "slow", ofAgents: true, run: () => new Promise<never>(() => {}) };
    expect(await runChecks([hangs], machine, 1)).toEqual([
      expect.objectContaining({ name: "slow", standing: "look", says: "no answer within 0.001 s" }),
    ]);
  });

  it("says that a check broke, and runs the others", async () => {
    const breaks = { name: "broken", ofAgents: true, run: () => Promise.reject(new Error("boom")) };
    const works = {
      name: "works",
      ofAgents: true,
      run: () => ({ standing: "fine", says: "ok" }) as const,
    };
    expect((await runChecks([breaks, works], machine)).map(({ says }) => says))
      .toEqual(["it could not be looked at (boom)", "ok"]);
  });

  it("has checks of names of their own", () => {
    const names = checks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+( [a-z]+)*$/);
  });
});
