/** What the lockfile and the manifest must keep to: one version of a package, every version exact. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./_project.ts";

type LockedPackage = { readonly version?: string; readonly dev?: boolean };
type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> };
type Manifest = Readonly<
  Record<
    "dependencies" | "devDependencies" | "optionalDependencies",
    Readonly<Record<string, string>> | undefined
  >
>;

/** TypeScript 7 has no program interface for the layer check, so patches of 6.0 only. */
const RANGES = new Set(["typescript"]);

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), "utf8"));
}

/** One line for each production package that the lockfile holds in two versions. */
export function duplicateVersions(lock = readJson("package-lock.json") as Lockfile): string[] {
  const versions = new Map<string, Set<string>>();
  for (const [path, { version, dev }] of Object.entries(lock.packages)) {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (name === "" || dev === true || version === undefined) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return [...versions]
    .filter(([, found]) => found.size > 1)
    .map(([name, found]) =>
      `${name} is locked in ${found.size} versions: ${[...found].join(", ")}`
    );
}

/** One line for each dependency of the manifest that is not one exact version. */
export function unpinnedVersions(manifest = readJson("package.json") as Manifest): string[] {
  return (["dependencies", "devDependencies", "optionalDependencies"] as const)
    .flatMap((field) => Object.entries(manifest[field] ?? {}))
    .filter(([name, version]) => !RANGES.has(name) && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name} is ${version} in package.json: pin one version`);
}
