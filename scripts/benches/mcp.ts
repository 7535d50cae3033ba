/**
 * `mcp`: from the start of `sion mcp` to its first tool's answer, beside a server that does the least
 * and beside the protocol's own example server; and how many reading calls a second it answers.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ROOT, which } from "../_project.ts";
import type { Place } from "../_sion.ts";
import { startDevnet } from "../_sion.ts";
import type { Bench, BenchOptions } from "./_bench.ts";
import { progress, spread, tenth, thousandth } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";
import { installed } from "./_installed.ts";
import { INITIALIZE, type McpLines, startMcp } from "./_mcp_lines.ts";
import { buildNpm } from "../_build_npm.ts";

const EVERYTHING = {
  name: "@modelcontextprotocol/server-everything",
  version: "2026.8.31",
} as const;
const IN_FLIGHT = 32;
const FULL = { starts: 21, warmUpMs: 1_500, forMs: 6_000 } as const;
const QUICK = { starts: 3, warmUpMs: 300, forMs: 700 } as const;
type Sizes = typeof FULL | typeof QUICK;

/** A server and the call that is made of it. */
interface Server {
  readonly place: Place;
  readonly args: readonly string[];
  readonly call: { readonly name: string; readonly arguments: object };
}

const KEYS = ["first_tool_ms", "calls_per_second"] as const;

export const mcp: Bench = {
  name: "mcp",
  brief: "`sion mcp`: start to the first tool's answer, reading calls a second",
  keys: [...KEYS, "deno"],
  run: measure,
};

async function measure({ only, quick }: BenchOptions): Promise<Readonly<Record<string, unknown>>> {
  const sizes: Sizes = quick ? QUICK : FULL;
  const wants = (key: (typeof KEYS)[number]): boolean =>
    only === undefined || only.has(key) || KEYS.every((other) => !only.has(other));
  using fresh = freshPlace();
  progress("building");
  const bundle = await buildNpm(join(fresh.folder, "npm"));
  const node = [process.execPath];
  const place = { ...fresh, program: [...node, join(bundle, "bin/sion.js")] };
  await using devnet = await startDevnet(place, "--dir", join(fresh.folder, "devnet"));
  const at = (program: readonly string[]): Place => {
    const home = join(fresh.folder, `home-${program.length}`);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return { home, node: devnet.node, program };
  };
  const figures = async (source: readonly string[], entry: string, other?: Server) => {
    const sion = server(at([...source, join(bundle, entry)]), ["mcp"], "sion_status");
    const minimal = server(at([...source, MINIMAL]), [], "status");
    return {
      ...wants("first_tool_ms") ? await startFigures(sizes, { sion, minimal, other }) : {},
      ...wants("calls_per_second") ? await rateFigures(sizes, sion, minimal) : {},
    };
  };
  const ofNode = await figures(node, "bin/sion.js", await everything(at));
  const deno = only === undefined || only.has("deno") ? which("deno") : undefined;
  const ofDeno = deno === undefined
    ? {}
    : { deno: await figures([deno, "run", "-A", "--quiet", "--no-check"], "lib/sion.js") };
  return { ...(quick ? { quick } : {}), ...ofNode, ...ofDeno };
}

const MINIMAL = join(ROOT, "scripts/benches/_minimal_mcp.mjs");

function server(place: Place, args: readonly string[], name: string, given: object = {}): Server {
  return { place, args, call: { name, arguments: given } };
}

async function everything(at: (program: readonly string[]) => Place): Promise<Server | undefined> {
  const { name, version } = EVERYTHING;
  try {
    const entry = join(await installed(name, version), "node_modules", name, "dist/index.js");
    return server(at([process.execPath, entry]), ["stdio"], "echo", { message: "hello" });
  } catch (error) {
    progress(`without ${name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Start, handshake, one call: what a client waits for before anything is of use. */
async function firstTool({ place, args, call }: Server): Promise<number> {
  const startMs = performance.now();
  await using lines = startMcp(place, args);
  await lines.request("initialize", INITIALIZE);
  await ask(lines, call);
  return performance.now() - startMs;
}

async function ask(lines: McpLines, call: Server["call"]): Promise<void> {
  const result = await lines.request("tools/call", call);
  if (result["isError"] === true) throw new Error(JSON.stringify(result["content"]));
}

/** Rounds of one start each, so that what else runs is shared by all; ratios are of one round. */
async function startFigures(
  { starts }: Sizes,
  { sion, minimal, other }: {
    readonly sion: Server;
    readonly minimal: Server;
    readonly other: Server | undefined;
  },
): Promise<Readonly<Record<string, unknown>>> {
  progress(`${starts} rounds of starts`);
  const rounds: { sion: number; minimal: number; other: number | undefined }[] = [];
  // One of each is not counted: files come from disk.
  for (let round = 0; round <= starts; round += 1) {
    const taken = {
      sion: await firstTool(sion),
      minimal: await firstTool(minimal),
      other: other === undefined ? undefined : await firstTool(other),
    };
    if (round > 0) rounds.push(taken);
  }
  const others = rounds.flatMap(({ other }) => other === undefined ? [] : [other]);
  return {
    first_tool_ms: spread(rounds.map((round) => round.sion)),
    minimal_first_tool_ms: spread(rounds.map((round) => round.minimal)),
    ...others.length === 0 ? {} : { everything_first_tool_ms: spread(others) },
    first_tool_over_minimal: middle(rounds.map((round) => round.sion / round.minimal)),
    ...others.length === 0
      ? {}
      : { first_tool_over_everything: middle(rounds.map(({ sion, other = 0 }) => sion / other)) },
  };
}

function middle(values: readonly number[]): number {
  return thousandth(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

/** Calls a second with so many in flight; the least server's beside it, of the same node. */
async function rateFigures(
  sizes: Sizes,
  sion: Server,
  minimal: Server,
): Promise<Readonly<Record<string, unknown>>> {
  progress("calls");
  const balance = { ...sion, call: { name: "sion_balance", arguments: { account: "alice" } } };
  return {
    calls_in_flight: IN_FLIGHT,
    status_calls_per_second: tenth(await rate(sizes, sion)),
    balance_calls_per_second: tenth(await rate(sizes, balance)),
    minimal_calls_per_second: tenth(await rate(sizes, minimal)),
  };
}

async function rate({ warmUpMs, forMs }: Sizes, { place, args, call }: Server): Promise<number> {
  await using lines = startMcp(place, args);
  await lines.request("initialize", INITIALIZE);
  const beginMs = performance.now() + warmUpMs;
  const endMs = beginMs + forMs;
  let counted = 0;
  const worker = async (): Promise<void> => {
    for (let now = performance.now(); now < endMs; now = performance.now()) {
      await ask(lines, call);
      if (performance.now() >= beginMs && performance.now() <= endMs) counted += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return 1000 * counted / forMs;
}
