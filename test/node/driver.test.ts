import { describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import type { Effect, Input, StoredBlock, Validator } from "#internal/consensus/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { createDriver } from "../../internal/node/driver.ts";
import type { CatchUp } from "../../internal/node/catch_up.ts";
import type { Driver } from "../../internal/node/driver.ts";
import type { Journal } from "../../internal/node/journal.ts";

const BLOCK: StoredBlock = {
  id: "b1".repeat(32),
  round: 1,
  author: 0,
  bytes: utf8("block"),
  signature: utf8("signature"),
};
const WANT = { type: "want", session: 0, ids: [], fromRound: 1, rounds: 1, units: [] } as const;

interface Rig {
  readonly driver: Driver;
  readonly log: string[];
  readonly inputs: Input[];
  readonly faults: unknown[];
  clockMs: number;
}

/** A driver around a machine that answers each input with the effects given for its type. */
function rig(
  effects: { readonly [type: string]: readonly Effect[] },
  more: { readonly commit?: () => void; readonly stored?: readonly StoredBlock[] } = {},
): Rig {
  const log: string[] = [];
  const inputs: Input[] = [];
  const faults: unknown[] = [];
  const state = { clockMs: 1_000 };
  const machine = {
    self: 0,
    step(input: Input) {
      inputs.push(input);
      return [...effects[input.type] ?? []];
    },
  } as unknown as Validator;
  const store = {
    newestPulse: () => undefined,
    newestOwnBlock: () => more.stored?.at(-1),
    block: (id: string) => more.stored?.find((block) => block.id === id),
    blocksOfRounds: (from: number, to: number) =>
      (more.stored ?? []).filter(({ round }) => round >= from && round <= to),
    unit: (form: string) => form.startsWith("a7") ? utf8("unit") : undefined,
    endOfSession: () => undefined,
    lowestRound: () => more.stored?.[0]?.round,
    commitOwn() {
      more.commit?.();
      log.push("committed");
    },
    addBlocks: () => void log.push("queued"),
    flush: () => void log.push("flushed"),
  } as unknown as NodeState;
  const driver = createDriver({
    machine,
    ledger: createLedger(),
    store,
    journal: {} as Journal,
    catchUp: {
      takes(from, message) {
        if (message.type === "ask") log.push(`ask of ${from}`);
        return message.type === "ask";
      },
      begin: () => void log.push("begins"),
    } as Partial<CatchUp> as CatchUp,
    keptRounds: 8,
    backend: {
      sign: () => Promise.resolve(utf8("signed")),
    } as unknown as DualBackend,
    keys: {} as DualKeys,
    someAccount: "a1".repeat(32),
    clock: { nowMs: () => state.clockMs },
    random: (n) => new Uint8Array(n),
    logger: { log: (level) => void (level === "error" && log.push(`logged ${level}`)) },
    send: (to, frame) => void log.push(`sent ${frame[0]} to ${to}`),
    nearest: (peer) => peer,
    holdsUnit: (form) => form.startsWith("b"),
    onSession: () => {},
    onStale: () => {},
    onPulse: () => {},
    onInvalidBlock: (author) => void log.push(`invalid block of ${author}`),
    onFault: (error) => void faults.push(error),
  });
  return Object.assign(state, { driver, log, inputs, faults });
}

describe("createDriver()", () => {
  test("start() sends a signed block only once it is on disk", () => {
    const { driver, log } = rig({
      tick: [
        { type: "store", blocks: [BLOCK] },
        { type: "persist", block: BLOCK, rows: [] },
        { type: "send", to: "all", message: { type: "block", block: BLOCK } },
      ],
    });
    driver.start();
    expect(log).toEqual(["queued", "committed", "sent 1 to all"]);
  });

  test("a commit that fails ends the validator: nothing is sent, nothing fed any more", () => {
    const { driver, log, faults, inputs } = rig({
      tick: [
        { type: "persist", block: BLOCK, rows: [] },
        { type: "send", to: "all", message: { type: "block", block: BLOCK } },
      ],
    }, {
      commit() {
        throw new Error("database or disk is full");
      },
    });
    driver.start();
    driver.start();
    expect(log).toEqual([]);
    expect(inputs).toHaveLength(1);
    expect(faults).toEqual([new Error("database or disk is full")]);
  });

  test("a digest is signed and the signature fed back", async () => {
    const digest = new Uint8Array(32).fill(3);
    const { driver, inputs } = rig({ tick: [{ type: "sign", digest }] });
    driver.start();
    await expect.poll(() => inputs.length).toBe(2);
    expect(inputs[1]).toMatchObject({ type: "signed", digest, signature: utf8("signed") });
  });

  test("the machine's time never runs backwards", () => {
    const made = rig({});
    made.driver.start();
    made.clockMs = 500;
    made.driver.onMessage(1, WANT);
    made.clockMs = 2_000;
    made.driver.onLoad(true);
    expect(made.inputs.map(({ nowMs }) => nowMs)).toEqual([1_000, 1_000, 2_000]);
  });

  test("submit() answers what the machine says of this unit", () => {
    const unit = "a1".repeat(32);
    const { driver } = rig({
      submit: [
        { type: "answer", unit: "a2".repeat(32), answer: { type: "accepted" } },
        { type: "answer", unit, answer: { type: "locked", by: "a3".repeat(32) } },
      ],
    });
    expect(driver.submit(unit, {} as never, false)).toEqual({
      type: "locked",
      by: "a3".repeat(32),
    });
  });

  test("a peer that asks gets the blocks and units that are there, each once, and blocks also when it connects", () => {
    const { driver, log } = rig({
      message: [{
        type: "serve",
        to: 2,
        request: {
          ids: [BLOCK.id, "00".repeat(32)],
          fromRound: 1,
          rounds: 4,
          units: ["a7".repeat(32), "00".repeat(32)],
        },
      }],
    }, { stored: [BLOCK] });
    driver.onMessage(2, WANT);
    driver.greet(3);
    expect(log).toEqual(["sent 4 to 2", "sent 2 to 2", "sent 2 to 3"]);
  });

  test("what shows that a validator contradicted itself is on disk before the log says so [L-514]", () => {
    const { driver, log } = rig({
      tick: [{ type: "alarm", code: "equivocation", text: "validator 2 signed two blocks" }],
    });
    driver.start();
    expect(log).toEqual(["flushed", "logged error"]);
  });

  test("a session's end that is not here is not handed over", () => {
    const { driver, log } = rig({ message: [{ type: "hand-over", to: 2, session: 7 }] });
    driver.onMessage(2, WANT);
    expect(log).toEqual([]);
  });

  test("a unit that waits here to be verified is not asked for", () => {
    const want = (rounds: number, ...units: string[]): Effect => ({
      type: "send",
      to: 2,
      message: { ...WANT, rounds, units },
    });
    const [held, missing] = ["b1".repeat(32), "a1".repeat(32)];
    const { driver, log } = rig({ tick: [want(0, held), want(1, held), want(0, held, missing)] });
    driver.start();
    expect(log).toEqual(["sent 3 to 2", "sent 3 to 2"]);
  });

  test("a block that does not hold is its author's doing, whoever sent it", () => {
    const { driver, log } = rig({
      message: [{ type: "refused", author: 3, block: BLOCK.id, reason: "it names itself" }],
    });
    driver.onMessage(2, WANT);
    expect(log).toEqual(["invalid block of 3"]);
  });

  test("a peer that asks for rounds below those that are kept is told so [L-595]", () => {
    const serve = (fromRound: number): Effect => ({
      type: "serve",
      to: 2,
      request: { ids: [], fromRound, rounds: 4, units: [] },
    });
    const kept = { ...BLOCK, round: 6 };
    const { driver, log } = rig({ message: [serve(5), serve(6), serve(1)] }, { stored: [kept] });
    driver.onMessage(2, WANT);
    expect(log).toEqual(["sent 2 to 2", "sent 5 to 2", "sent 2 to 2", "sent 5 to 2"]);
  });

  test("what is said about snapshots does not come to the machine, which can ask for one", () => {
    const { driver, log, inputs } = rig({ tick: [{ type: "outrun" }] });
    const offer = { kind: "offer", body: {} } as const;
    driver.onMessage(1, { type: "ask", pulse: 0n, what: offer });
    driver.start();
    expect(log).toEqual(["ask of 1", "begins"]);
    expect(inputs.map(({ type }) => type)).toEqual(["tick"]);
  });

  test("stop() commits what is queued and carries out nothing afterwards", () => {
    const { driver, log, inputs } = rig({ tick: [{ type: "store", blocks: [BLOCK] }] });
    driver.stop();
    driver.start();
    driver.stop();
    expect(log).toEqual(["flushed"]);
    expect(inputs).toEqual([]);
  });
});
