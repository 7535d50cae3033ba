import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  continueSession,
  listSessions,
  openSession,
  runAgent,
  searchSessions,
} from "#internal/agent/mod.ts";
import { loadSqlite } from "#internal/runtime/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import { SESSIONS_BEFORE_CHATS } from "../store/_session_writes.ts";
import { AGENT, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const OPTIONS = { wallet: "coder", agent: AGENT, who: "cli:root", autonomy: "L5" };

async function run(machine: TestMachine, task: string, turns: readonly Turn[]): Promise<string> {
  const models = [scriptOf(machine, turns, `${task.slice(0, 5).trim()}.json`)];
  return (await runAgent(machine, { ...OPTIONS, task, models }, () => {})).session;
}

/** One session of each standing, the newest first in the list. */
async function allStandings(machine: TestMachine): Promise<readonly string[]> {
  const done = await run(machine, "How much is left?\nIn USD.", [{ say: "100 USD are left." }]);
  const waiting = await run(machine, "Pay bob.", [{ calls: [PAY_BOB] }, { say: "Paid." }]);
  const stopped = await run(machine, `Think ${"very ".repeat(1_000)}hard.`, [
    { calls: [{ tool: "ledger_balance" }] },
  ]);
  const models = [scriptOf(machine, [])];
  const opened = await openSession(machine, { ...OPTIONS, models }, () => {});
  await opened[Symbol.asyncDispose]();
  return [opened.session, stopped, waiting, done];
}

describe("listSessions()", () => {
  test("tells where each session stands, and a title of its first words [C-031]", async () => {
    const machine = testMachine();
    const [opened, stopped, waiting, done] = await allStandings(machine);
    const listed = listSessions(machine);
    expect(listed).toMatchObject([
      { session: opened, standing: "open", title: "", task: "" },
      {
        session: stopped,
        standing: "stopped",
        title: `Think ${"very ".repeat(10)}very…`,
        task: `Think ${"very ".repeat(38)}very`,
      },
      { session: waiting, standing: "waiting", title: "Pay bob." },
      { session: done, standing: "done", title: "How much is left?", agent: AGENT },
    ]);
    expect(listSessions(machine, 1)).toEqual(listed.slice(0, 1));
    await continueSession(
      machine,
      { session: waiting ?? "", approve: true, who: "cli:root" },
      () => {},
    );
    expect(listSessions(machine)[0]).toMatchObject({ session: waiting, standing: "done" });
  });

  test("tells that a session runs while it is held", async () => {
    const machine = testMachine();
    await using held = await openSession(
      machine,
      { ...OPTIONS, models: [scriptOf(machine, [])] },
      () => {},
    );
    expect(listSessions(machine)).toMatchObject([{ session: held.session, standing: "running" }]);
  });

  test("knows the same of sessions that an older sion kept", async () => {
    const machine = testMachine();
    await allStandings(machine);
    const [listed, found] = [listSessions(machine), searchSessions(machine, "very hard")];
    machine.sessions.close();
    const path = join(machine.home, "agents", "sessions.db");
    const file = new (loadSqlite().DatabaseSync)(path);
    file.exec(`DROP TABLE pictures; ${SESSIONS_BEFORE_CHATS} PRAGMA user_version = 1`);
    file.close();
    const sessions = openSessions(machine.home, machine);
    expect(listSessions({ ...machine, sessions })).toEqual(listed);
    expect(searchSessions({ ...machine, sessions }, "very hard")).toEqual(found);
    expect(found).toHaveLength(1);
    sessions.close();
  });
});

describe("searchSessions()", () => {
  test("finds what either side said, with the words around it", async () => {
    const machine = testMachine();
    const [, , , done] = await allStandings(machine);
    expect(searchSessions(machine, "usd ARE left")).toMatchObject([
      { session: done, standing: "done", excerpt: "100 USD are left." },
    ]);
    expect(searchSessions(machine, "in usd")).toMatchObject([{ session: done }]);
    expect(searchSessions(machine, "carol")).toEqual([]);
    expect(() => searchSessions(machine, " ")).toThrow("nothing to search for");
  });
});
