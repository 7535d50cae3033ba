/** Capabilities: options become settings that a session keeps, and services while it works. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { continueSession, eventKinds, runAgent } from "#internal/agent/mod.ts";
import type { Model, ModelProvider, ModelRequest } from "#internal/agent/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { defineCapability } from "../../internal/agent/capabilities/_capability.ts";
import { capabilities } from "../../internal/agent/capabilities/mod.ts";
import type { AnyCapability } from "../../internal/agent/capabilities/mod.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

const NAMED = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test" };

/** A model that says one word and keeps what it was asked. */
function listeningModel(asked: ModelRequest[]): ModelProvider {
  const model: Model = {
    name: "listening:x",
    async *respond(request) {
      asked.push(request);
      yield await Promise.resolve({ type: "text" as const, text: "ok" });
      yield { type: "end" as const, stop: "end" as const };
    },
  };
  return { scheme: "listening", usage: "<x>", open: () => Promise.resolve(model) };
}

function settingsOf(machine: TestMachine, session: string): unknown {
  const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
  return state.settings?.capabilities;
}

/** A capability that tells what happens to it. */
function lamp(happened: string[]): AnyCapability {
  return defineCapability({
    name: "lamp",
    options: [{ name: "lamp", kind: "toggle", about: "a light" }],
    settings: z.strictObject({ lit: z.boolean() }),
    read: ({ lamp: given }) => Promise.resolve(given === true ? { lit: true } : undefined),
    open: ({ lit }, { session }) => {
      happened.push(`open ${lit} ${session.length}`);
      return Promise.resolve({
        [Symbol.asyncDispose]: () => {
          happened.push("closed");
          return Promise.resolve();
        },
      });
    },
  });
}

describe("a capability", () => {
  test("keeps its settings with the session, opens when it works and closes with it", async () => {
    const happened: string[] = [];
    const machine = testMachine({ capabilities: [lamp(happened)] });
    const models = [scriptOf(machine, [{ say: "one" }, { say: "two" }])];
    const options = { ...NAMED, models, given: { lamp: true } };
    const { session } = await runAgent(machine, options, hearing().listener);
    expect(happened).toEqual(["open true 16", "closed"]);
    expect(settingsOf(machine, session)).toEqual({ lamp: { lit: true } });
    const say = { session, who: "cli:test", say: "again" };
    await continueSession(machine, say, hearing().listener);
    expect(happened).toEqual(["open true 16", "closed", "open true 16", "closed"]);
  });

  test("that offers less says so after the session's line and before the first call [A-037]", async () => {
    const dim = defineCapability({
      name: "lamp",
      options: [{ name: "lamp", kind: "toggle", about: "a light" }],
      settings: z.strictObject({}),
      read: () => Promise.resolve({}),
      open: (_settings, { notice }) => {
        notice("lamp is not offered: it is broken");
        return Promise.resolve({});
      },
    });
    const machine = testMachine({ capabilities: [dim] });
    const models = [
      scriptOf(machine, [{ calls: [{ tool: "ledger_balance", input: {} }] }, { say: "ok" }]),
    ];
    const { lines, listener } = hearing();
    const { session } = await runAgent(machine, { ...NAMED, models }, listener);
    expect(lines.slice(0, 3)).toEqual([
      `session ${session} for agent ${AGENT.slice(0, 8)}`,
      "lamp is not offered: it is broken",
      " → ledger_balance {}",
    ]);
    const again = hearing();
    const say = { session, who: "cli:test", say: "again" };
    await continueSession(machine, say, again.listener);
    expect(again.lines.slice(0, 2)).toEqual(lines.slice(0, 2));
  });

  test("that a session was given and this version lacks is no reason to go on without it", async () => {
    const machine = testMachine({ capabilities: [lamp([])] });
    const models = [scriptOf(machine, [{ say: "one" }, { say: "two" }])];
    const given = { lamp: true };
    const { session } = await runAgent(machine, { ...NAMED, models, given }, hearing().listener);
    const older = { ...machine, capabilities: [] };
    await expect(
      continueSession(older, { session, who: "cli:test", say: "on" }, hearing().listener),
    ).rejects.toThrow(`session ${session} has lamp, which this sion does not know: update sion`);
  });

  test("each has a name and options of its own, in alphabetical order", () => {
    const names = capabilities.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    const options = capabilities.flatMap((one) => one.options.map(({ name }) => name));
    expect(options).toEqual([...new Set(options)]);
  });
});

describe("--instructions", () => {
  test("are told to the model before the conversation, as text or from a file", async () => {
    for (const given of ["Answer in Latin.", "@ask.txt"]) {
      const asked: ModelRequest[] = [];
      const machine = testMachine({ providers: [listeningModel(asked)] });
      writeFileSync(join(machine.folder, "ask.txt"), "Answer in Latin.\n");
      const options = { ...NAMED, models: ["listening:x"], given: { instructions: given } };
      await runAgent(machine, options, hearing().listener);
      expect(asked[0]?.instructions).toContain("Your operator asks of you:\nAnswer in Latin.");
    }
  });

  test("that cannot be read or are too long start nothing", async () => {
    const machine = testMachine();
    const models = [scriptOf(machine, [{ say: "x" }])];
    const run = (instructions: string): Promise<unknown> =>
      runAgent(machine, { ...NAMED, models, given: { instructions } }, hearing().listener);
    await expect(run("@none.txt")).rejects.toThrow("the instructions in none.txt cannot be read");
    await expect(run("x".repeat(16_001))).rejects.toThrow("have 16001 characters, at most 16000");
    expect(machine.sessions.list(10)).toEqual([]);
  });
});
