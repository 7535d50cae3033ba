/** The npm package: bundles, a launcher for each program that checks Node first, and a manifest. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bundleModules, exportEntry, exportNames, programNames } from "./_bundle.ts";
import { ROOT, run } from "./_project.ts";

/** Where the package is laid out, ready to be packed. */
export const NPM_FOLDER: string = join(ROOT, "dist/npm");

type Manifest =
  & Readonly<Record<string, unknown>>
  & { readonly name: string; readonly version: string };

/**
 * The first lines of a launcher. Where commands run busy threads, a shell runs them, which reads nothing after
 * them: it chooses one arena of malloc for those commands before Node starts, where Node would have to begin anew for
 * it (docs/decisions/0042-what-a-devnet-holds.md). To Node the second line is a text and a remark.
 */
function firstLines(name: string): string {
  if (name !== "sion") return "#!/usr/bin/env node";
  return [
    "#!/usr/bin/env sh",
    `":" //; case $1 in devnet|node) export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX-1}" ;; esac; ` +
    'exec node "$0" "$@"',
  ].join("\n");
}

/**
 * Starts a program, or says in one line that this Node is too old. In a syntax that an old Node
 * reads, and apart from the bundle, whose imports an old Node would fail on before any line runs.
 *
 * What Node compiles of the bundle it keeps in the home, in a folder that nobody else can write
 * (docs/decisions/0053-what-was-compiled.md). Without one it compiles again; no program says so.
 */
export function launcher(name: string): string {
  return `${firstLines(name)}
var version = process.versions.node;
if (parseInt(version, 10) < 24) {
  console.error(
    "error: sion needs Node 24, this is " + version + ": install it, or use the single binary"
  );
  process.exit(1);
}

function homeFolder() {
  for (var i = 2; i < process.argv.length; i++) {
    if (process.argv[i] === "--home") return process.argv[i + 1];
    if (process.argv[i].startsWith("--home=")) return process.argv[i].slice(7);
  }
  return process.env.SION_HOME || process.env.HOME + "/.sion";
}

function keepCompiled() {
  var fs = process.getBuiltinModule("node:fs");
  function isOwn(stat) {
    return stat.isDirectory() && stat.uid === process.getuid() && (stat.mode & 0o22) === 0;
  }
  var home = homeFolder();
  if (!isOwn(fs.statSync(home))) return;
  var folder = home + "/compiled";
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
  if (isOwn(fs.lstatSync(folder))) {
    process.getBuiltinModule("node:module").enableCompileCache(folder);
  }
}

try {
  if (!process.versions.deno) keepCompiled();
} catch (error) {
  // There is no home yet, or it cannot be written.
}
import("../lib/${name}.js");
`;
}

function manifest(): Manifest {
  const project = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  return {
    name: project.name,
    version: project.version,
    description: project["description"],
    keywords: ["agent", "ledger", "mcp", "payments", "post-quantum"],
    license: project["license"],
    type: "module",
    bin: Object.fromEntries(programNames().map((name) => [name, `bin/${name}.js`])),
    files: ["bin", "examples", "lib"],
    exports: {
      ...Object.fromEntries(
        exportNames().map((name) => [
          `./${name}`,
          { types: `./lib/${name}.d.ts`, default: `./lib/${name}.js` },
        ]),
      ),
      "./package.json": "./package.json",
    },
    engines: project["engines"],
  };
}

/**
 * Lays out the package in a folder, which is cleared first.
 * @default folder dist/npm, ready to be packed
 */
export async function buildNpm(folder: string = NPM_FOLDER): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  await bundleModules(join(folder, "lib"), "npm");
  for (const name of exportNames()) {
    writeFileSync(join(folder, "lib", `${name}.d.ts`), await declarationsOf(name));
  }
  for (const name of programNames()) {
    const file = join(folder, "bin", `${name}.js`);
    writeFileSync(file, launcher(name));
    chmodSync(file, 0o755);
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) {
    if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(folder, name));
  }
  cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  return folder;
}

/** The declarations of an export. Its types stand in its own file, so that it alone is read. */
async function declarationsOf(name: string): Promise<string> {
  const { default: typescript } = await import("typescript");
  const { outputText, diagnostics } = typescript.transpileDeclaration(
    readFileSync(exportEntry(name), "utf8"),
    { reportDiagnostics: true, fileName: `${name}.ts` },
  );
  const [fault] = diagnostics ?? [];
  if (fault !== undefined) {
    const said = typescript.flattenDiagnosticMessageText(fault.messageText, "\n");
    throw new Error(`exports/${name}.ts has no declarations of its own: ${said}`);
  }
  if (/\bimport\b.*#internal/.test(outputText)) {
    throw new Error(`exports/${name}.ts has types of other files in what it exports`);
  }
  return outputText;
}

/** Packs the package into dist/ and checks it as packed; throws with what publint or attw found. */
export async function packNpm(): Promise<string> {
  const dist = join(ROOT, "dist");
  await must(["npm", "pack", "--ignore-scripts", "--pack-destination", dist], NPM_FOLDER);
  const { name, version } = manifest();
  const tarball = join(dist, `${name}-${version}.tgz`);
  const tool = (script: string) => [process.execPath, join(ROOT, "node_modules", script)];
  await must([...tool("publint/src/cli.js"), "run", tarball, "--strict"], dist);
  await must(
    [...tool("@arethetypeswrong/cli/dist/index.js"), tarball, "--profile", "esm-only"],
    dist,
  );
  return tarball;
}

async function must(command: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, { cwd });
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(" ")} failed:\n${output.trim()}`);
}
