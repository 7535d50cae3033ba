/**
 * A machine that dies at a chosen point: around every write to the log, and at every stage of a
 * payment. Its ledger is on the disk, so that the next process finds what the last one left.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "#internal/client/mod.ts";
import { formatUsd, SionError } from "#internal/core/mod.ts";
import type { ProcessMark, SessionLease, Sessions } from "#internal/store/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import { Chat, continueSession, runAgent } from "#internal/agent/mod.ts";
import type { Acting, AgentLedger, AgentMachine, ChatReply, RunEnd } from "#internal/agent/mod.ts";
import { notAsked } from "./_ledger_stub.ts";

/** Called at each point with its number and name; may not come back. */
export type AtPoint = (name: string) => void;

/** The payments that the scenario makes, each exactly once. */
export const EXPECTED = ["1.1 bob 1", "2.1 carol 2", "task dave 3", "shop.example 0.5"];

/** Given twice: whatever broke off the first time, it is paid for once. */
const FETCH = {
  tool: "ledger_fetch_paid",
  input: { max_usd: "0.5", url: "https://shop.example/a" },
};

const TURNS = [
  {
    say: "I pay bob and write it down.",
    calls: [
      { tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } },
      { tool: "write_file", input: { path: "paid.txt", content: "bob 1\n" } },
    ],
  },
  { calls: [{ tool: "ledger_pay", input: { amount: "2", purpose: "invoice 8", to: "carol" } }] },
  { calls: [{ tool: "ledger_task_post", input: { amount: "3", worker: "dave" } }] },
  { calls: [FETCH] },
  { calls: [FETCH] },
  { say: "All are paid." },
];

/** What is left on the disk after a process has gone. */
export interface Remains {
  readonly paid: readonly string[];
  readonly file: string | undefined;
}

/** Prepares a folder for the scenario. */
export function prepareFolder(folder: string): void {
  mkdirSync(join(folder, "work"), { recursive: true });
  writeFileSync(join(folder, "script.json"), JSON.stringify(TURNS));
}

/** What was paid and written in a folder. */
export function remainsOf(folder: string): Remains {
  const file = join(folder, "work", "paid.txt");
  return {
    paid: linesIn(join(folder, "ledger.txt")).map((line) => line.split("|")[1] ?? ""),
    file: existsSync(file) ? readFileSync(file, "utf8") : undefined,
  };
}

/** Runs the scenario in a folder. @param self who runs it, where one process plays several */
export async function runScenario(
  folder: string,
  atPoint: AtPoint,
  self?: ProcessMark,
): Promise<RunEnd> {
  const machine = machineIn(folder, atPoint, self);
  try {
    return await runAgent(machine, {
      wallet: "coder",
      agent: "a".repeat(64),
      task: "Pay bob 1 USD and carol 2 USD, and fetch https://shop.example/a for 0.5 USD.",
      models: ["script:script.json"],
      workspace: "work",
      autonomy: "L6",
      given: { tasks: true, paidFetch: "public" },
      who: "cli:root",
    }, () => {});
  } finally {
    machine.sessions.close();
  }
}

/** Goes on with the one session of a folder; `undefined` when there is none yet. */
export async function continueScenario(
  folder: string,
  atPoint: AtPoint,
  self?: ProcessMark,
): Promise<RunEnd | undefined> {
  const machine = machineIn(folder, atPoint, self);
  try {
    const [kept] = machine.sessions.list();
    if (kept === undefined) return undefined;
    return await continueSession(machine, { session: kept.session, who: "cli:root" }, () => {});
  } finally {
    machine.sessions.close();
  }
}

/** The steps of a conversation, by a person who writes again what was cut off. */
const CHAT_STEPS = [
  "Pay bob.",
  "/title Bob",
  "/undo",
  "Pay carol.",
  "/retry",
  "Thanks.",
  "/compact",
  "/system Be brief.",
  "/new",
];
const CHAT_TURNS = [
  { calls: [{ tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } }] },
  { say: "Paid." },
  { calls: [{ tool: "ledger_pay", input: { amount: "2", purpose: "invoice 8", to: "carol" } }] },
  { say: "Paid." },
  { calls: [{ tool: "ledger_pay", input: { amount: "2", purpose: "invoice 8", to: "carol" } }] },
  { say: "It was paid." },
  { say: "Welcome." },
];

/**
 * Holds a conversation in a folder from one of its steps on.
 * @param began told of each step before it is taken
 */
export async function runChat(
  folder: string,
  from: number,
  began: (step: number) => void,
  atPoint: AtPoint,
  self?: ProcessMark,
): Promise<ChatReply[]> {
  writeFileSync(join(folder, "chat.json"), JSON.stringify(CHAT_TURNS));
  const machine = machineIn(folder, atPoint, self);
  const profile = {
    wallet: "coder",
    agent: "a".repeat(64),
    models: ["script:chat.json"],
    autonomy: "L6",
  };
  const place = { channel: "cli", key: "ops" };
  const chat = new Chat({ machine, place, profile, whenBusy: "wait" });
  const replies: ChatReply[] = [];
  try {
    for (let step = from; step < CHAT_STEPS.length; step++) {
      began(step);
      const text = CHAT_STEPS[step] ?? "";
      replies.push(await chat.handle({ text, id: `${step}`, who: "cli:root", mayDecide: true }));
    }
    return replies;
  } finally {
    machine.sessions.close();
  }
}

function machineIn(
  folder: string,
  atPoint: AtPoint,
  self: ProcessMark | undefined,
): AgentMachine {
  const clock = { nowMs: () => Date.now() };
  const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
  const home = join(folder, "home");
  const alive = (mark: ProcessMark) => mark.pid === self?.pid;
  const played = self === undefined ? {} : { self, alive };
  return {
    sessions: watched(openSessions(home, { clock, random, ...played }), atPoint),
    clock,
    random,
    env: { HOME: folder },
    home,
    cwd: folder,
    readText: (path) => readFile(path, "utf8"),
    findAgent: () => Promise.resolve({ agent: "a".repeat(64), ledger: ledgerIn(folder, atPoint) }),
  };
}

function watched(sessions: Sessions, atPoint: AtPoint): Sessions {
  const lease = (held: SessionLease): SessionLease => ({
    ...held,
    append(drafts, later) {
      const name = drafts.map(({ kind }) => kind).join("+");
      atPoint(`before ${name}`);
      const events = held.append(drafts, later);
      atPoint(`after ${name}`);
      return events;
    },
  });
  function around<A extends unknown[]>(name: string, write: (...given: A) => void) {
    return (...given: A) => {
      atPoint(`before ${name}`);
      write(...given);
      atPoint(`after ${name}`);
    };
  }
  return {
    create(first) {
      atPoint("before session-opened");
      const held = sessions.create(first);
      atPoint("after session-opened");
      return lease(held);
    },
    acquire: (session) => lease(sessions.acquire(session)),
    read: (session, after) => sessions.read(session, after),
    resolve: (text) => sessions.resolve(text),
    list: (limit) => sessions.list(limit),
    summary: (session) => sessions.summary(session),
    search: (text, limit) => sessions.search(text, limit),
    chats: {
      ...sessions.chats,
      enter: around("enter", (place, session) => sessions.chats.enter(place, session)),
      leave: around("leave", (place) => sessions.chats.leave(place)),
      choose: around("choose", (place, choices) => sessions.chats.choose(place, choices)),
    },
    close: () => sessions.close(),
  };
}

/**
 * A ledger with a wallet: what is signed is kept, then sent. A kept payment is sent by whoever comes
 * next; one that the ledger has is not taken twice; each signing makes another transaction.
 */
function ledgerIn(folder: string, atPoint: AtPoint): AgentLedger {
  const names = ["ledger", "kept", "tries", "purchase", "shop"] as const;
  const [ledger, kept, tries, purchase, shop] = names.map((name) =>
    join(folder, `${name}.txt`)
  ) as [string, string, string, string, string];
  const take = (line: string) => {
    if (!linesIn(ledger).includes(line)) writeFileSync(ledger, `${line}\n`, { flag: "a" });
  };
  const outcome = (line: string): Outcome => ({
    digest: line.split("|")[0] ?? "",
    fee: "0.0012",
    pulse: 14,
    receipt: `Done: ${line}; fee 0.0012 USD.`,
    status: "Success",
    events: [],
    made: [],
  });
  /** Signs, keeps and sends; @param rest what is kept with it */
  const commit = (
    what: string,
    onSigned: Acting["onSigned"],
    rest?: (transaction: string) => void,
  ): Outcome => {
    writeFileSync(tries, "x\n", { flag: "a" });
    const transaction = String(linesIn(tries).length).padStart(64, "0");
    const line = `${transaction}|${what}`;
    const texts = { unit: "b".repeat(64), intent: "Pay.", wallet: "coder" };
    onSigned({ transaction, ...texts, sequence: 1n, validUntil: 30n });
    atPoint("noted, not kept");
    rest?.(transaction);
    writeFileSync(kept, `${line}\n`);
    atPoint("kept, not sent");
    take(line);
    atPoint("sent, still kept");
    rmSync(kept);
    atPoint("sent and settled");
    return outcome(line);
  };
  const settle = (transaction: string): string | undefined => {
    const mine = (line: string) => line.startsWith(transaction);
    const left = linesIn(kept).find(mine);
    if (left !== undefined) {
      take(left);
      rmSync(kept);
    }
    return linesIn(ledger).find(mine);
  };
  return {
    ...notAsked(),
    budget: () => Promise.reject(new Error("not asked for here")),
    payFee: () => Promise.reject(new Error("not asked for here")),
    async pay({ to, amount, call, onSigned }) {
      await Promise.resolve();
      return commit(`${call} ${to} ${formatUsd(amount)}`, onSigned);
    },
    outcome({ transaction }) {
      const found = settle(transaction);
      return Promise.resolve(found === undefined ? "not-made" : outcome(found));
    },
    isShownAgain: (transaction) => Promise.resolve(linesIn(purchase).includes(transaction)),
    async fetchPaid({ url, most }, { onSigned }) {
      await Promise.resolve();
      const [left] = linesIn(purchase);
      // As the client does: what was paid and not taken is shown again, and no other is made.
      if (left === undefined || settle(left) === undefined) {
        const what = `${new URL(url).host} ${formatUsd(most)}`;
        commit(what, onSigned, (id) => writeFileSync(purchase, `${id}\n`));
      }
      const [paid = ""] = linesIn(purchase);
      const isNew = !linesIn(shop).includes(paid);
      if (isNew) writeFileSync(shop, `${paid}\n`, { flag: "a" });
      atPoint("shown, still to be shown");
      rmSync(purchase);
      atPoint("shown");
      if (!isNew) throw new SionError("payment-used", `the shop took payment ${paid} before`);
      return { body: "a", paid: true, status: 200 };
    },
    tasks: {
      ...notAsked().tasks,
      async post({ amount, worker }, { onSigned }) {
        await Promise.resolve();
        return commit(`task ${worker} ${formatUsd(amount)}`, onSigned);
      },
    },
  };
}

function linesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").filter((line) => line !== "");
}
