/** Folders that finding and searching pass over: of version control, of dependencies, of builds. */

const NAMES: ReadonlySet<string> = new Set([
  ".bzr",
  ".cache",
  ".git",
  ".gradle",
  ".hg",
  ".jj",
  ".mypy_cache",
  ".next",
  ".nuxt",
  ".nox",
  ".parcel-cache",
  ".pytest_cache",
  ".ruff_cache",
  ".svelte-kit",
  ".svn",
  ".terraform",
  ".tox",
  ".turbo",
  ".venv",
  "__pycache__",
  "bower_components",
  "build",
  "dist",
  "node_modules",
  "target",
  "vendor",
  "venv",
]);

/** Whether a folder of that name is passed over, unless it is asked for by its name. */
export function isPassedOver(folder: string): boolean {
  return NAMES.has(folder);
}

/** Whether a file is one of those that stand beside others while these are changed. */
export function isBeside(file: string): boolean {
  return /^\.sion-[0-9a-f]+-\d+\.(?:tmp|old)$/.test(file);
}
