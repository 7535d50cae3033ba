/** A machine for tests: real session files, a ledger in memory, a clock that stands still. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import type { Outcome } from "#internal/client/mod.ts";
import { formatUsd, SionError } from "#internal/core/mod.ts";
import type { Sessions } from "#internal/store/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import { createPrinter, jsonLineOf } from "#internal/agent/mod.ts";
import type {
  AgentLedger,
  AgentMachine,
  ConversationEvent,
  Listener,
} from "#internal/agent/mod.ts";
import { notAsked } from "./_ledger_stub.ts";

/** The agent of the tests. */
export const AGENT = "d85ed254".padEnd(64, "0");

/** A ledger in memory that pays bob and carol, and keeps what was signed before it is sent. */
export interface FakeLedger extends AgentLedger {
  /** What was paid, in order. */
  readonly paid: { to: string; amount: bigint; purpose: string; session: string; call: string }[];
  /** Thrown by the next `pay`, at the given moment. */
  fail?: { readonly at: "before" | "signed" | "sent"; readonly error: Error } | undefined;
  outcome: AgentLedger["outcome"];
  /** What `outcome` says of transactions it does not have. */
  lost: "not-made" | "unknown";
}

/** Makes one. */
export function fakeLedger(): FakeLedger {
  const outcomes = new Map<string, Outcome>();
  let number = 0;
  const ledger: FakeLedger = {
    paid: [],
    lost: "not-made",
    budget: () =>
      Promise.resolve({
        budget_remaining_usd: formatUsd(
          100_000_000n - ledger.paid.reduce((sum, { amount }) => sum + amount, 0n),
        ),
        charter: "c".repeat(64),
        expires_at_pulse: null,
        fee_money_usd: "0.1",
        max_payment_usd: null,
        payees: ["bob", "carol"],
        pulse: 12,
        spendable_now_usd: "100",
        standing: "good",
      }),
    payFee: () => Promise.resolve(1_200n),
    async pay({ to, amount, purpose, session, call, onSigned }) {
      await Promise.resolve();
      const { fail } = ledger;
      ledger.fail = undefined;
      if (fail?.at === "before") throw fail.error;
      const digest = (++number).toString(16).padStart(64, "a");
      onSigned({
        transaction: digest,
        unit: "b".repeat(64),
        intent: `Pay ${formatUsd(amount)} USD to ${to}.`,
        wallet: "coder",
        sequence: BigInt(number),
        validUntil: 33n,
      });
      if (fail?.at === "signed") throw fail.error;
      const allowed = ["bob", "carol"].includes(to);
      if (allowed) ledger.paid.push({ to, amount, purpose, session, call });
      const outcome: Outcome = {
        digest,
        fee: allowed ? "0.0012" : "0.0011",
        pulse: 13 + number,
        receipt: allowed
          ? `Done: agent paid ${formatUsd(amount)} USD to ${to} ` +
            "(receipt claim cee25b76); fee 0.0012 USD."
          : "Failed (charter caveat violated: payee not allowed); " +
            "nothing happened except the fee of 0.0011 USD.",
        status: allowed ? "Success" : { Failed: "charter caveat violated: payee not allowed" },
        events: [],
        made: [],
      };
      outcomes.set(digest, outcome);
      if (fail?.at === "sent") throw fail.error;
      return outcome;
    },
    outcome: ({ transaction }) => Promise.resolve(outcomes.get(transaction) ?? ledger.lost),
    ...notAsked(),
  };
  return ledger;
}

/** A machine of the tests and where its files are. */
export interface TestMachine extends AgentMachine {
  readonly ledger: FakeLedger;
  readonly folder: string;
  readonly sessions: Sessions;
}

/** A machine in a fresh folder, which goes when the test is done. */
export function testMachine(replace: Partial<AgentMachine> = {}): TestMachine {
  const folder = testFolder();
  const home = join(folder, "home");
  const ledger = fakeLedger();
  let nowMs = 1_793_394_351_000;
  const clock = { nowMs: () => nowMs++ };
  const random = testRandom();
  const sessions = openSessions(home, { clock, random });
  onTestFinished(() => sessions.close());
  return {
    sessions,
    clock,
    random,
    env: { HOME: folder },
    home,
    cwd: folder,
    readText: (path) => readFile(path, "utf8"),
    pause: () => Promise.resolve(),
    findAgent: () => Promise.resolve({ agent: AGENT, ledger }),
    ledger,
    folder,
    ...replace,
  };
}

/** In memory where there is such a place: these tests write durably, hundreds of times. */
const BASE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A fresh folder, which goes when the test is done. */
export function testFolder(): string {
  const folder = mkdtempSync(join(BASE, "sion-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Bytes that are never the same twice and always the same again. */
function testRandom(): (n: number) => Uint8Array {
  let counter = 0;
  return (n) => {
    counter++;
    return Uint8Array.from({ length: n }, (_, i) => (counter * 31 + i * 7 + 5) & 0xff);
  };
}

/** A turn of a script. */
export type Turn = {
  readonly say?: string | readonly string[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cost_usd?: string };
  readonly calls?: readonly { readonly tool: string; readonly input?: unknown }[];
};

/** Writes a script and names it as `--model` does. */
export function scriptOf(machine: TestMachine, turns: readonly Turn[], name = "s.json"): string {
  writeFileSync(join(machine.folder, name), JSON.stringify(turns));
  return `script:${name}`;
}

/** Hears a conversation and keeps it as it came, as printed and as JSON. */
export function hearing(): {
  readonly listener: Listener;
  readonly events: ConversationEvent[];
  readonly lines: string[];
  readonly json: string[];
} {
  const events: ConversationEvent[] = [];
  const lines: string[] = [];
  const json: string[] = [];
  const printer = createPrinter();
  return {
    events,
    lines,
    json,
    listener(event) {
      events.push(event);
      lines.push(...printer.push(event).map(({ text }) => text));
      json.push(jsonLineOf(event));
    },
  };
}

/** A payment to bob, as a model asks for it. */
export const PAY_BOB = {
  tool: "ledger_pay",
  input: { amount: "1", purpose: "invoice 7", to: "bob" },
};

/** An error of the client. */
export function clientError(code: string): SionError {
  return new SionError(code, `a test's ${code}`);
}
