/** A process that runs or continues the crash scenario in a folder and kills itself at a point. */
import process from "node:process";
import { continueScenario, runScenario } from "../agent/_crash.ts";

const [mode, folder = "", point = "0"] = process.argv.slice(2);
let passed = 0;

function atPoint(name: string): void {
  // Just before a write is where the write before it ended.
  if (name.startsWith("before ")) return;
  passed++;
  if (passed !== Number(point)) return;
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment; nothing may happen in it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (mode === "run") await runScenario(folder, atPoint);
else await continueScenario(folder, atPoint);
process.stdout.write(`${passed}\n`);
