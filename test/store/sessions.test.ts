import fc from "fast-check";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { LEASE_MS, leftLeases, openSessions } from "#internal/store/mod.ts";
import type { ProcessMark, Sessions } from "#internal/store/mod.ts";

interface Machine {
  readonly home: string;
  nowMs: number;
  readonly gone: Set<number>;
  open(pid: number): Sessions;
}

function machine(): Machine {
  const home = mkdtempSync(join(tmpdir(), "sion-sessions-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  let counter = 0;
  const here: Machine = {
    home,
    nowMs: 1_000,
    gone: new Set(),
    open(pid) {
      const sessions = openSessions(home, {
        clock: { nowMs: () => here.nowMs },
        random: (n) => Uint8Array.from({ length: n }, () => ++counter & 0xff),
        self: { pid, started: "1" },
        alive: (mark: ProcessMark) => !here.gone.has(mark.pid),
      });
      onTestFinished(() => sessions.close());
      return sessions;
    },
  };
  return here;
}

const note = (body: JsonValue) => ({ kind: "note", v: 1, body });

describe("openSessions()", () => {
  test("keeps a log in order, readable by its owner only [A-594]", () => {
    const { open, home } = machine();
    const sessions = open(1);
    const lease = sessions.create([]);
    lease.append([note({ n: 1 }), note({ n: 2 })]);
    lease.append([note({ n: 3 })]);
    const read = sessions.read(lease.session);
    expect(read.map(({ seq, kind, v, atMs }) => ({ seq, kind, v, atMs }))).toEqual(
      [1, 2, 3].map((seq) => ({ seq, kind: "note", v: 1, atMs: 1_000 })),
    );
    expect(read.map(({ body }) => stringifyJson(body))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(lease.session).toMatch(/^[0-9a-f]{16}$/);
    const file = join(home, "agents", "sessions.db");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "agents")).mode & 0o777).toBe(0o700);
  });

  test("gives any JSON back as it was, long texts and odd keys included", () => {
    const sessions = machine().open(1);
    const lease = sessions.create([]);
    const long = "é".repeat(5_000);
    const bodies: JsonValue[] = [
      { text: long, deep: [{ text: `${long}!` }, long] },
      { $apart: "no digest" },
      { $apart: long, $$apart: 1 },
      JSON.parse('{"__proto__":{"autonomy":"L6"},"constructor":{"prototype":{"x":1}}}'),
      { big: 9_007_199_254_740_993n },
      "\ud800".repeat(5_000),
    ];
    lease.append(bodies.map(note));
    expect(lease.read().map(({ body }) => stringifyJson(body))).toEqual(
      bodies.map((body) => stringifyJson(body)),
    );
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["autonomy"]).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const [event] = lease.append([note(value as JsonValue)]);
        const back = lease.read().find(({ seq }) => seq === event?.seq);
        expect(stringifyJson(back?.body)).toBe(stringifyJson(value));
      }),
      { numRuns: 25 },
    );
  });

  test("lets one process at a time hold a session and names it", () => {
    const { open, gone } = machine();
    const [one, two] = [open(11), open(22)];
    const lease = one.create([]);
    expect(() => two.acquire(lease.session)).toThrow(
      `session ${lease.session} is in use by process 11: wait until it is done, or stop it`,
    );
    expect(two.read(lease.session)).toEqual([]);
    lease.release();
    two.acquire(lease.session).release();
    const again = one.acquire(lease.session);
    gone.add(11);
    const taken = two.acquire(lease.session);
    taken.append([note(1)]);
    expect(() => again.append([note(2)])).toThrow("was taken over by another process");
    again.release();
    taken.append([note(3)]);
    expect(taken.read().map(({ body }) => body)).toEqual([1, 3]);
  });

  test("lets a lease run out that nobody renews, and fences off who held it", () => {
    const here = machine();
    const [one, two] = [here.open(11), here.open(22)];
    const lease = one.create([]);
    here.nowMs += LEASE_MS - 1;
    lease.renew();
    here.nowMs += LEASE_MS - 1;
    expect(() => two.acquire(lease.session)).toThrow("is in use by process 11");
    here.nowMs += 1;
    const taken = two.acquire(lease.session);
    expect(() => lease.renew()).toThrow("was taken over");
    expect(() => lease.append([note(1)])).toThrow("was taken over");
    expect(taken.read()).toEqual([]);
  });

  test("finds a session by a unique beginning and lists the newest first", () => {
    const here = machine();
    const sessions = here.open(1);
    const first = sessions.create([]);
    here.nowMs++;
    const second = sessions.create([]);
    expect(sessions.resolve(first.session.slice(0, 8))).toBe(first.session);
    expect(sessions.list().map(({ session }) => session)).toEqual([second.session, first.session]);
    here.nowMs++;
    first.append([note(1)]);
    expect(sessions.list()[0]).toMatchObject({
      session: first.session,
      events: 1,
      firstMs: 1_000,
      lastMs: 1_002,
    });
    expect(() => sessions.resolve("ffff")).toThrow("there is no session ffff");
    expect(() => sessions.resolve("../x")).toThrow("there is no session ../x");
    expect(() => sessions.acquire("0".repeat(16))).toThrow("there is no session 0000000000000000");
  });

  test("does not choose between sessions that begin alike", () => {
    const sessions = machine().open(1);
    const ids = Array.from({ length: 17 }, () => sessions.create([]).session);
    const digit =
      "0123456789abcdef".split("").find((one) =>
        ids.filter((id) => id.startsWith(one)).length === 2
      ) ??
        "none";
    expect(() => sessions.resolve(digit)).toThrow(
      `${digit} begins the ids of 2 sessions: give more digits`,
    );
  });

  test("tells the real process from others: its own lease is held, a gone process's is not", () => {
    const { home } = machine();
    const options = {
      clock: { nowMs: () => 1 },
      random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    };
    const sessions = openSessions(home, options);
    onTestFinished(() => sessions.close());
    const lease = sessions.create([]);
    expect(() => sessions.acquire(lease.session)).toThrow(/is in use by process \d+/);
    const other = openSessions(home, { ...options, self: { pid: 2 ** 22 + 1, started: "7" } });
    onTestFinished(() => other.close());
    const left = other.create([]);
    expect(sessions.acquire(left.session).session).toBe(left.session);
  });

  test("takes no process of another container for gone, and its session over once nobody renews it", () => {
    const { home } = machine();
    let nowMs = 1;
    const options = {
      clock: { nowMs: () => nowMs },
      random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    };
    const elsewhere = { pid: 2 ** 22 + 1, started: "7@1" };
    const other = openSessions(home, { ...options, self: elsewhere });
    onTestFinished(() => other.close());
    const { session } = other.create([]);
    const sessions = openSessions(home, options);
    onTestFinished(() => sessions.close());
    expect(() => sessions.acquire(session)).toThrow(/is in use by process \d+/);
    expect(leftLeases(home)).toEqual([]);
    nowMs += LEASE_MS;
    expect(sessions.acquire(session).session).toBe(session);
  });
});

describe("what lists and searches know of sessions", () => {
  const said = (words: string, listed = {}) => ({ ...note({ words }), words, listed });

  test("Sessions.list() shows the latest facts, the first task, and who is at work", () => {
    const here = machine();
    const sessions = here.open(1);
    const lease = sessions.create([
      said("one", { agent: "a", task: "Pay bob.", standing: "open" }),
    ]);
    lease.append([said("two", { task: "Pay carol.", standing: "waiting" })]);
    lease.append([said("three", { title: "Bob's money" })]);
    const [shown] = here.open(2).list();
    expect(shown).toMatchObject({
      agent: "a",
      task: "Pay bob.",
      standing: "waiting",
      title: "Bob's money",
      events: 3,
      held: true,
    });
    here.gone.add(1);
    expect(here.open(3).list()[0]?.held).toBe(false);
    lease.release();
    expect(sessions.summary(lease.session).held).toBe(false);
    expect(() => sessions.summary("ffffffffffffffff")).toThrow("there is no session");
  });

  test("Sessions.search() finds words in any case and script, short ones and parts too", () => {
    const sessions = machine().open(1);
    const one =
      sessions.create([said("Bezahle die Rechnung für Müller, 支付发票, 100% of it")]).session;
    const two = sessions.create([said("pay the invoice a_b of bob"), said("and another")]).session;
    const found = (text: string) => sessions.search(text, 10).map(({ session }) => session);
    expect(found("rechnung")).toEqual([one]);
    expect(found("MULLER")).toEqual([one]);
    expect(found("支付")).toEqual([one]);
    expect(found("0%")).toEqual([one]);
    expect(found("_b")).toEqual([two]);
    expect(found("voic bob")).toEqual([two]);
    // Words that were not said in one breath.
    expect(found("bob another")).toEqual([]);
    expect(found('"bob" OR NEAR(')).toEqual([]);
    expect(found("of")).toEqual([two, one]);
    expect(sessions.search("of", 1)).toMatchObject([{ session: two, seq: 1 }]);
    expect(found(" ")).toEqual([]);
  });

  test("Sessions.search() shows where a word stands in a long text", () => {
    const sessions = machine().open(1);
    sessions.create([said(`${"before ".repeat(50)}the needle\nis here${" after".repeat(50)}`)]);
    const excerpt = sessions.search("needle", 10)[0]?.excerpt ?? "";
    expect(excerpt).toMatch(/^….*before the needle is here after.*…$/);
    expect(excerpt.length).toBeLessThan(200);
  });

  test("a conversation keeps its session, those it had, and what it chose [C-009 C-068]", () => {
    const here = machine();
    const { chats, create } = (() => {
      const sessions = here.open(1);
      return { chats: sessions.chats, create: () => sessions.create([]).session };
    })();
    const [lead, other] = [{ channel: "http:lead", key: "ops" }, { channel: "cli", key: "ops" }];
    expect(chats.read(lead)).toEqual({});
    const [one, two] = [create(), create()];
    chats.enter(lead, one);
    here.nowMs++;
    chats.enter(lead, two);
    chats.enter(lead, two);
    chats.choose(lead, { tools: ["read_file"], system: null });
    const again = here.open(2).chats;
    expect(again.read(lead)).toEqual({
      session: two,
      choices: { tools: ["read_file"], system: null },
    });
    expect(again.sessions(lead, 10).toSorted()).toEqual([one, two].toSorted());
    expect(again.read(other)).toEqual({});
    expect(again.sessions(other, 10)).toEqual([]);
    chats.leave(lead);
    expect(again.read(lead)).toEqual({ choices: { tools: ["read_file"], system: null } });
    expect(again.sessions(lead, 1)).toHaveLength(1);
  });

  test("a lease reads on behind a place", () => {
    const lease = machine().open(1).create([note(1), note(2)]);
    lease.append([note(3)]);
    expect(lease.read(1).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(lease.read(3)).toEqual([]);
  });
});
