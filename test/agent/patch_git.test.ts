/** What git writes of two folders is applied by us as git applies it. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch } from "../../internal/agent/tools/apply_patch.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import { workspaceWith } from "./_files.ts";
import { testFolder } from "./_machine.ts";

/** A file of a folder: what it holds and whether it may be run. */
type Files = ReadonlyMap<string, { readonly text: string; readonly runs: boolean }>;

const NAMES = ["a", "b.txt", "d/a", "d/e/with space", "ünï", 'q"uote', "tab\there", "b", "a b/b a"];

const text = fc.tuple(
  fc.array(fc.constantFrom("a", "b", "{", "}", "", "-- x", "++ y", "\ttab", "é", "@@ -1 +1 @@"), {
    maxLength: 14,
  }),
  fc.constantFrom("\n", "\n", "\r\n"),
  fc.boolean(),
).map(([lines, ending, ends]) => lines.join(ending) + (ends && lines.length > 0 ? ending : ""));

const edit = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), name: fc.constantFrom(...NAMES), text }),
  fc.record({
    kind: fc.constant("line" as const),
    name: fc.constantFrom(...NAMES),
    at: fc.nat(14),
    text: fc.constantFrom("new", "", "}", "--- a", "last"),
    removes: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant("move" as const),
    swaps: fc.boolean(),
    name: fc.constantFrom(...NAMES),
    to: fc.constantFrom(...NAMES),
  }),
  fc.record({ kind: fc.constant("remove" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ kind: fc.constant("mode" as const), name: fc.constantFrom(...NAMES) }),
);

type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

function edited(files: Files, edits: readonly Edit[]): Files {
  const result = new Map(files);
  for (const each of edits) {
    const own = result.get(each.name);
    if (each.kind === "write") {
      result.set(each.name, { text: each.text, runs: own?.runs ?? false });
    } else if (own === undefined) {
      continue;
    } else if (each.kind === "line") {
      const lines = own.text.split("\n");
      lines.splice(each.at % (lines.length + 1), each.removes, each.text);
      result.set(each.name, { ...own, text: lines.join("\n") });
    } else if (each.kind === "mode") {
      result.set(each.name, { ...own, runs: !own.runs });
    } else if (each.kind === "remove") {
      result.delete(each.name);
    } else {
      const other = result.get(each.to);
      result.delete(each.name);
      result.set(each.to, own);
      if (each.swaps && other !== undefined) result.set(each.name, other);
    }
  }
  return result;
}

/** Writes the files; false where one would be a folder of another. */
function layOut(folder: string, files: Files): void {
  for (const [name, { text, runs }] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), runs ? 0o755 : 0o644);
  }
}

function filesIn(folder: string): Record<string, unknown> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes("/.git/"))
      .map(({ parentPath, name }) => join(parentPath, name)).sort()
      .map((path) => [
        path.slice(folder.length + 1),
        { text: readFileSync(path, "utf8"), runs: (statSync(path).mode & 0o100) !== 0 },
      ]),
  );
}

const ENV = {
  PATH: "/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@t",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@t",
};

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, env: ENV, encoding: "utf8" });
}

test("apply_patch makes of any git diff what git apply makes of it [A-157 A-161]", async () => {
  const base = testFolder();
  let compared = 0;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...NAMES), text, fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.array(edit, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("-U3", "-U1", "-U0"),
      fc.constantFrom("-M", "--no-renames", "-C"),
      fc.constantFrom("--src-prefix=a/", "--no-prefix", "--src-prefix=i/", "--no-textconv"),
      async (given, edits, context, renames, prefix) => {
        const before: Files = new Map(given.map(([name, text, runs]) => [name, { text, runs }]));
        const after = edited(before, edits);
        const folder = join(base, String(run++));
        const repository = join(folder, "repository");
        mkdirSync(repository, { recursive: true });
        git(repository, "init", "-q");
        layOut(repository, before);
        git(repository, "add", "-A");
        git(repository, "commit", "-qm", "before", "--allow-empty");
        for (const name of before.keys()) rmSync(join(repository, name));
        layOut(repository, after);
        git(repository, "add", "-A");
        const patch = git(repository, "diff", "--cached", context, renames, prefix);
        git(repository, "reset", "-q", "--hard");
        const ours = join(folder, "ours");
        cpSync(repository, ours, { recursive: true });
        rmSync(join(ours, ".git"), { recursive: true });
        const theirs = spawnSync(
          "git",
          ["apply", "--unidiff-zero", ...(prefix === "--no-prefix" ? ["-p0"] : [])],
          { cwd: repository, env: ENV, input: patch, encoding: "utf8" },
        );
        if (patch !== "" && theirs.status === 0) {
          compared++;
          const { context: toolContext } = await workspaceWith();
          const workspace = await openWorkspace(ours);
          const result = await applyPatch.run({ ...toolContext, workspace }, { patch });
          expect(result, patch).toMatchObject({ ok: true });
          // What is added to a file ends as its lines do, which git leaves to who made the patch.
          const mixed = [...before.values(), ...after.values()].some(({ text }) =>
            text.includes("\r\n") && /(?<!\r)\n/.test(text)
          );
          const seen = (files: Record<string, unknown>) =>
            mixed ? JSON.parse(JSON.stringify(files).replaceAll("\\r", "")) : files;
          expect(seen(filesIn(ours)), patch).toEqual(seen(filesIn(repository)));
          expect(seen(filesIn(ours)), patch).toEqual(seen(Object.fromEntries(after)));
        }
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: 40 },
  );
  expect(compared).toBeGreaterThan(10);
});
