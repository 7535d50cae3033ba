/**
 * Runs a task of an agent on a real node and kills itself at a write to the session's log: before or
 * after the first of a kind. Arguments: folder, node, agent, moment (`after call-noted`).
 */
import process from "node:process";
import { openAgentMachine, runAgent } from "#internal/agent/mod.ts";
import type { SessionLease } from "#internal/store/mod.ts";

const [folder = "", node = "", agent = "", moment = ""] = process.argv.slice(2);

function at(name: string): void {
  if (name !== moment) return;
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing may happen in it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function watched(lease: SessionLease): SessionLease {
  return {
    ...lease,
    append(drafts) {
      for (const { kind } of drafts) at(`before ${kind}`);
      const events = lease.append(drafts);
      for (const { kind } of drafts) at(`after ${kind}`);
      return events;
    },
  };
}

const machine = openAgentMachine({ env: { HOME: folder }, home: folder, node, cwd: folder });
const { sessions } = machine;
await runAgent(
  {
    ...machine,
    sessions: {
      create: (first) => watched(sessions.create(first)),
      acquire: (session) => watched(sessions.acquire(session)),
      read: (session, after) => sessions.read(session, after),
      resolve: (text) => sessions.resolve(text),
      list: (limit) => sessions.list(limit),
      summary: (session) => sessions.summary(session),
      search: (text, limit) => sessions.search(text, limit),
      chats: sessions.chats,
      close: () => sessions.close(),
    },
  },
  {
    wallet: "coder",
    agent,
    task: "Pay bob 1 USD for invoice 7.",
    models: ["script:pay.json"],
    autonomy: "L6",
    who: "cli:test",
  },
  () => {},
);
