import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventKinds, runAgent, traceSession } from "#internal/agent/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { modelView } from "../../internal/agent/model_view.ts";
import { stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { SessionEvent } from "#internal/store/mod.ts";
import { AGENT, clientError, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";

const folder = createFolder(eventKinds);

/** The log of a session with every kind of event in it. */
async function fullLog(): Promise<SessionEvent[]> {
  const machine = testMachine();
  machine.ledger.fail = { at: "sent", error: clientError("answer-lost") };
  const empty = scriptOf(machine, [], "empty.json");
  const script = scriptOf(machine, [
    { say: "I pay.", calls: [PAY_BOB, { tool: "ledger_balance" }, { tool: "none" }] },
    { calls: [PAY_BOB] },
    { say: "Done." },
  ]);
  const options = {
    wallet: "coder",
    agent: AGENT,
    task: "Pay.",
    models: [empty, script],
    who: "cli:root",
    autonomy: "L6",
  };
  const { session } = await runAgent(machine, options, hearing().listener);
  return machine.sessions.read(session);
}

describe("fold()", () => {
  test("gives a state for every beginning of a log, and the same for the same [A-068]", async () => {
    const log = await fullLog();
    const kinds = new Set(log.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      "call-ended",
      "call-judged",
      "call-learned",
      "call-noted",
      "call-started",
      "model-failed",
      "model-said",
      "person-said",
      "run-ended",
      "session-opened",
    ]);
    for (let end = 0; end <= log.length; end++) {
      const state = folder.fold("s", log.slice(0, end));
      expect(state).toEqual(folder.fold("s", log.slice(0, end)));
      expect(() => modelView(state)).not.toThrow();
    }
  });

  test("folds on from any place to the state of the whole log", async () => {
    const log = await fullLog();
    const whole = folder.fold("s", log);
    for (let cut = 0; cut <= log.length; cut++) {
      const state = folder.fold("s", log.slice(0, cut));
      for (const event of log.slice(cut)) folder.apply(state, event);
      expect(state).toEqual(whole);
    }
  });

  test("keeps and passes over events of kinds and versions it does not know", async () => {
    const log = await fullLog();
    const whole = folder.fold("s", log);
    fc.assert(
      fc.property(
        fc.nat(log.length),
        fc.constantFrom({ kind: "weather-noted", v: 1 }, { kind: "person-said", v: 2 }),
        fc.jsonValue(),
        (at, { kind, v }, body) => {
          const strange = { session: "s", seq: 0, atMs: 0, kind, v, body: body as JsonValue };
          const state = folder.fold("s", log.toSpliced(at, 0, strange));
          expect(state.passedOver).toEqual([{ seq: 0, kind, v }]);
          expect({ ...state, passedOver: [], lastSeq: 0 }).toEqual({ ...whole, lastSeq: 0 });
        },
      ),
      { numRuns: 30 },
    );
  });

  test("calls an event that it knows but cannot read damage", async () => {
    const log = await fullLog();
    const broken = log.map((event) => {
      return event.kind === "call-started" ? { ...event, body: { call: 7 } } : event;
    });
    expect(() => folder.fold("s", broken)).toThrow(
      /^event \d+ \(call-started\) of session .* cannot be read/,
    );
    const orphan = log.filter(({ kind }) => kind !== "model-said");
    expect(() => folder.fold("s", orphan)).toThrow(/it has no call 1\.1/);
  });
});

describe("modelView()", () => {
  test("gives every call one result, also when the log ends in the middle", async () => {
    const log = await fullLog();
    for (let end = 0; end <= log.length; end++) {
      const messages = modelView(folder.fold("s", log.slice(0, end)));
      messages.forEach((message, index) => {
        if (message.role !== "model" || message.calls.length === 0) return;
        const next = messages[index + 1];
        expect(next?.role).toBe("results");
        if (next?.role !== "results") return;
        expect(next.results.map(({ call }) => call)).toEqual(message.calls.map(({ id }) => id));
      });
      if (messages.length > 0) expect(messages.at(-1)?.role).not.toBe("model");
    }
  });
});

describe("traceOf()", () => {
  test("has a step for everything that happened [A-071]", async () => {
    const machine = testMachine();
    const { session } = await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Pay.",
      models: [scriptOf(machine, [{ say: "I pay.", calls: [PAY_BOB] }, { say: "Paid." }])],
      who: "cli:root",
      autonomy: "L6",
    }, hearing().listener);
    const texts = traceSession(machine, session).steps.map(({ text }) => text);
    expect(texts).toEqual([
      `opened for agent ${AGENT} (wallet coder) at autonomy L6`,
      "cli:root said: Pay.",
      expect.stringMatching(/^turn 1 of script:.*: I pay\.$/),
      `call 1.1 ledger_pay ${stringifyJson(PAY_BOB.input)} (spend) runs by level`,
      "call 1.1 started",
      expect.stringMatching(/^call 1\.1 signed transaction a+1: Pay 1 USD to bob\.$/),
      expect.stringMatching(/^call 1\.1 ok: Pulse 14: Done/),
      expect.stringMatching(/^turn 2 of script:.*: Paid\.$/),
      "run done",
    ]);
  });
});
