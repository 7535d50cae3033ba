/** How esbuild turns the programs of `cmd/` into what Node runs. */
import { build, type BuildOptions } from "esbuild";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./_project.ts";

/** How a bundle is made known to the program in it, for `sion --version`. */
export type BundleKind = "npm" | "deno" | "node" | "source";

/**
 * Left out of every bundle: 17 MB of WebAssembly behind computed imports, and only the third choice
 * of a signature backend, after the runtime's own. Loading it fails there and the next is taken.
 */
const EXTERNAL = ["@oqs/liboqs-js"];

/** Names of the programs, which are the folders of `cmd/` that have a `main.ts`. */
export function programNames(): string[] {
  const folder = join(ROOT, "cmd");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, "main.ts"))).sort();
}

/** Names of what the npm package exports: the files of `exports/`. */
export function exportNames(): string[] {
  const folder = join(ROOT, "exports");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length)).sort();
}

/** The source of an export. */
export function exportEntry(name: string): string {
  return join(ROOT, "exports", `${name}.ts`);
}

function entryOf(name: string): string {
  return join(ROOT, "cmd", name, "main.ts");
}

function common(kind: BundleKind): BuildOptions {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    target: "node24",
    define: { "globalThis.SION_BUILD": JSON.stringify(kind) },
    external: EXTERNAL,
    // What is left readable is what a stack trace of a user shows.
    minifySyntax: true,
    minifyWhitespace: true,
    // jsonc-parser has its parts behind a computed require in its other form.
    mainFields: ["module", "main"],
    // yaml's form for Node is CommonJS, which asks for `process` in a way that modules do not have.
    alias: { yaml: join(ROOT, "node_modules", "yaml", "browser", "index.js") },
    legalComments: "linked",
    // A source's stack traces name the source's lines.
    ...(kind === "source" ? { sourcemap: "linked", sourcesContent: false } as const : {}),
    logLevel: "warning",
  };
}

/** All programs and, for npm, all exports as modules that share their parts, which load when first used. */
export async function bundleModules(folder: string, kind: BundleKind): Promise<void> {
  await build({
    ...common(kind),
    format: "esm",
    splitting: true,
    entryPoints: Object.fromEntries([
      ...programNames().map((name) => [name, entryOf(name)]),
      ...(kind === "npm" ? exportNames().map((name) => [name, exportEntry(name)]) : []),
    ]),
    outdir: folder,
    chunkNames: "parts/[name]-[hash]",
  });
  if (kind === "npm") importWhenNeeded(folder);
}

/**
 * Has parts read when they are imported. Before it starts Deno reads all that `import("…")` names
 * anywhere, unless more than a text stands there: a seventh of the work until `sion mcp` answers.
 */
function importWhenNeeded(folder: string): void {
  for (const below of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!below.endsWith(".js")) continue;
    const file = join(folder, below);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/\bimport\(("\.\.?\/[^"]+")\)/g, "import((0,$1))"));
  }
}

/** One program as one CommonJS file without `import()`: what a single executable can hold. */
export async function bundleSingle(name: string, file: string, kind: BundleKind): Promise<void> {
  await build({
    ...common(kind),
    format: "cjs",
    entryPoints: [entryOf(name)],
    outfile: file,
    // A single executable's main script has no file to resolve against, and its code cache no import().
    supported: { "dynamic-import": false },
    define: {
      ...common(kind).define,
      "import.meta.url": '"file:///sion"',
      "import.meta.main": "true",
    },
  });
}
