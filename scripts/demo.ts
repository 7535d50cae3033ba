/**
 * `scripts/demo`: first light. A devnet, a paying agent that the ledger holds to its charter, and an
 * MCP client of both eras, told as a story by the real programs. Ends with `demo: ok`; when a step
 * fails it names the step and exits with 1. Leaves nothing running and nothing behind.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { agentSteps } from "./_demo_agent.ts";
import { ledgerSteps } from "./_demo_ledger.ts";
import { mcpSteps } from "./_demo_mcp.ts";
import type { Stage, Step } from "./_demo_stage.ts";
import { seconds } from "./_project.ts";
import { readWords } from "./_words.ts";

const STEPS: readonly Step[] = [...ledgerSteps, ...agentSteps, ...mcpSteps];

/** Undoes what the steps set up, the last first; every undoing is tried. */
async function leave(stage: Stage): Promise<void> {
  for (const undo of stage.cleanup.splice(0).reverse()) {
    try {
      await undo();
    } catch (error) {
      console.error(`while leaving: ${String(error)}`);
    }
  }
}

async function play(stage: Stage): Promise<number> {
  for (const [index, step] of STEPS.entries()) {
    console.log(`\n${index + 1}. ${step.title}`);
    try {
      await step.run(stage);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      console.error(`\ndemo: failed at step ${index + 1} (${step.title}): ${reason}`);
      return 1;
    }
  }
  return 0;
}

async function main(): Promise<number> {
  const startMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "sion-demo-"));
  const stage: Stage = {
    place: { home: join(folder, "home") },
    folder,
    facts: new Map(),
    cleanup: [() => rmSync(folder, { recursive: true, force: true })],
  };
  mkdirSync(stage.place.home, { mode: 0o700 });
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    process.once(signal, () => {
      console.error("\ndemo: stopped");
      void leave(stage).finally(() => process.exit(code));
    });
  }
  let code = await play(stage);
  await leave(stage);
  if (code === 0 && stage.facts.get("devnet exit") !== "0") {
    console.error(`\ndemo: failed: the devnet ended with code ${stage.facts.get("devnet exit")}`);
    code = 1;
  }
  if (code === 0) {
    console.log(`\nAll of it took ${seconds(performance.now() - startMs)}.\ndemo: ok`);
  }
  return code;
}

readWords({
  usage: "scripts/demo",
  about: [
    "Plays the story of sion with the real programs, in a temporary folder, in under a minute:",
    "a devnet, a payment, an agent with a budget, an AI client. Ends with `demo: ok`.",
  ],
});
process.exitCode = await main();
