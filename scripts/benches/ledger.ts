/**
 * `ledger`: how fast the built bundle is, on Node and on Deno, with the client as another process of
 * this machine; every rate beside what signatures alone would allow, computed from their cost in the
 * same run.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { buildNpm } from "../_build_npm.ts";
import { ROOT, run, which } from "../_project.ts";
import type { AccountsCost } from "./_accounts.ts";
import type { Bench, BenchOptions, Failures } from "./_bench.ts";
import { attempt, percentile, progress, thousandth } from "./_bench.ts";
import type { Figures, Wants } from "./_devnet_load.ts";
import { devnetFigures, IN_FLIGHT } from "./_devnet_load.ts";
import { freshPlace } from "./_folder.ts";
import { hardhatLoad } from "./_hardhat.ts";
import type { SignatureCosts } from "./_limit.ts";
import { signatureCosts } from "./_limit.ts";
import type { FullSizes, SetUp } from "./_set_up.ts";
import { LONE_KEYS, prepare, WALLETS } from "./_set_up.ts";
import type { FirstPayment } from "./_start.ts";
import { firstPaymentOf } from "./_start.ts";

const FULL: FullSizes = {
  starts: 5,
  lonePayments: 20,
  warmUpMs: 1_500,
  loadMs: 10_000,
  idleMs: 20_000,
  memoryPayments: 10_000,
  hardhatMs: 10_000,
  hardhatTransfers: 10_000,
  loadedAccounts: 1_000,
  accounts: { few: 1_000, many: 100_000, turns: 7, pulsesPerTurn: 4 },
};

const QUICK: FullSizes = {
  starts: 1,
  lonePayments: 3,
  warmUpMs: 500,
  loadMs: 1_000,
  idleMs: 1_000,
  memoryPayments: 300,
  hardhatMs: 1_000,
  hardhatTransfers: 1_000,
  loadedAccounts: 400,
  accounts: { few: 1_000, many: 10_000, turns: 1, pulsesPerTurn: 1 },
};

/** The figures that are promised; others stand beside them. */
const KEYS = [
  "sign_ms",
  "verify_ms",
  "limit_1",
  "rate_1",
  "limit_16",
  "rate_16",
  "rate_128",
  "hardhat_32",
  "lone_p50_ms",
  "lone_floor_ms",
  "start_to_first_final_ms",
  "rss_after_10k_mb",
  "idle_core",
  "accounts_100k_over_1k",
] as const;

const FORMULAS = {
  limit_n: "n x (1000 x cores - rounds/s x (4 sign + 12 verify)) / (4 verify): each of four " +
    "validators verifies a unit of n payments once; rounds/s as measured under that load",
  limit_n_without_rounds: "the same with no rounds at all",
  lone_floor: "client's sign + 2 x 4 sign / cores + 3 verify + 3 syncs",
  rate_n:
    "payments a second, signed before the clock starts, 32 units in flight over 40 wallets, " +
    "each until its lane certificate",
  idle_core: "CPU time of the devnet over 20 s, from when all that was sent is certified",
  accounts:
    "CPU time of a validator for one payment, its signature's verification and its execution in a " +
    "Pulse of 1,024 (roots included, no store), among 100,000 accounts over 1,000; _16: a sixteenth " +
    "of a signature; _executing: the execution alone",
  rss: "resident memory of the whole devnet",
  mb: "2^20 bytes, of memory and on disk",
  lone:
    "from the wallet to its lane certificate, of payments that find the Pulse of the one before " +
    "certified; lone_in_a_row: made right behind the receipt of the one before",
  disk: "growth of all four stores; lasting: without blocks, published data, witnesses and " +
    "certificates, which are pruned",
};

/** A way to run the bundle. */
type Runtime = {
  readonly name: "node" | "deno";
  /** What runs a source file. */
  readonly source: readonly string[];
  readonly program: readonly string[];
  readonly costs: SignatureCosts;
};

export const ledger: Bench = {
  name: "ledger",
  brief: "payments, latency, start, memory: the built bundle on Node and Deno",
  keys: [...KEYS, "limit_128", "deno"],
  run: measure,
  show,
};

async function measure(
  { only, quick, onBegin }: BenchOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const sizes = quick ? QUICK : FULL;
  // Beside other figures `deno` asks for its own of them; alone for all of its own.
  const asked = only === undefined ? undefined : [...only].filter((key) => key !== "deno");
  const wants: Wants = (...keys) =>
    asked === undefined || asked.length === 0 || keys.some((key) => asked.includes(key));
  using place = freshPlace();
  progress("building");
  const bundle = await buildNpm(join(place.folder, "npm"));
  const node = await nodeRuntime(bundle);
  const failures: Failures = {};
  const [ofNode, ofDeno, yardstick]: [Figures, Figures, Record<string, unknown>] = [{}, {}, {}];
  const wantsDeno = only === undefined || only.has("deno");
  const found = (): Readonly<Record<string, unknown>> => ({
    ...(quick ? { quick } : {}),
    backend: node.costs.backend,
    cores: node.costs.cores,
    ...complete(ofNode, { hardhat_32: null, ...yardstick }),
    ...(wantsDeno ? { deno: complete(ofDeno) } : {}),
    ...(Object.keys(failures).length === 0 ? {} : { failed: failures }),
    formulas: FORMULAS,
  });
  onBegin(found);
  let setUp: SetUp = { folder: place.folder, chain: undefined, loads: new Map() };
  await attempt(failures, "making a chain and signing its loads", async () => {
    setUp = await prepare({ ...place, program: node.program }, sizes, wants);
  });
  const figures = async (runtime: Runtime, into: Figures): Promise<void> => {
    progress(`${runtime.name}: signing takes ${runtime.costs.sign_ms.toFixed(1)} ms`);
    await figuresOf({ runtime, clientCosts: node.costs, setUp, sizes, wants, failures }, into);
  };
  await figures(node, ofNode);
  if (wants("hardhat_32") && (!quick || only?.has("hardhat_32") === true)) {
    Object.assign(yardstick, await hardhat(sizes));
  }
  if (wantsDeno) {
    await attempt(failures, "deno", async () => await figures(await denoRuntime(bundle), ofDeno));
  }
  return found();
}

/** The promised figures first, then those beside them; what was not measured is null. */
function complete(figures: Figures, more: Readonly<Record<string, unknown>> = {}) {
  const found: Record<string, unknown> = { ...figures, ...more };
  const keys = KEYS.filter((key) => key !== "hardhat_32" || "hardhat_32" in more);
  const ordered = Object.fromEntries(keys.map((key) => [key, found[key] ?? null]));
  const rounded = Object.entries({ ...ordered, ...found }).map(([key, value]) =>
    [key, typeof value === "number" ? thousandth(value) : value] as const
  );
  return Object.fromEntries(rounded);
}

async function nodeRuntime(bundle: string): Promise<Runtime> {
  const source = [process.execPath];
  // As a person starts it: the launcher is a program of its own.
  const program = [join(bundle, "bin/sion.js")];
  return { name: "node", source, program, costs: await signatureCosts() };
}

async function denoRuntime(bundle: string): Promise<Runtime> {
  const deno = which("deno");
  if (deno === undefined) throw new Error("there is no deno on PATH");
  const source = [deno, "run", "-A", "--quiet", "--no-check"];
  const costs = await inRuntime<SignatureCosts>(source, "_costs_program.ts");
  return { name: "deno", source, program: [...source, join(bundle, "lib/sion.js")], costs };
}

/** What a program of this folder measures in a runtime of its own. */
async function inRuntime<T>(
  source: readonly string[],
  file: string,
  ...args: readonly string[]
): Promise<T> {
  const path = join(ROOT, "scripts/benches", file);
  const { code, stdout, output } = await run([...source, path, ...args]);
  if (code !== 0) throw new Error(`${file} cannot measure: ${output}`);
  return JSON.parse(stdout) as T;
}

/** What the figures of a runtime are measured with. */
type FiguresPlan = {
  readonly runtime: Runtime;
  readonly clientCosts: SignatureCosts;
  readonly setUp: SetUp;
  readonly sizes: FullSizes;
  readonly wants: Wants;
  readonly failures: Failures;
};

/** Measures a runtime's figures part by part: one that fails costs its own only. */
async function figuresOf(plan: FiguresPlan, figures: Figures): Promise<void> {
  const { runtime, clientCosts, setUp, sizes, wants, failures } = plan;
  const { name, program, costs } = runtime;
  const { folder, chain, loads } = setUp;
  const here = join(folder, name);
  const home = join(here, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const place = { folder: here, home, program };
  const part = (what: string, work: () => Promise<unknown>): Promise<void> =>
    attempt(failures, `${name}: ${what}`, work);
  Object.assign(figures, { sign_ms: costs.sign_ms, verify_ms: costs.verify_ms });
  if (wants("start_to_first_final_ms")) {
    await part(
      "starts",
      async () => Object.assign(figures, await starts(name, program, sizes.starts)),
    );
  }
  if (chain !== undefined && (loads.size > 0 || wants(...LONE_KEYS))) {
    const common = { place, chain, sizes, costs, clientCosts, loads, wants, figures, failures };
    await part("devnet", () => devnetFigures({ ...common, runtime: name }));
  }
  if (wants("accounts_100k_over_1k")) {
    await part("accounts", async () => Object.assign(figures, await accounts(runtime, sizes)));
  }
}

/** What a payment costs among few accounts and among many. */
async function accounts(
  { name, source, costs: { verify_ms: verify } }: Runtime,
  sizes: FullSizes,
): Promise<Figures> {
  progress(`${name}: payments among ${sizes.accounts.many} accounts`);
  const { few_ms: few, many_ms: many } = await inRuntime<AccountsCost>(
    source,
    "_accounts_program.ts",
    JSON.stringify(sizes.accounts),
  );
  return {
    accounts_100k_over_1k: (verify + many) / (verify + few),
    accounts_100k_over_1k_16: (verify / 16 + many) / (verify / 16 + few),
    accounts_100k_over_1k_executing: many / few,
    executing_cpu_ms_1k: few,
    executing_cpu_ms_100k: many,
  };
}

async function starts(name: string, program: readonly string[], times: number): Promise<Figures> {
  progress(`${name}: ${times} starts`);
  const runs: FirstPayment[] = [];
  for (let at = 0; at < times; at += 1) runs.push(await firstPaymentOf(program));
  const middle = (of: (run: (typeof runs)[number]) => number): number =>
    percentile(runs.map(of), 0.5);
  return {
    start_to_ready_ms: middle(({ readyMs }) => readyMs),
    start_to_first_final_ms: middle(({ finalMs }) => finalMs),
    start_to_first_executed_ms: middle(({ executedMs }) => executedMs),
  };
}

async function hardhat(sizes: FullSizes): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { version, transfersPerSecond } = await hardhatLoad({
      wallets: WALLETS,
      inFlight: IN_FLIGHT,
      forMs: sizes.hardhatMs,
      transfers: sizes.hardhatTransfers,
    });
    return { hardhat_32: transfersPerSecond, hardhat_version: version };
  } catch (error) {
    // Without a network there is no yardstick; what is ours is measured all the same.
    const reason = error instanceof Error ? error.message : String(error);
    progress(`no hardhat: ${reason}`);
    return { hardhat_32: null, hardhat_missing: reason };
  }
}

function show(result: Readonly<Record<string, unknown>>): readonly string[] {
  const { deno = {}, formulas, failed = {}, machine, bench: _, ...node } = result;
  const rows = Object.entries(node).map(([key, value]) => {
    const other = (deno as Readonly<Record<string, unknown>>)[key];
    return `${key.padEnd(34)}${cell(value)}${other === undefined ? "" : cell(other)}`;
  });
  return [
    `${"".padEnd(34)}${"node".padStart(14)}${"deno".padStart(14)}`,
    ...rows,
    "",
    ...Object.entries(formulas as Record<string, string>).map(([key, text]) => `${key}: ${text}`),
    ...Object.entries(failed as Failures).map(([part, why]) => `${part} could not measure: ${why}`),
    JSON.stringify(machine),
  ];
}

function cell(value: unknown): string {
  const text = typeof value === "number" || typeof value === "string" ? `${value}` : "-";
  return text.padStart(14);
}
