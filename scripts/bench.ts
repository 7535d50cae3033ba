/**
 * `scripts/bench NAME [--json]`: runs one benchmark; without a name, lists them. With `--json` the
 * last line of stdout is one JSON object. Exit code 1 when it could not measure, 2 for bad usage.
 */
import { cpus } from "node:os";
import process from "node:process";
import { firstPayment } from "./benches/first_payment.ts";
import { mcpStart } from "./benches/mcp_start.ts";
import { payments } from "./benches/payments.ts";
import { square } from "./benches/square.ts";
import { seconds } from "./_project.ts";
import { readWords, type Words } from "./_words.ts";

/** Longest a benchmark may take; one that takes longer could not measure. */
const LIMIT_MS = 7 * 60_000;

const BENCHES = [firstPayment, mcpStart, payments, square];

function machine(): Readonly<Record<string, unknown>> {
  const [first, ...others] = cpus();
  const runtime = process.versions["deno"] ?? undefined;
  return {
    cpu: first?.model.trim() ?? "unknown",
    cores: others.length + 1,
    runtime: runtime === undefined ? `node ${process.versions.node}` : `deno ${runtime}`,
  };
}

async function main({ options, rest: [name] }: Words): Promise<number> {
  if (name === undefined) {
    for (const bench of BENCHES) console.log(`${bench.name.padEnd(16)}${bench.brief}`);
    return 0;
  }
  const bench = BENCHES.find((known) => known.name === name);
  if (bench === undefined) {
    const known = BENCHES.map((each) => each.name).join(", ");
    console.error(`error: no benchmark is named ${name}: there are ${known}`);
    return 2;
  }
  const timer = setTimeout(() => {
    console.error(`error: could not measure: ${name} took more than ${seconds(LIMIT_MS)}`);
    process.exit(1);
  }, LIMIT_MS);
  const startMs = performance.now();
  const result = { bench: name, ...await bench.run(), machine: machine() };
  clearTimeout(timer);
  console.error(`${name} took ${seconds(performance.now() - startMs)}`);
  console.log(options.has("--json") ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  return 0;
}

const words = readWords({
  usage: "scripts/bench [NAME] [--json]",
  about: ["Runs one benchmark; without a name, lists them."],
  options: { "--json": "the last line of stdout is one JSON object" },
  most: 1,
});
try {
  process.exitCode = await main(words);
} catch (error) {
  console.error(
    `error: could not measure: ${error instanceof Error ? error.message : String(error)}`,
  );
  // At once: the time limit's timer still waits.
  process.exit(1);
}
