/** Single executables of `sion` and `sion-gateway`: by `deno compile`, and by Node's own `--build-sea`. */
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bundleModules, bundleSingle } from "./_bundle.ts";
import { ROOT, run } from "./_project.ts";

const FOLDER = join(ROOT, "dist/standalone");
const INPUTS = join(ROOT, ".cache/build");

/** Programs that are made single executables; an AI client is given `sion mcp`. */
export const STANDALONE: readonly string[] = ["sion", "sion-gateway"];

/** What came of one way to make an executable. */
export type Built = { readonly file: string } | { readonly notBuilt: string };

/**
 * Node's single executable. It holds the bundle twice: as the main script with its code cache (half
 * the start time), and as text, from which its worker threads run.
 */
export async function buildNodeExecutable(name: string): Promise<Built> {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < 26) {
    return { notBuilt: `Node ${process.versions.node} has no --build-sea: Node 26 has` };
  }
  mkdirSync(FOLDER, { recursive: true });
  const bundle = join(INPUTS, `${name}.cjs`);
  await bundleSingle(name, bundle, "node");
  copyFileSync(`${bundle}.LEGAL.txt`, join(FOLDER, "third-party.txt"));
  const file = join(FOLDER, `${name}-node`);
  const settings = join(INPUTS, `${name}.sea.json`);
  writeFileSync(
    settings,
    JSON.stringify({
      main: bundle,
      output: file,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      execArgvExtension: "none",
      assets: { program: bundle },
    }),
  );
  const { code, output } = await run([process.execPath, "--build-sea", settings]);
  if (code !== 0) throw new Error(`node --build-sea failed:\n${output.trim()}`);
  return { file };
}

/**
 * Deno's executable, from the bundle and without node_modules, which it would embed whole. Deno
 * fetches the base for it; `DENORT_BIN` names one that is there already.
 */
export async function buildDenoExecutable(name: string): Promise<Built> {
  mkdirSync(FOLDER, { recursive: true });
  const bundle = join(INPUTS, "deno");
  rmSync(bundle, { recursive: true, force: true });
  await bundleModules(bundle, "deno");
  const file = join(FOLDER, `${name}-deno`);
  const { code, output } = await run([
    "deno",
    "compile",
    "--quiet",
    "--allow-all",
    "--no-check",
    "--exclude=node_modules",
    `--include=${join(bundle, "parts")}`,
    `--output=${file}`,
    join(bundle, `${name}.js`),
  ]);
  if (code === 0) return { file };
  if (/error sending request|dns error|denort/i.test(output)) {
    return {
      notBuilt: "deno compile cannot fetch its base program here: name one with DENORT_BIN",
    };
  }
  throw new Error(`deno compile failed:\n${output.trim()}`);
}

/** Size of a file for a person, in MB of a million bytes. */
export function megabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}
