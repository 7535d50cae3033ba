/**
 * `scripts/parts [--check] [NAME...]`: installs the programs that tests need (or those named) from
 * Debian. `--check` only tells. Exit code 1 when one is missing at the end, 2 for bad usage.
 */
import process from "node:process";
import { findPart, type Part, partNamed, PARTS, partsOfTests } from "./_parts_table.ts";
import { run, which } from "./_project.ts";
import { readWords, type Words } from "./_words.ts";

const APT = { DEBIAN_FRONTEND: "noninteractive" };

function wanted(names: readonly string[]): Part[] | undefined {
  if (names.length === 0) return partsOfTests();
  const unknown = names.filter((name) => partNamed(name) === undefined);
  if (unknown.length === 0) return names.flatMap((name) => partNamed(name) ?? []);
  const known = PARTS.map((part) => part.name).join(", ");
  console.error(`error: no part is named ${unknown.join(", ")}: there are ${known}`);
  return undefined;
}

/** Why this machine cannot install anything, or `undefined`. */
function obstacle(): string | undefined {
  if (which("apt-get") === undefined) return "this system has no apt-get";
  if (process.getuid?.() !== 0) return "only root may install packages";
  return undefined;
}

async function install(parts: readonly Part[]): Promise<void> {
  const packages = parts.flatMap((part) => part.packages);
  console.log(`installing ${packages.join(" ")} ...`);
  const update = await run(["apt-get", "update", "-qq"], { env: APT });
  // An old list of packages may still do, so a failed update is told only with a failed install.
  const done = await run(
    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages],
    { env: APT },
  );
  if (done.code !== 0) console.error((update.code === 0 ? "" : update.output) + done.output);
}

function report(part: Part): boolean {
  const file = findPart(part);
  const packages = part.packages.join(" ");
  const state = file ?? `missing (Debian: ${packages}; for ${part.use})`;
  console.log(`${part.name.padEnd(12)}${state}`);
  return file !== undefined;
}

async function main({ options, rest }: Words): Promise<number> {
  const parts = wanted(rest);
  if (parts === undefined) return 2;
  const missing = parts.filter((part) => findPart(part) === undefined);
  if (missing.length > 0 && !options.has("--check")) {
    const why = obstacle();
    if (why === undefined) await install(missing);
    else console.error(`error: cannot install: ${why}`);
  }
  if (parts.length === 0) console.log("no test needs a program of the system");
  return parts.map(report).every(Boolean) ? 0 : 1;
}

process.exitCode = await main(readWords({
  usage: "scripts/parts [--check] [NAME...]",
  about: [
    "Installs the programs of the system that tests need, or those named, with apt-get.",
    `There are: ${PARTS.map(({ name }) => name).join(", ")}.`,
  ],
  options: { "--check": "only tell which are there" },
  most: Infinity,
}));
