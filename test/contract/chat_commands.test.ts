/** What holds for every command of conversations, whoever adds one. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { chatCommands } from "#internal/agent/mod.ts";
import { testMachine } from "../agent/_machine.ts";
import { chatOn } from "../agent/_chat.ts";

describe.each(chatCommands)("/$name", (command) => {
  const { name, usage, needsDecider, whileWorking } = command;

  test("is written as it is called, and says what it does in a part of a sentence [C-011]", () => {
    expect(name).toMatch(/^[a-z]+$/);
    expect(usage.length).toBeGreaterThan(0);
    for (const [written, does] of usage) {
      expect(written).toMatch(new RegExp(`^/${name}( |$)`));
      expect(written.length).toBeLessThanOrEqual(32);
      expect(does).toMatch(/^[a-z]/);
      expect(does).not.toMatch(/[.\n]$/);
    }
  });

  test("answers before there is a session, and makes none", async () => {
    const machine = testMachine();
    const { say } = chatOn(machine, [{ say: "Hello." }]);
    const { said } = await say(`/${name}`);
    expect(said).not.toBe("");
    expect(machine.sessions.list()).toEqual([]);
  });

  test("takes an argument of a million characters without harm", async () => {
    const machine = testMachine();
    const { say, chat } = chatOn(machine, [{ say: "Hello." }, { say: "Again." }]);
    await say("Hello.");
    for (const argument of ["x ".repeat(499_000), "x".repeat(999_000)]) {
      const { said } = await say(`/${name} ${argument}`);
      expect(said).not.toBe("");
      expect(said.length).toBeLessThan(2_000);
    }
    // What was not taken is not kept either.
    expect(JSON.stringify(chat.state()?.choices ?? {}).length).toBeLessThan(10_000);
    expect(machine.sessions.list()[0]?.title.length).toBeLessThanOrEqual(100);
  });

  test("does not decide while the agent works", () => {
    expect(needsDecider && whileWorking).toBe(false);
  });
});

test("a command's file has its line in the list", () => {
  const folder = fileURLToPath(new URL("../../internal/agent/commands/", import.meta.url));
  const files = readdirSync(folder).filter((file) => !/^(_|mod\.ts)/.test(file));
  expect(files.sort()).toEqual(chatCommands.map(({ name }) => `${name}.ts`).sort());
});
