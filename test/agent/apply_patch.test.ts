import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import { applyPatch } from "../../internal/agent/tools/apply_patch.ts";
import { workspaceWith } from "./_files.ts";
import type { TestWorkspace } from "./_files.ts";

const apply = ({ call }: TestWorkspace, ...lines: readonly string[]) =>
  call(applyPatch, { patch: `${lines.join("\n")}\n` });

const A = "one\ntwo\nthree\nfour\nfive\n";

describe("apply_patch of a unified diff", () => {
  test("changes several files at once and says how [A-157 A-161]", async () => {
    const at = await workspaceWith({ "a": A, "d/b": "x\ny\n", "old": "gone\n" });
    expect(
      await apply(
        at,
        "diff --git a/a b/a",
        "index 1..2 100644",
        "--- a/a",
        "+++ b/a",
        "@@ -1,3 +1,4 @@ heading",
        " one",
        "-two",
        "+zwei",
        "+zweieinhalb",
        " three",
        "--- a/d/b",
        "+++ b/d/b",
        "@@ -1,2 +1,1 @@",
        "-x",
        " y",
        "--- /dev/null",
        "+++ b/new/c",
        "@@ -0,0 +1,2 @@",
        "+1",
        "+2",
        "--- a/old",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-gone",
      ),
    ).toBe(
      "changed 4 files:\nchanged a (+2 -1)\nchanged d/b (+0 -1)\nadded new/c (2 lines)\nremoved old",
    );
    expect(at.all()).toEqual({
      "a": "one\nzwei\nzweieinhalb\nthree\nfour\nfive\n",
      "d/b": "y\n",
      "new/c": "1\n2\n",
    });
  });

  test("finds a change by its lines, whatever line numbers and counts it gives [A-165]", async () => {
    const change = [" two", "-three", "+drei", " four"];
    for (const head of ["@@ -2,3 +2,3 @@", "@@ -90,3 +7,3 @@", "@@ -1,9 +1,1 @@", "@@ @@", "@@"]) {
      const at = await workspaceWith({ "a": A });
      expect(await apply(at, "--- a/a", "+++ b/a", head, ...change)).toBe(
        "changed 1 file:\nchanged a (+1 -1)",
      );
      expect(at.text("a")).toBe("one\ntwo\ndrei\nfour\nfive\n");
    }
  });

  test("does not guess between places, but goes by a number that is right [A-165]", async () => {
    const text = "a\nx\nb\nx\nc\nx\n";
    const at = await workspaceWith({ "a": text });
    const change = (start: number) => ["--- a", "+++ a", `@@ -${start} +${start} @@`, "-x", "+y"];
    expect(await apply(at, ...change(3))).toBe(
      "✗ no-match: nothing was changed: the change at line 3 of the patch fits a at lines 2, 4, 6: " +
        "give more of the lines around it, or an @@ line that stands before it",
    );
    expect(at.text("a")).toBe(text);
    await apply(at, ...change(4));
    expect(at.text("a")).toBe("a\nx\nb\ny\nc\nx\n");
  });

  test("that does not fit changes nothing, and quotes the nearest lines [A-162 A-164]", async () => {
    const at = await workspaceWith({ "a": A, "b": "total = sum(items)\n" });
    const before = at.all();
    expect(
      await apply(
        at,
        "--- a/a",
        "+++ b/a",
        "@@ -1 +1 @@",
        "-one",
        "+eins",
        "--- /dev/null",
        "+++ b/deep/new",
        "@@ -0,0 +1 @@",
        "+x",
        "--- a/b",
        "+++ b/b",
        "@@ -1 +1 @@",
        "-total = sum(item)",
        "+total = 1",
      ),
    ).toBe(
      "✗ no-match: nothing was changed: the change at line 12 of the patch is not in b: quote the " +
        "lines as they are. Nearest to it:\n1\ttotal = sum(items)",
    );
    expect(at.all()).toEqual(before);
    expect(readdirSync(at.folder).sort()).toEqual(["a", "b"]);
  });

  test("keeps what stays of the file as it is, though the patch has it otherwise", async () => {
    const at = await workspaceWith({ "a": "def f():  \n    x = 1\n    return x\t\n" });
    await apply(
      at,
      "--- a/a",
      "+++ b/a",
      "@@ -1,3 +1,3 @@",
      " def f():",
      "-    x = 1",
      "+    x = 2",
      "     return x",
    );
    expect(at.text("a")).toBe("def f():  \n    x = 2\n    return x\t\n");
    expect(
      await apply(
        at,
        "--- a/a",
        "+++ b/a",
        "@@ -2,2 +2,2 @@",
        "-  x = 2",
        "+  x = 3",
        "   return x",
      ),
    ).toMatch(/^✗ no-match: .*only white space differs/);
  });

  test("keeps line endings, a byte order mark and a missing newline at the end", async () => {
    const at = await workspaceWith({ "a": "\ufeffone\r\ntwo\r\nthree", "b": "1\n2" });
    await apply(
      at,
      "--- a/a",
      "+++ b/a",
      "@@ -1,3 +1,4 @@",
      " one",
      "-two",
      "+zwei",
      "+x",
      "-three",
      "+drei",
    );
    expect([...readFileSync(join(at.folder, "a"))]).toEqual([
      ...utf8("\ufeffone\r\nzwei\r\nx\r\ndrei"),
    ]);
    await apply(
      at,
      "--- a/b",
      "+++ b/b",
      "@@ -1,2 +1,3 @@",
      " 1",
      "-2",
      "\\ No newline at end of file",
      "+2",
      "+3",
    );
    expect(at.text("b")).toBe("1\n2\n3\n");
    await apply(
      at,
      "--- a/b",
      "+++ b/b",
      "@@ -3 +3 @@",
      "-3",
      "+3",
      "\\ No newline at end of file",
    );
    expect(at.text("b")).toBe("1\n2\n3");
  });

  test("moves, copies, removes and makes runnable as git says, also what is no text", async () => {
    const at = await workspaceWith({
      "a b": A,
      "bin": Uint8Array.of(0, 1),
      "x": "1\n",
      "y": "2\n",
    });
    chmodSync(join(at.folder, "a b"), 0o640);
    expect(
      await apply(
        at,
        "diff --git a/a b b/c/d",
        "similarity index 90%",
        "rename from a b",
        "rename to c/d",
        "--- a/a b\t",
        "+++ b/c/d\t",
        "@@ -4,2 +4,2 @@",
        " four",
        "-five",
        "+fünf",
        "diff --git a/bin b/bin2",
        "similarity index 100%",
        "copy from bin",
        "copy to bin2",
        "diff --git a/x b/x",
        "old mode 100644",
        "new mode 100755",
        'diff --git "a/\\303\\274" "b/\\303\\274"',
        "new file mode 100755",
        "index 0..1",
        "diff --git a/y b/y",
        "deleted file mode 100644",
        "--- a/y",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-2",
      ),
    ).toBe(
      "changed 5 files:\nmoved a b to c/d (+1 -1)\ncopied bin to bin2\nchanged x\nadded ü (0 lines)\nremoved y",
    );
    expect(at.all()).toEqual({
      "bin": "\0\x01",
      "bin2": "\0\x01",
      "c/d": "one\ntwo\nthree\nfour\nfünf\n",
      "x": "1\n",
      "ü": "",
    });
    expect(statSync(join(at.folder, "c/d")).mode & 0o777).toBe(0o640);
    for (const name of ["x", "ü"]) expect(statSync(join(at.folder, name)).mode & 0o100).toBe(0o100);
  });

  test.each<[string, readonly string[], string]>([
    ["prose alone", ["Please change it."], "patch: the patch changes no file"],
    [
      "a change of no file",
      ["@@ -1 +1 @@", "-a", "+b"],
      "patch: line 1 of the patch changes no file",
    ],
    ["a link", ["diff --git a/l b/l", "new file mode 120000"], "patch: the patch makes a link"],
    [
      "a binary file",
      ["diff --git a/l b/l", "GIT binary patch"],
      "patch: the patch changes a file that is no text",
    ],
    [
      "a line without a mark",
      ["--- a", "+++ a", "@@ @@", "x"],
      "patch: line 4 of the patch begins with neither",
    ],
    [
      "a file that is not there",
      ["--- n", "+++ n", "@@ @@", "-x"],
      "no-match: nothing was changed: there is no n",
    ],
    [
      "a new file that is there",
      ["--- /dev/null", "+++ b/a", "@@ @@", "+x"],
      "no-match: nothing was changed: a is there already",
    ],
    [
      "a file outside",
      ["--- ../x", "+++ ../x", "@@ @@", "-x"],
      "outside: ../x is outside the workspace",
    ],
    [
      "a quoted name without an end",
      ['--- "a', "+++ b", "@@ @@", "-x"],
      "patch: the patch quotes a name",
    ],
    [
      "a removal of less than all",
      ["--- a/a", "+++ /dev/null", "@@ @@", "-one"],
      "no-match: nothing was changed: a holds more",
    ],
    [
      "what is so already",
      ["--- a", "+++ a", "@@ @@", "-one", "+one"],
      "argument: the files are as the patch",
    ],
  ])("refuses %s in a sentence, and changes nothing", async (_what, lines, message) => {
    const at = await workspaceWith({ "a": A });
    expect(await apply(at, ...lines)).toContain(`✗ ${message}`);
    expect(at.all()).toEqual({ a: A });
  });
});

describe("apply_patch of a *** Begin Patch", () => {
  test("adds, updates, deletes and moves files [A-158 A-159 A-161]", async () => {
    const at = await workspaceWith({ "a": A, "b": "x\n", "old": "" });
    expect(
      await apply(
        at,
        "*** Begin Patch",
        "*** Update File: a",
        "@@",
        " one",
        "-two",
        "+zwei",
        "@@",
        "-five",
        "+fünf",
        "*** End of File",
        "*** Add File: new/c",
        "+1",
        "+2",
        "*** Delete File: old",
        "*** Update File: b",
        "*** Move to: moved/b",
        "@@",
        "-x",
        "+y",
        "*** End Patch",
      ),
    ).toBe(
      "changed 4 files:\nchanged a (+2 -2)\nadded new/c (2 lines)\nremoved old\nmoved b to moved/b (+1 -1)",
    );
    expect(at.all()).toEqual({
      "a": "one\nzwei\nthree\nfour\nfünf\n",
      "moved/b": "y\n",
      "new/c": "1\n2\n",
    });
  });

  test("finds each change by its @@ anchor [A-160]", async () => {
    const text =
      "class A:\n  def f():\n    pass\n\nclass B:\n  def f():\n    pass\n  def g():\n    pass\n";
    const at = await workspaceWith({ "a.py": text });
    const change = (...lines: readonly string[]) =>
      apply(at, "*** Begin Patch", "*** Update File: a.py", ...lines, "*** End Patch");
    expect(await change("-    pass", "+    return 1")).toMatch(/fits a.py at lines 3, 7, 9: /);
    await change("@@ class B:", "@@   def g():", "-    pass", "+    return 2");
    await change("@@ class B", "   def f():", "-    pass", "+    return 1");
    await change("@@ class A:", "+  x = 1");
    expect(at.text("a.py")).toBe(
      "class A:\n  x = 1\n  def f():\n    pass\n\nclass B:\n  def f():\n    return 1\n  def g():\n    return 2\n",
    );
    expect(await change("@@ class C:", "-    pass", "+    x")).toMatch(
      /^✗ no-match: nothing was changed: the change at line 3 of the patch is not in a.py: /,
    );
  });

  test("adds lines at the end where nothing says where, and refuses a patch that is cut off", async () => {
    const at = await workspaceWith({ "a": "1\n" });
    await apply(at, "*** Begin Patch", "*** Update File: a", "@@", " 1", "+2", "*** End Patch");
    await apply(
      at,
      "*** Begin Patch",
      "*** Update File: a",
      "@@",
      "+3",
      "*** End of File",
      "*** End Patch",
    );
    expect(at.text("a")).toBe("1\n2\n3\n");
    expect(await apply(at, "*** Begin Patch", "*** Update File: a", "@@", "-3")).toBe(
      "✗ patch: the patch has no line *** End Patch, so it may be cut off: give it whole",
    );
    expect(await apply(at, "*** Begin Patch", "*** Update File: a", "*** End Patch")).toMatch(
      /^✗ patch: the patch changes nothing of a/,
    );
  });
});

describe("apply_patch", () => {
  test("shows what it would change, a file that moves once, and changes nothing then", async () => {
    const at = await workspaceWith({ "a": "1\n", "b": "2\n" });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a",
      "*** Move to: c",
      "@@",
      "-1",
      "+one",
      "*** Delete File: b",
      "*** Add File: d",
      "+4",
      "*** End Patch",
    ].join("\n");
    const context = { workspace: at.workspace, signal: at.context.signal };
    expect(await applyPatch.preview?.(context, { patch })).toEqual([
      { path: "a", movedTo: "c", before: "1\n", after: "one\n" },
      { path: "b", before: "2\n" },
      { path: "d", after: "4\n" },
    ]);
    expect(at.all()).toEqual({ a: "1\n", b: "2\n" });
    expect(applyPatch.paths?.({ patch })).toEqual(
      ["a", "c", "b", "d"].map((path) => ({ path, use: "write" })),
    );
  });

  test("is made whole after its process ended when all was ready, and not at all before", async () => {
    const at = await workspaceWith({ "a": "1\n", "b": "2\n" });
    const patch = ["--- a", "+++ a", "@@ @@", "-1", "+one", "--- b", "+++ b", "@@ @@", "-2", "+two"]
      .join("\n");
    let copy: Record<string, string> = {};
    const note = (entry: { readonly [name: string]: unknown }) => {
      at.notes.push(entry);
      copy = at.all();
    };
    await applyPatch.run({ ...at.context, note }, { patch });
    const recover = (notes: readonly unknown[]) => {
      for (const [name, text] of Object.entries(copy)) writeFileSync(join(at.folder, name), text);
      return applyPatch.recover?.(at.context, { patch }, notes as never);
    };
    expect(await recover([])).toBe("not-made");
    expect(await recover(at.notes.slice(0, 1))).toBe("not-made");
    expect(at.all()).toEqual({ a: "1\n", b: "2\n" });
    expect(await recover(at.notes)).toEqual({
      ok: true,
      text: "changed 2 files:\nchanged a (+1 -1)\nchanged b (+1 -1)",
    });
    expect(at.all()).toEqual({ a: "one\n", b: "two\n" });
  });

  test("a patch between three backticks or with other line endings is the same patch", async () => {
    for (
      const wrap of [
        (patch: string) => `\`\`\`diff\n${patch}\`\`\`\n`,
        (patch: string) => patch.replaceAll("\n", "\r\n"),
      ]
    ) {
      const at = await workspaceWith({ "a": A });
      await at.call(applyPatch, { patch: wrap("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+eins\n") });
      expect(at.text("a")).toBe(A.replace("one", "eins"));
    }
  });

  test("makes any text out of any other, wherever its line numbers point [A-157 A-165]", async () => {
    const at = await workspaceWith({ "a": "" });
    const words = fc.array(fc.constantFrom("a", "b", "", "-- x", "++ y", "@@", "é"), {
      maxLength: 30,
    });
    const text = fc.tuple(words, fc.constantFrom("\n", "\r\n"), fc.boolean()).map(
      ([lines, ending, ends]) =>
        // Every line is of its kind, so that a change has one place.
        lines.map((line, i) => `${line} ${i}`).join(ending) +
        (ends && lines.length > 0 ? ending : ""),
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.tuple(fc.nat(30), fc.constantFrom("+", "-"), fc.string()), { maxLength: 5 }),
        fc.nat(99),
        async (before, edits, shift) => {
          const ending = before.includes("\r\n") ? "\r\n" : "\n";
          const lines = before.split(ending);
          for (const [index, kind, added] of edits) {
            const line = `${added.replaceAll(/[\r\n]/g, "")}!${index}`;
            if (kind === "+") lines.splice(index % (lines.length + 1), 0, line);
            else if (lines.length > 1) lines.splice(index % lines.length, 1);
          }
          const after = lines.join(ending);
          if (after === before || before === "" || after === "") return;
          writeFileSync(join(at.folder, "a"), before);
          const exact = createTwoFilesPatch("a", "a", before, after, "", "", { context: 2 });
          const patch = before.startsWith(after) || shift % 2 === 0
            ? exact
            : exact.replaceAll(/^@@ -(\d+)/gm, (_all, n: string) => `@@ -${Number(n) + shift}`);
          const pure = /^@@ -\d+,0 /m.test(exact);
          const result = await at.call(applyPatch, { patch: pure ? exact : patch });
          expect(result).toMatch(/^changed 1 file/);
          expect(at.text("a")).toBe(after);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a folder that is in the way is said, and nothing is changed", async () => {
    const at = await workspaceWith({ "a": A });
    mkdirSync(join(at.folder, "d"));
    expect(await apply(at, "--- /dev/null", "+++ b/d", "@@ @@", "+x")).toBe(
      "✗ not-a-file: d is a folder, not a file",
    );
  });
});
