/** Yardsticks from other worlds: installed by benchmarks alone, pinned, outside the repository. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { run } from "../_project.ts";
import { progress } from "./_bench.ts";

const INSTALL_LIMIT_MS = 120_000;

/**
 * The folder in which an npm package is installed, in its `node_modules`.
 * @throws {Error} when it cannot be installed here: without a network, say.
 */
export async function installed(name: string, version: string): Promise<string> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "sion-bench", `${name.replace(/^@.*\//, "")}-${version}`);
  if (existsSync(join(folder, "installed"))) return folder;
  progress(`installing ${name} ${version} into ${folder}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}\n');
  const { code, output } = await run(
    ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`],
    { cwd: folder, timeoutMs: INSTALL_LIMIT_MS },
  );
  if (code !== 0) throw new Error(`npm cannot install ${name} ${version}: ${output.trim()}`);
  writeFileSync(join(folder, "installed"), "");
  return folder;
}
