/** How esbuild turns the programs of `cmd/` into what Node runs. */
import { build, type BuildOptions, type Plugin } from "esbuild";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Origins } from "./_direct_imports.ts";
import { ROOT } from "./_project.ts";
import { importsForGroups } from "./_together.ts";

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
    // What entries import for their groups is kept for what uses it.
    logOverride: { "ignored-bare-import": "silent" },
  };
}

/** All programs and, for npm, all exports as modules that share their parts, which load when first used. */
export async function bundleModules(folder: string, kind: BundleKind): Promise<void> {
  const programs = programNames();
  const exported = kind === "npm" ? exportNames() : [];
  const options = {
    ...common(kind),
    format: "esm",
    splitting: true,
    entryPoints: Object.fromEntries([
      ...programs.map((name) => [name, entryOf(name)]),
      ...exported.map((name) => [name, exportEntry(name)]),
    ]),
    outdir: folder,
    chunkNames: "parts/[name]-[hash]",
    metafile: true,
  } as const satisfies BuildOptions;
  const origins = new Origins();
  const plugins = [zodMini];
  const { metafile } = await build({
    ...options,
    plugins: [...plugins, sources(origins, new Map())],
    write: false,
  });
  const fromRoot = (file: string): string => relative(ROOT, file);
  const groups = importsForGroups(
    metafile,
    programs.map(entryOf).map(fromRoot),
    exported.map(exportEntry).map(fromRoot),
  );
  await build({ ...options, plugins: [...plugins, sources(origins, groups)] });
  if (kind === "npm") finishParts(folder);
}

const OF_A_GROUP = "together:";

/** Our sources as they are bundled: imports past the doors, and what entries import for their groups. */
function sources(origins: Origins, groups: ReadonlyMap<string, readonly string[]>): Plugin {
  return {
    name: "sources",
    setup(bundler) {
      bundler.onResolve({ filter: new RegExp(`^${OF_A_GROUP}`) }, ({ path }) => {
        const named = path.slice(OF_A_GROUP.length);
        return named.startsWith(ZOD_MINI)
          ? { path: named.slice(ZOD_MINI.length + 1), namespace: ZOD_MINI }
          : { path: join(ROOT, named) };
      });
      bundler.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
        const group = groups.get(relative(ROOT, path)) ?? [];
        const imports = group.map((file) => `import "${OF_A_GROUP}${file}";`);
        const source = origins.direct(readFileSync(path, "utf8"), path);
        return { contents: [source, ...imports].join("\n"), loader: "ts" };
      });
    },
  };
}

const ZOD_MINI = "zod-mini";

/**
 * `zod/mini` with files of its own. It needs a third of those that it shares with the rest of zod,
 * which other programs use the whole of, and files are not taken apart.
 */
const zodMini: Plugin = {
  name: ZOD_MINI,
  setup(bundler) {
    const own = (path: string) => ({ path, namespace: ZOD_MINI, sideEffects: false });
    bundler.onResolve(
      { filter: /^zod\/mini$/ },
      () => own(join(ROOT, "node_modules/zod/mini/index.js")),
    );
    bundler.onResolve(
      { filter: /^\./, namespace: ZOD_MINI },
      ({ path, importer }) => own(join(dirname(importer), path)),
    );
    bundler.onLoad(
      { filter: /./, namespace: ZOD_MINI },
      ({ path }) => ({ contents: readFileSync(path, "utf8"), loader: "js" }),
    );
  },
};

/** Has the parts of the npm package read and loaded no sooner than they are used. */
function finishParts(folder: string): void {
  for (const below of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!below.endsWith(".js")) continue;
    const file = join(folder, below);
    writeFileSync(file, withoutFacades(importedWhenNeeded(readFileSync(file, "utf8"))));
  }
}

/**
 * Before it starts Deno reads all that `import("…")` names anywhere, unless more than a text stands
 * there: a seventh of the work until `sion mcp` answers.
 */
function importedWhenNeeded(text: string): string {
  return text.replaceAll(/\bimport\(("\.\.?\/[^"]+")\)/g, "import((0,$1))");
}

/**
 * A module of Node's that is imported has each of its names looked at, also those that load others when
 * somebody looks: streams for `node:fs`, WebCrypto for `node:crypto`. Taking it as an object does not.
 */
function withoutFacades(text: string): string {
  return text.replaceAll(
    /\bimport(\{[^}]*\}|\s*\*\s*as [\w$]+ |\s+[\w$]+ )from"(node:[\w/]+)";/g,
    (_whole, clause: string, name: string) => {
      const taken = clause.startsWith("{")
        ? clause.replaceAll(/ as /g, ":")
        : ` ${clause.replace(/^\s*\*\s*as /, "").trim()}`;
      return `const${taken}=globalThis.process.getBuiltinModule("${name}");`;
    },
  );
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
