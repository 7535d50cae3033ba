/**
 * `search_files` as the built program runs it: searches a folder for an expression so many times and
 * prints what each took, ms, as one line of JSON. Also the entry of its threads.
 */
import process from "node:process";
import { isWorker } from "#internal/runtime/mod.ts";
import { runSearchWorker } from "#internal/search/mod.ts";

if (isWorker()) void runSearchWorker();
else void main();

async function main(): Promise<void> {
  const [folder = "", pattern = "", times = "1"] = process.argv.slice(2);
  const { agentTools } = await import("#internal/agent/mod.ts");
  const tool = agentTools.find(({ name }) => name === "search_files");
  if (tool === undefined) throw new TypeError("Cannot measure: there is no tool search_files");
  const workspace = { root: folder, workerEntry: import.meta.url };
  const context = { workspace, signal: new AbortController().signal };
  const took: number[] = [];
  let text = "";
  for (let time = 0; time < Number(times); time++) {
    const startMs = performance.now();
    // The tool takes no more of its context than these.
    const result = await tool.run(context as never, { pattern, limit: 1_000 });
    took.push(performance.now() - startMs);
    text = result.ok ? result.text : result.message;
  }
  const summary = text.slice(text.lastIndexOf("(") + 1, -1);
  process.stdout.write(`${JSON.stringify({ took, summary })}\n`);
}
