/** Runs the official suite and reads what it found. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { openBridge } from "./_bridge.ts";
import { conformanceServer } from "./_fixture.ts";

/** Revisions of which the suite says what they require. */
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
type Revision = (typeof REVISIONS)[number];

/** One scenario that is scored. */
export interface Scenario {
  readonly name: string;
  /** Checks that failed or warned, each with what the suite says of it. */
  readonly faults: readonly string[];
  readonly passed: boolean;
}

/** What one revision came to. */
export interface Score {
  readonly passed: number;
  readonly total: number;
  readonly scenarios: readonly Scenario[];
}

interface Check {
  readonly id: string;
  readonly status: "FAILURE" | "INFO" | "SKIPPED" | "SUCCESS" | "WARNING";
  readonly errorMessage?: string;
}

/** Runs all revisions, one after another. */
export async function runSuite(): Promise<Readonly<Record<Revision, Score>>> {
  const scores = new Map<Revision, Score>();
  for (const revision of REVISIONS) scores.set(revision, await runRevision(revision));
  return Object.fromEntries(scores) as Record<Revision, Score>;
}

/** @throws {Error} when the suite gave no result for a scenario that it scores. */
export async function runRevision(revision: Revision): Promise<Score> {
  const suite = dirname(
    createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  );
  const folder = mkdtempSync(join(tmpdir(), "sion-conformance-"));
  try {
    await using bridge = await openBridge(conformanceServer);
    const output = await run([
      join(suite, "dist/index.js"),
      ...["server", "--url", bridge.url, "--requirements", revision, "-o", folder],
    ]);
    const scored = scoredOf(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8"));
    const results = readdirSync(folder);
    const scenarios = scored.map((name) => {
      const result = results.find((entry) =>
        /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1] === name
      );
      if (result === undefined) throw new Error(`The suite has no result of ${name}:\n${output}`);
      return scenarioOf(name, readFileSync(join(folder, result, "checks.json"), "utf8"));
    });
    const passed = scenarios.filter((scenario) => scenario.passed).length;
    return { passed, total: scored.length, scenarios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scenarioOf(name: string, text: string): Scenario {
  const checks = JSON.parse(text) as readonly Check[];
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  return {
    name,
    faults: bad.map(({ id, status, errorMessage = "" }) => `${status} of ${id}: ${errorMessage}`),
    passed: checks.length > 0 && !bad.some(({ status }) => status === "FAILURE"),
  };
}

/** The scenarios of servers that a revision's requirements list; what is not scored stands elsewhere. */
function scoredOf(requirements: string): readonly string[] {
  const [, list = ""] = /^server:\n((?: {2}- .*\n|\n| *#.*\n)*)/m.exec(requirements) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name);
}

/** Runs the suite on this machine's Node; its exit code counts what is not scored too. */
function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const node = process.versions["deno"] === undefined ? process.execPath : "node";
    const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"] });
    const said: string[] = [];
    child.stdout.on("data", (chunk) => said.push(String(chunk)));
    child.stderr.on("data", (chunk) => said.push(String(chunk)));
    child.on("error", reject);
    child.on("close", () => resolve(said.join("")));
  });
}
