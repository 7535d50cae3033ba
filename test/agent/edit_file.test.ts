import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import { replaceStretch } from "../../internal/agent/text/replace_stretch.ts";
import { editFile } from "../../internal/agent/tools/edit_file.ts";
import { workspaceWith } from "./_files.ts";
import type { TestWorkspace } from "./_files.ts";

const CART =
  'def total(items):\n    """Total with 20 % tax."""\n    return sum(items) * 1.2 * 1.2\n';

const edit = (
  { call }: TestWorkspace,
  old_string: string,
  new_string: string,
  more: { path?: string; replace_all?: boolean } = {},
) => call(editFile, { path: "cart.py", old_string, new_string, ...more });

describe("edit_file", () => {
  test("replaces a stretch that is there once, and says how many lines changed [A-151 A-152]", async () => {
    const at = await workspaceWith({ "cart.py": CART });
    expect(await edit(at, "* 1.2 * 1.2", "* 1.2")).toBe("changed 1 line of cart.py");
    expect(at.text("cart.py")).toBe(CART.replace("* 1.2 * 1.2", "* 1.2"));
    const whole = "    return sum(items) * 1.2\n";
    expect(await edit(at, whole, `    tax = 1.2\n${whole}`)).toBe("changed 1 line of cart.py");
    expect(await edit(at, 'def total(items):\n    """Total', 'def sum_of(items):\n    """Sum'))
      .toBe("changed 2 lines of cart.py");
    expect(await edit(at, "    tax = 1.2\n", "")).toBe("changed 1 line of cart.py");
    expect(at.text("cart.py")).toBe(
      'def sum_of(items):\n    """Sum with 20 % tax."""\n    return sum(items) * 1.2\n',
    );
  });

  test("fails on a stretch that is there more than once, and says where [A-152 A-155]", async () => {
    const at = await workspaceWith({ "a": "x = 1\ny = 2\nx = 1\nx = 1\n" });
    expect(await edit(at, "x = 1", "x = 2", { path: "a" })).toBe(
      "✗ many-matches: old_string is 3 times in a (lines 1, 3, 4): quote more of the lines " +
        "around the one you mean, or set replace_all",
    );
    expect(await edit(at, "y = 2\nx = 1", "y = 3\nx = 2", { path: "a" })).toBe(
      "changed 2 lines of a",
    );
    expect(at.text("a")).toBe("x = 1\ny = 3\nx = 2\nx = 1\n");
    const twice = await workspaceWith({ "a": "aaa" });
    expect(await edit(twice, "aa", "b", { path: "a" })).toMatch(/^✗ many-matches: .* 2 times/);
  });

  test("replaces it every time with replace_all [A-153]", async () => {
    const at = await workspaceWith({ "a": "x = 1\ny = x\nprint(x)\n" });
    expect(await edit(at, "x", "count", { path: "a", replace_all: true })).toBe(
      "changed 3 lines of a, in 3 places",
    );
    expect(at.text("a")).toBe("count = 1\ny = count\nprint(count)\n");
  });

  test("shows the lines nearest to one that is not there, so that they can be quoted [A-154]", async () => {
    const at = await workspaceWith({ "cart.py": CART });
    expect(await edit(at, '    """Total with 19 % tax."""\n    return sum(item) * 1.2', "x")).toBe(
      "✗ no-match: old_string is not in cart.py: quote the lines as they are. Nearest to it:\n" +
        '2\t    """Total with 20 % tax."""\n3\t    return sum(items) * 1.2 * 1.2',
    );
    expect(await edit(at, "  return sum(items)  * 1.2 * 1.2", "x")).toBe(
      "✗ no-match: old_string is not in cart.py: quote the lines as they are " +
        "(only white space differs). Nearest to it:\n3\t    return sum(items) * 1.2 * 1.2",
    );
    expect(await edit(at, "    “““Total with 20 % tax.”””", "x")).toMatch(/form of quotes/);
    expect(await edit(at, "3\t    return sum(items) * 1.2 * 1.2", "x")).toBe(
      "✗ no-match: old_string is not in cart.py: leave out the line numbers, which are no part " +
        "of the file",
    );
    expect(await edit(at, "nothing like it", "x")).toBe(
      "✗ no-match: old_string is not in cart.py, and no lines are near to it: read the file again",
    );
    expect(at.text("cart.py")).toBe(CART);
  });

  test("shows the line that has nearly the part that was quoted of one [A-154]", async () => {
    const text =
      "import a\n/** A redactor of named secrets. Those that are short are let through. */\nx\n";
    const at = await workspaceWith({ "a.ts": text });
    const answer = await edit(at, "redacter of named", "x", { path: "a.ts" });
    expect(answer).toContain("2\t/** A redactor of named secrets. Those that are short");
    expect(await edit(at, "of other words", "x", { path: "a.ts" })).toContain("no lines are near");
  });

  test("finds the nearest lines of a large file of lines that are much alike in bounded work", async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `value ${i} is set to ${i * 7}`);
    const at = await workspaceWith({ "a": lines.join("\n") });
    expect(await edit(at, "value 41 is set too 287", "x", { path: "a" })).toContain(
      "42\tvalue 41 is set to 287",
    );
  });

  test("keeps line endings, also of a file that mixes them [A-156]", async () => {
    const at = await workspaceWith({ "a": "one\r\ntwo\r\nthree\r\n", "b": "1\n2\r\n3\n4\n" });
    await edit(at, "two\nthree", "zwei\nzweieinhalb\nthree", { path: "a" });
    expect(at.text("a")).toBe("one\r\nzwei\r\nzweieinhalb\r\nthree\r\n");
    await edit(at, "one", "null\neins", { path: "a" });
    expect(at.text("a")).toBe("null\r\neins\r\nzwei\r\nzweieinhalb\r\nthree\r\n");
    await edit(at, "1\n2\n3", "1\n2\ndrei", { path: "b" });
    expect(at.text("b")).toBe("1\n2\r\ndrei\n4\n");
    await edit(at, "2\r\n", "zwei\r\n", { path: "b" });
    expect(at.text("b")).toBe("1\nzwei\r\ndrei\n4\n");
  });

  test("keeps a byte order mark, a missing newline at the end, and the mode", async () => {
    const at = await workspaceWith({ "a": "\ufeffone\ntwo" });
    chmodSync(join(at.folder, "a"), 0o755);
    await edit(at, "one", "eins", { path: "a" });
    await edit(at, "two", "zwei", { path: "a" });
    expect(readFileSync(join(at.folder, "a"))).toEqual(readFileSync(join(at.folder, "a")));
    expect([...readFileSync(join(at.folder, "a"))]).toEqual([...utf8("\ufeffeins\nzwei")]);
    expect(statSync(join(at.folder, "a")).mode & 0o7777).toBe(0o755);
  });

  test("does not touch quotes, and a text that only looks the same is another [A-151]", async () => {
    const at = await workspaceWith({ "a": "say ‘%s’\n" });
    expect(await edit(at, "say '%s'", "x", { path: "a" })).toMatch(/^✗ no-match/);
    expect(await edit(at, "‘%s’", "'%s' „x“", { path: "a" })).toBe("changed 1 line of a");
    expect(at.text("a")).toBe("say '%s' „x“\n");
  });

  test("leaves a file that is no UTF-8 text as it is to the byte", async () => {
    const latin = Uint8Array.of(0x78, 0x3d, 0x31, 0x0a, 0xe9, 0x0a);
    const at = await workspaceWith({ "a": latin, "b": Uint8Array.of(0xff, 0xfe, 0x78, 0) });
    expect(await edit(at, "x=1", "x=2", { path: "a" })).toBe(
      "✗ not-a-file: a is no UTF-8 text, so it cannot be changed by its lines: use a command for it",
    );
    expect(await edit(at, "x", "y", { path: "b" })).toMatch(/^✗ not-a-file: b is text in UTF-16/);
    expect(new Uint8Array(readFileSync(join(at.folder, "a")))).toEqual(latin);
  });

  test("refuses what changes nothing, and what is not there", async () => {
    const at = await workspaceWith({ "cart.py": CART });
    expect(await edit(at, "tax", "tax")).toMatch(/^✗ argument: new_string is the same/);
    expect(await edit(at, "tax", "\ud800")).toMatch(/^✗ argument: .* half of a character/);
    expect(await edit(at, "x", "y", { path: "none" })).toMatch(/^✗ missing: there is no none/);
    symlinkSync("/etc/passwd", join(at.folder, "l"));
    expect(await edit(at, "root", "toor", { path: "l" })).toMatch(/^✗ outside: /);
  });

  test("shows what it would change, and changes nothing then", async () => {
    const at = await workspaceWith({ "cart.py": CART });
    const input = { path: "cart.py", old_string: " * 1.2 * 1.2", new_string: " * 1.2" };
    const context = { workspace: at.workspace, signal: at.context.signal };
    expect(await editFile.preview?.(context, input)).toEqual([
      { path: "cart.py", before: CART, after: CART.replace(" * 1.2 * 1.2", " * 1.2") },
    ]);
    expect(at.text("cart.py")).toBe(CART);
    await expect(editFile.preview?.(context, { ...input, old_string: "none" })).rejects.toThrow(
      "old_string is not in cart.py",
    );
  });

  test("after its process ended in between knows whether it was made", async () => {
    const at = await workspaceWith({ "a": "x" });
    const input = { path: "a", old_string: "x", new_string: "y" };
    const recover = () => editFile.recover?.(at.context, input, at.notes as never);
    expect(await recover()).toBe("not-made");
    await at.call(editFile, input);
    expect(await recover()).toEqual({ ok: true, text: "changed 1 line of a" });
    writeFileSync(join(at.folder, "a"), "x");
    writeFileSync(join(at.folder, ".sion-0-0.tmp"), "of another");
    expect(await recover()).toBe("not-made");
    expect(readdirSync(at.folder)).toEqual([".sion-0-0.tmp", "a"]);
  });
});

describe("replaceStretch()", () => {
  const line = fc.tuple(fc.constantFrom("", "a", "b", "a b", "é"), fc.constantFrom("\n", "\r\n"));
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.flat().join(""));

  test("changes what it is to change and no byte besides, for any text [A-151 A-153 A-156]", () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.nat(),
        fc.constantFrom("", "X", "X\nY", "a\nX\n", "\n"),
        fc.boolean(),
        (whole, from, length, replacement, everyTime) => {
          const plain = whole.replaceAll("\r\n", "\n");
          const start = plain.length === 0 ? 0 : from % plain.length;
          const old = plain.slice(start, start + 1 + length % 6);
          if (old === "" || old === replacement) return;
          const result = replaceStretch(whole, old, replacement, everyTime);
          const count = plain.split(old).length - 1;
          if (result.found === "several") {
            expect(everyTime).toBe(false);
            return;
          }
          if (result.found !== "replaced") throw new Error("a stretch of the text is in it");
          expect(result.places).toBe(count);
          expect(result.text.replaceAll("\r\n", "\n")).toBe(
            plain.replaceAll(old, () => replacement),
          );
          // What stands before the first place and after the last is the same to the byte.
          const before = whole.slice(0, bytesBefore(whole, plain.indexOf(old)));
          expect(result.text.startsWith(before)).toBe(true);
        },
      ),
    );
  });

  /** The length of what has so many characters when line endings are one character. */
  function bytesBefore(whole: string, plainLength: number): number {
    let at = 0;
    for (let left = plainLength; left > 0; left--) at += whole.startsWith("\r\n", at) ? 2 : 1;
    return at;
  }
});
