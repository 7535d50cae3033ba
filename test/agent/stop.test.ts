/** A person's stop while a call runs: what may be left halfway is, a payment is not. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agentTools, continueSession, defineAgentTool } from "#internal/agent/mod.ts";
import type { AgentTool } from "#internal/agent/mod.ts";
import type { Effect } from "#internal/mcp/mod.ts";
import { needs } from "../parts.ts";
import { chatOn } from "./_chat.ts";
import { hearing, PAY_BOB, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

const LIMIT_MS = 60_000;

/** A tool that runs until it is stopped. */
function endless(highestEffect: Effect, begun: () => void): AgentTool {
  return defineAgentTool({
    name: "endless",
    description: "Does not end.",
    input: z.strictObject({}),
    highestEffect,
    openWorld: false,
    repeatHarmless: true,
    fromPrograms: false,
    run: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        begun();
      }),
  });
}

async function linesOfContinued(machine: TestMachine, session: string): Promise<readonly string[]> {
  const { listener, lines } = hearing();
  await continueSession(machine, { session, who: "cli:root" }, listener);
  return lines;
}

describe("/stop", () => {
  test.each(
    [
      ["read", " ✗ it was stopped on its way"],
      [
        "write",
        " ✗ it was stopped on its way\n" +
        "(whether it took effect is not known: do not make this call again)",
      ],
    ] as const,
  )("ends a call that would %s, at once [C-012]", async (effect, shown) => {
    const begun = Promise.withResolvers<void>();
    const machine = testMachine({ tools: [...agentTools, endless(effect, begun.resolve)] });
    const { say, ask, lines } = chatOn(machine, [{ calls: [{ tool: "endless" }] }, { say: "Oh." }]);
    const answer = say("Go.");
    await begun.promise;
    expect((await ask("/stop")).said).toBe("Stopping.");
    expect(await answer).toMatchObject({ end: { how: "stopped", code: "cancelled" } });
    expect(lines.at(2)).toBe(shown);
    expect((await say("And?")).said).toBe("Oh.");
  });

  test("waits for a payment that is under way, which is kept [C-012 A-066]", async () => {
    const machine = testMachine();
    const { pay } = machine.ledger;
    const begun = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    let wasAborted = true;
    machine.ledger.pay = async (payment) => {
      begun.resolve();
      await sent.promise;
      wasAborted = payment.signal.aborted;
      return await pay(payment);
    };
    const options = { autonomy: "L6" };
    const { say, ask } = chatOn(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }], options);
    const answer = say("Pay bob 1 USD.");
    await begun.promise;
    expect((await ask("/stop")).said).toBe("Stopping.");
    sent.resolve();
    const { end } = await answer;
    expect(end).toMatchObject({ how: "stopped", code: "cancelled" });
    expect([wasAborted, machine.ledger.paid.length]).toEqual([false, 1]);
    expect((await say("/retry")).said).toBe("Paid.");
    expect(machine.ledger.paid).toHaveLength(1);
  });
});

describe.skipIf(!needs("bubblewrap", "that a stop ends a command"))("a stop of a command", {
  timeout: LIMIT_MS,
}, () => {
  test("ends it with all it started, and what it printed is kept [A-113 C-012]", async () => {
    const machine = testMachine();
    const work = join(machine.folder, "work");
    mkdirSync(work);
    const command = "echo early; touch begun; sleep 600";
    const options = { autonomy: "L3", workspace: "work", given: { shell: "bwrap" } };
    const turns = [{ calls: [{ tool: "shell", input: { command } }] }, { say: "Cut." }];
    const { say, ask, lines, chat } = chatOn(machine, turns, options);
    const answer = say("Go.");
    await expect.poll(() => existsSync(join(work, "begun")), { timeout: LIMIT_MS }).toBe(true);
    expect((await ask("/stop")).said).toBe("Stopping.");
    const { session } = await answer;
    expect(lines.at(2)).toBe(
      " ← exit status 137 (stopped: nobody waits for it any more)\n--- stdout\nearly",
    );
    await chat[Symbol.asyncDispose]();
    expect((await linesOfContinued(machine, session ?? "")).at(-2)).toBe("agent: Cut.");
  });
});
