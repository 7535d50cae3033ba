/**
 * Which sources are read together. The bundler makes a part of each set of files that the same
 * entries reach, and where hundreds of commands and tools are entries, most parts are tiny; reading
 * one costs a program's start more than what is in it. Each group here becomes one part, by having every
 * entry that reaches some of it reach all of it.
 */
import type { Metafile } from "esbuild";

/**
 * The groups, by the entries that need them: the command line until a command is known, a client,
 * a server's first call. What two of them need is a group of its own.
 */
const GROUPS: readonly (readonly string[])[] = [
  ["cmd/sion/main.ts"],
  ["internal/client/mod.ts"],
  ["cmd/sion-mcp/main.ts", "internal/mcp/tools/status.ts"],
];

/** The group of servers: what agents need of it is not its, or they would read all of it. */
const OF_SERVERS = 2;
const AGENTS = "internal/agent/mod.ts";

/** What an entry reaches without an `import()`, of a bundle that was split. */
export function reachedBy(entry: string, { outputs }: Metafile): Set<string> {
  const start = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry);
  const parts = new Set<string>();
  const waiting = start === undefined ? [] : [start];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (parts.has(part)) continue;
    parts.add(part);
    for (const { path, kind } of outputs[part]?.imports ?? []) {
      if (kind === "import-statement" && outputs[path] !== undefined) waiting.push(path);
    }
  }
  const files = new Set<string>();
  for (const part of parts) {
    for (const [file, { bytesInOutput }] of Object.entries(outputs[part]?.inputs ?? {})) {
      if (bytesInOutput > 0) files.add(file);
    }
  }
  return files;
}

/**
 * The files that each entry is to import besides its own imports.
 * @param programs entries of programs
 * @param exported entries of exports, which are light and belong to none
 */
export function importsForGroups(
  split: Metafile,
  programs: readonly string[],
  exported: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const entries = Object.values(split.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
    .filter((entry) => !exported.includes(entry));
  const reached = new Map(entries.map((entry) => [entry, reachedBy(entry, split)]));
  const needs = GROUPS.map((group) =>
    new Set(group.flatMap((entry) => [...reached.get(entry) ?? []]))
  );
  // Programs begin their work when they are imported.
  for (const files of needs) for (const program of programs) files.delete(program);
  const isShared = (file: string): boolean => needs.filter((files) => files.has(file)).length > 1;
  const shared = needs.flatMap((files) => [...files].filter(isShared));
  const groups = needs.map((files) => [...files].filter((file) => !isShared(file)));
  const ofAgents = reached.get(AGENTS);
  groups[OF_SERVERS] = groups[OF_SERVERS]?.filter((file) => ofAgents?.has(file) !== true) ?? [];
  return new Map(entries.map((entry) => {
    const own = reached.get(entry) ?? new Set();
    const whole = [shared, ...groups].filter((files) => files.some((file) => own.has(file)));
    // What is in a group needs what is shared.
    const files = whole.length === 0 ? [] : [shared, ...whole].flat();
    return [entry, [...new Set(files)].filter((file) => file !== entry)];
  }));
}
