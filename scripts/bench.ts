/**
 * `scripts/bench NAME [--json] [--only KEY,…] [--quick]`: runs one benchmark; without a name, lists
 * them. With `--json` the last line of stdout is one JSON object. Exit code 1 when it, or a part of it,
 * could not measure, 2 for bad usage.
 */
import { cpus } from "node:os";
import process from "node:process";
import type { Bench } from "./benches/_bench.ts";
import { agent } from "./benches/agent.ts";
import { firstPayment } from "./benches/first_payment.ts";
import { injection } from "./benches/injection.ts";
import { ledger } from "./benches/ledger.ts";
import { mcp } from "./benches/mcp.ts";
import { mcpStart } from "./benches/mcp_start.ts";
import { memory } from "./benches/memory.ts";
import { payments } from "./benches/payments.ts";
import { search } from "./benches/search.ts";
import { square } from "./benches/square.ts";
import { seconds } from "./_project.ts";
import { readWords, type Words } from "./_words.ts";

/** Longest a benchmark may take; one that takes longer could not measure. */
const LIMIT_MS = 7 * 60_000;

const BENCHES: readonly Bench[] = [
  agent,
  firstPayment,
  injection,
  ledger,
  mcp,
  mcpStart,
  memory,
  payments,
  search,
  square,
];

function machine(): Readonly<Record<string, unknown>> {
  const [first, ...others] = cpus();
  const runtime = process.versions["deno"] ?? undefined;
  return {
    cpu: first?.model.trim() ?? "unknown",
    cores: others.length + 1,
    runtime: runtime === undefined ? `node ${process.versions.node}` : `deno ${runtime}`,
  };
}

async function main({ options, values, rest: [name] }: Words): Promise<number> {
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
  const only = values.get("--only")?.split(",");
  const stranger = only?.find((key) => !(bench.keys ?? []).includes(key));
  if (stranger !== undefined) {
    const keys = bench.keys?.join(", ") ?? "none that can be asked for alone";
    console.error(`error: ${name} has no figure ${stranger}: it has ${keys}`);
    return 2;
  }
  const print = (found: Readonly<Record<string, unknown>>): void => {
    const result = { bench: name, ...found, machine: machine() };
    const lines = options.has("--json")
      ? [JSON.stringify(result)]
      : bench.show?.(result) ?? [JSON.stringify(result, null, 2)];
    for (const line of lines) console.log(line);
  };
  let soFar: (() => Readonly<Record<string, unknown>>) | undefined;
  const timer = setTimeout(() => {
    console.error(`error: could not measure all: ${name} took more than ${seconds(LIMIT_MS)}`);
    if (soFar !== undefined) print(soFar());
    process.exit(1);
  }, LIMIT_MS);
  const startMs = performance.now();
  const found = await bench.run({
    only: only === undefined ? undefined : new Set(only),
    quick: options.has("--quick"),
    onBegin: (found) => void (soFar = found),
  });
  clearTimeout(timer);
  console.error(`${name} took ${seconds(performance.now() - startMs)}`);
  print(found);
  return found["failed"] === undefined ? 0 : 1;
}

// So that what a benchmark started and made goes with it.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
const words = readWords({
  usage: "scripts/bench [NAME] [--json] [--only KEY,…] [--quick]",
  about: ["Runs one benchmark; without a name, lists them."],
  options: {
    "--json": "the last line of stdout is one JSON object",
    "--only KEY,…": "only these figures, of a benchmark that has many",
    "--quick": "little of everything: shows that it works, not how fast",
  },
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
