import { Buffer } from "node:buffer";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentToolContext } from "#internal/agent/mod.ts";
import { utf8 } from "#internal/core/mod.ts";
import { isDeno } from "#internal/runtime/mod.ts";
import { readFile } from "../../internal/agent/tools/read_file.ts";
import { writeFile } from "../../internal/agent/tools/write_file.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import type { Workspace } from "../../internal/agent/workspace.ts";
import { checkWorkspace } from "../../internal/agent/workspace_check.ts";
import { fakeLedger, testFolder } from "./_machine.ts";

interface Place {
  readonly folder: string;
  readonly inside: string;
  readonly outside: string;
  readonly workspace: Workspace;
  readonly context: AgentToolContext;
  readText(path: string, range?: { offset?: number; limit?: number }): Promise<string>;
  write(path: string, content: string): Promise<string>;
}

async function place(): Promise<Place> {
  const folder = testFolder();
  const inside = join(folder, "work");
  const outside = join(folder, "out");
  mkdirSync(inside);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
  const workspace = await openWorkspace(inside);
  const context: AgentToolContext = {
    signal: new AbortController().signal,
    session: "5".repeat(16),
    call: "1.1",
    outside: [],
    ledger: fakeLedger(),
    workspace,
    services: {},
    note: () => {},
  };
  const textOf = (result: Awaited<ReturnType<typeof readFile.run>>) => {
    return result.ok ? result.text : `✗ ${result.code}: ${result.message}`;
  };
  return {
    folder,
    inside,
    outside,
    workspace,
    context,
    readText: async (path, range = {}) => textOf(await readFile.run(context, { path, ...range })),
    write: async (path, content) => textOf(await writeFile.run(context, { path, content })),
  };
}

describe("paths", () => {
  test.each([
    "../out/secret",
    "a/../../out/secret",
    "/etc/passwd",
    "/proc/self/environ",
    "..",
    "./../out/secret",
    "link/secret",
    "filelink",
    "deep/../link/secret",
    "absolute/secret",
    "escape/secret",
  ])("that lead outside are refused, reading and writing: %s [A-150]", async (path) => {
    const { inside, outside, readText, write } = await place();
    mkdirSync(join(inside, "a"));
    mkdirSync(join(inside, "deep"));
    symlinkSync("../out", join(inside, "link"));
    symlinkSync("../out/secret", join(inside, "filelink"));
    symlinkSync(outside, join(inside, "absolute"));
    symlinkSync("deep/../../out", join(inside, "escape"));
    expect(await readText(path)).toMatch(/^✗ outside: .* is outside the workspace/);
    expect(await write(path, "owned")).toMatch(/^✗ outside: /);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
  });

  test("through a dangling link out of the workspace make nothing there", async () => {
    const { inside, outside, write } = await place();
    symlinkSync(join(outside, "new"), join(inside, "dangling"));
    symlinkSync("../out", join(inside, "l"));
    expect(await write("dangling", "x")).toMatch(/^✗ outside: /);
    expect(await write("l/newdir/f", "x")).toMatch(/^✗ outside: /);
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  test("through links that stay inside work", async () => {
    const { inside, readText, write } = await place();
    mkdirSync(join(inside, "src", "deep"), { recursive: true });
    writeFileSync(join(inside, "src", "a.txt"), "A\n");
    symlinkSync("src", join(inside, "l"));
    symlinkSync("../a.txt", join(inside, "src", "deep", "up"));
    symlinkSync(join(inside, "src"), join(inside, "whole"));
    symlinkSync("l/deep/up", join(inside, "chain"));
    expect(await readText("l/a.txt")).toBe("1\tA");
    expect(await readText("l/deep/up")).toBe("1\tA");
    expect(await readText("whole/a.txt")).toBe("1\tA");
    expect(await readText("chain")).toBe("1\tA");
    expect(await write("chain", "B\n")).toBe("wrote 2 bytes to chain");
    expect(readFileSync(join(inside, "src", "a.txt"), "utf8")).toBe("B\n");
    expect(await readText("src/../src/./a.txt")).toBe("1\tB");
  });

  test("of any shape never touch what is outside", async () => {
    const { folder, inside, outside, readText, write } = await place();
    mkdirSync(join(inside, "a", "b"), { recursive: true });
    symlinkSync("../../out", join(inside, "a", "up"));
    symlinkSync(outside, join(inside, "far"));
    symlinkSync("a/b", join(inside, "near"));
    const part = fc.constantFrom(
      "..",
      ".",
      "",
      "a",
      "b",
      "up",
      "far",
      "near",
      "secret",
      "out",
      "f",
    );
    const path = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(path, async (name) => {
        expect(await readText(name)).not.toBe("1\tsecret");
        await write(name, "owned");
        expect(readdirSync(outside)).toEqual(["secret"]);
        expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
        expect(readdirSync(folder).sort()).toEqual(["out", "work"]);
      }),
      { numRuns: 150 },
    );
  });

  test("that go round in links end", async () => {
    const { inside, readText } = await place();
    symlinkSync("b", join(inside, "a"));
    symlinkSync("a", join(inside, "b"));
    expect(await readText("a")).toBe("✗ path: a goes round in links");
  });

  test("with a zero byte, empty, or to a folder are refused", async () => {
    const { inside, readText, write } = await place();
    mkdirSync(join(inside, "d"));
    expect(await readText("a\0b")).toMatch(/^✗ path: /);
    expect(await readText("d")).toBe("✗ not-a-file: d is a folder, not a file");
    expect(await readText(".")).toBe("✗ not-a-file: . is a folder, not a file");
    expect(await write("d", "x")).toBe("✗ not-a-file: d is a folder, not a file");
    expect(await write("new/", "x")).toBe("✗ not-a-file: new/ is a folder, not a file");
    expect(await readText("none/at/all")).toBe(
      "✗ missing: there is no none/at/all in the workspace",
    );
  });

  test("to pipes and devices are refused without opening them", async () => {
    const { inside, readText, write } = await place();
    execFileSync("/usr/bin/env", ["mkfifo", join(inside, "pipe")]);
    expect(await readText("pipe")).toBe("✗ not-a-file: pipe is a pipe, not a file");
    expect(await write("pipe", "x")).toBe("✗ not-a-file: pipe is a pipe, not a file");
    symlinkSync("/dev/zero", join(inside, "zero"));
    expect(await readText("zero")).toMatch(/^✗ outside: /);
  });

  test("to a file with another name outside leave that one's bytes alone", async () => {
    const { inside, outside, write } = await place();
    linkSync(join(outside, "secret"), join(inside, "hard"));
    expect(await write("hard", "new")).toBe("wrote 3 bytes to hard");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(readFileSync(join(inside, "hard"), "utf8")).toBe("new");
  });

  test("of the whole machine that are inside mean the workspace, as the shell's do", async () => {
    const { inside, readText, write } = await place();
    expect(await write(join(inside, "a.txt"), "A")).toMatch(/^wrote 1 byte to /);
    expect(await readText("/workspace/a.txt")).toBe("1\tA");
    expect(await readText("/workspace")).toMatch(/^✗ not-a-file: /);
    expect(await readText("/workspaces/a.txt")).toMatch(/^✗ outside: /);
    expect(await readText("/workspace/../out/secret")).toMatch(/^✗ outside: /);
  });

  test("stay inside while a folder on the way is swapped for a link 10,000 times [A-150 A-176]", async () => {
    const { inside, outside, workspace } = await place();
    mkdirSync(join(inside, "real"));
    symlinkSync("../out", join(inside, "bad"));
    const code = `
      import { renameSync, rmSync } from "node:fs";
      const move = (from, to) => {
        for (;;) {
          try { return renameSync(from, to); } catch {}
          try { rmSync(to, { recursive: true, force: true }); } catch {}
        }
      };
      for (let i = 0; i < 5000; i++) {
        move("real", "aside"); move("bad", "real"); move("real", "bad"); move("aside", "real");
      }`;
    const args = isDeno ? ["eval", code] : ["--input-type=module", "-e", code];
    const swapper = spawn(process.execPath, args, { cwd: inside, stdio: "inherit" });
    let swapping = true;
    const ended = once(swapper, "exit").then(([status]) => {
      swapping = false;
      return status as number;
    });
    const ends = { written: 0, refused: 0, read: 0 };
    while (swapping) {
      await workspace.change([{ kind: "write", path: "real/f", bytes: utf8("x") }], { id: "1" })
        .then(
          () => ends.written++,
          () => ends.refused++,
        );
      const file = await workspace.openFile("real/secret").catch(() => undefined);
      await file?.handle.close();
      if (file !== undefined) ends.read++;
    }
    expect(await ended).toBe(0);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(ends.written + ends.refused).toBeGreaterThan(0);
    expect(ends.read).toBe(0);
  });
});

describe("write_file", () => {
  test("keeps the mode of a file and leaves nothing beside it [A-149]", async () => {
    const { inside, write } = await place();
    writeFileSync(join(inside, "run.sh"), "old");
    chmodSync(join(inside, "run.sh"), 0o750);
    expect(await write("run.sh", "#!/bin/sh\n")).toBe("wrote 10 bytes to run.sh");
    expect(statSync(join(inside, "run.sh")).mode & 0o7777).toBe(0o750);
    expect(readdirSync(inside)).toEqual(["run.sh"]);
  });

  test("counts bytes, not characters, and makes folders [A-149]", async () => {
    const { inside, write } = await place();
    expect(await write("a/b/c.txt", "é€😀")).toBe("wrote 9 bytes to a/b/c.txt");
    expect(readFileSync(join(inside, "a/b/c.txt"), "utf8")).toBe("é€😀");
    expect(await write("one", "1")).toBe("wrote 1 byte to one");
    expect(await write("half", "\ud800")).toMatch(/^✗ argument: /);
  });
});

describe("read_file", () => {
  test("numbers lines and reads a stretch of them [A-171 A-172 A-173]", async () => {
    const { inside, readText } = await place();
    writeFileSync(join(inside, "a"), "one\ntwo\nthree\nfour");
    expect(await readText("a")).toBe("1\tone\n2\ttwo\n3\tthree\n4\tfour");
    expect(await readText("a", { offset: 2, limit: 2 })).toBe(
      "2\ttwo\n3\tthree\n(a: it goes on after line 3: read on with offset 4)",
    );
    expect(await readText("a", { offset: 9 })).toBe(
      "✗ argument: a has 4 lines: give a lower offset",
    );
    writeFileSync(join(inside, "empty"), "");
    expect(await readText("empty")).toBe("empty is empty");
    writeFileSync(join(inside, "crlf"), "a\r\nb\r\n");
    expect(await readText("crlf")).toBe("1\ta\n2\tb\n(crlf: its lines end in CRLF)");
  });

  test("does not show what is no text", async () => {
    const { inside, readText } = await place();
    writeFileSync(join(inside, "bin"), Uint8Array.of(1, 0, 2));
    writeFileSync(join(inside, "latin1"), Uint8Array.of(0x63, 0xe9, 0x0a));
    expect(await readText("bin")).toBe(
      "✗ binary: bin is no text (3 bytes), so it is not shown",
    );
    expect(await readText("latin1")).toMatch(/^✗ binary: /);
    writeFileSync(join(inside, "utf16"), Uint8Array.of(0xff, 0xfe, 0x41, 0));
    expect(await readText("utf16")).toBe(
      "✗ binary: utf16 is text in UTF-16 (4 bytes), so it is not shown",
    );
    writeFileSync(join(inside, "a.pdf"), "%PDF-1.7");
    expect(await readText("a.pdf")).toMatch(/^✗ binary: a.pdf is a PDF document/);
  });

  test("shows a picture as one, and says which file a link led to", async () => {
    const { inside, context } = await place();
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7);
    writeFileSync(join(inside, "a.png"), png);
    expect(await readFile.run(context, { path: "a.png" })).toEqual({
      ok: true,
      text: "a.png is a PNG picture (9 bytes)",
      content: [{
        type: "image",
        data: Buffer.from(png).toString("base64"),
        mimeType: "image/png",
      }],
      shown: ["a.png"],
    });
    mkdirSync(join(inside, "d"));
    writeFileSync(join(inside, "d", "secret.txt"), "s");
    symlinkSync("d", join(inside, "l"));
    symlinkSync("l/secret.txt", join(inside, "plain.txt"));
    expect(await readFile.run(context, { path: "plain.txt" })).toMatchObject({
      shown: ["d/secret.txt"],
    });
  });

  test("leaves no folder behind of a path that leads outside, nor of one that comes back", async () => {
    const { inside, write } = await place();
    const before = readdirSync(inside);
    expect(await write("a/../../x", "x")).toMatch(/^✗ outside: /);
    expect(await write("a/b/../../../x", "x")).toMatch(/^✗ outside: /);
    expect(readdirSync(inside)).toEqual(before);
    expect(await write("a/../b/../c/x", "x")).toMatch(/^wrote 1 byte/);
    expect(readdirSync(inside).toSorted()).toEqual([...before, "c"].toSorted());
  });

  test("bounds what it gives of long files and long lines", async () => {
    const { inside, readText } = await place();
    writeFileSync(join(inside, "long"), `${"x".repeat(3_000_000)}\nshort\n`);
    const text = await readText("long");
    expect(text).toBe(`1\t${"x".repeat(2_000)}… (2998000 more characters)\n2\tshort`);
    writeFileSync(join(inside, "many"), "é".repeat(50).concat("\n").repeat(5_000));
    const many = await readText("many");
    expect(many.length).toBeLessThan(62_000);
    const next = Number(/offset (\d+)\)$/.exec(many)?.[1]);
    expect((await readText("many", { offset: next })).startsWith(`${next}\té`)).toBe(true);
  });
});

describe("checkWorkspace()", () => {
  const check = (folder: string, home: string, cwd: string) =>
    checkWorkspace({ folder, home, cwd, env: { HOME: cwd } });

  test("refuses a workspace over or in the home, word for word [A-136 A-137 A-138 A-139 A-140]", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, ".sion", "wallets"), { recursive: true });
    const home = join(folder, ".sion");
    await expect(check(`${home}/..`, home, folder)).rejects.toThrow(
      "the workspace ~/.sion/.. and ~/.sion (wallets, sessions, skills) overlap: " +
        "give a workspace apart from it",
    );
    await expect(check(`${home}/wallets`, home, folder)).rejects.toThrow("overlap");
    await expect(check(home, home, folder)).rejects.toThrow("overlap");
    await expect(check("/", home, folder)).rejects.toThrow("overlap");
    symlinkSync(home, join(folder, "alias"));
    await expect(check("alias", home, folder)).rejects.toThrow("overlap");
    symlinkSync(home, join(folder, "home-alias"));
    await expect(check(home, join(folder, "home-alias", "deeper"), folder)).rejects.toThrow(
      "overlap",
    );
  });

  test("refuses what a part of the home is a link to, and a wallet that lies in the workspace", async () => {
    const folder = testFolder();
    const home = join(folder, ".sion");
    for (const name of ["keys", "work"]) mkdirSync(join(folder, name));
    mkdirSync(home);
    symlinkSync(join(folder, "keys"), join(home, "wallets"));
    await expect(check("keys", home, folder)).rejects.toThrow("overlap");
    expect(await check("work", home, folder)).toMatch(/work$/);
    writeFileSync(join(folder, "work", "alice"), "");
    symlinkSync(join(folder, "work", "alice"), join(folder, "keys", "alice"));
    await expect(check("work", home, folder)).rejects.toThrow("overlap");
  });

  test("refuses what overlaps with the skills, wherever they are [A-141 A-143]", async () => {
    const folder = testFolder();
    const home = join(folder, ".sion");
    mkdirSync(join(home, "agents"), { recursive: true });
    mkdirSync(join(folder, "shared", "skills", "word-count"), { recursive: true });
    expect(await check("shared", home, folder)).toMatch(/shared$/);
    symlinkSync(join(folder, "shared", "skills"), join(home, "agents", "skills"));
    for (const path of ["shared", "shared/skills", "shared/skills/word-count"]) {
      await expect(check(path, home, folder), path).rejects.toThrow(
        `the workspace ${path} and ~/.sion (wallets, sessions, skills) overlap`,
      );
    }
  });

  test("refuses the directory of an MCP server likewise, in words of its own [A-142]", async () => {
    const folder = testFolder();
    const home = join(folder, ".sion");
    const use = { name: "directory of MCP server notes", option: "--dir" };
    mkdirSync(join(home, "agents", "skills", "word-count"), { recursive: true });
    mkdirSync(join(folder, "notes"));
    const checkDir = (path: string) =>
      checkWorkspace({ folder: path, home, cwd: folder, env: { HOME: folder }, use });
    expect(await checkDir("notes")).toMatch(/notes$/);
    for (const path of [".sion/agents/skills", ".sion/agents/skills/word-count", "."]) {
      await expect(checkDir(path), path).rejects.toThrow(
        `the directory of MCP server notes ${path === "." ? "." : path} and ~/.sion (wallets, ` +
          "sessions, skills) overlap: give a directory apart from it",
      );
    }
    await expect(checkDir("none")).rejects.toThrow(
      "there is no folder none: make it, or give another --dir",
    );
  });

  test("refuses a devnet's folder, what lies in it, and the folder that it is in", async () => {
    const folder = testFolder();
    const home = join(folder, ".sion");
    mkdirSync(join(folder, "place", "chain", "validator-0"), { recursive: true });
    writeFileSync(join(folder, "place", "chain", "genesis.json"), "{}");
    expect(await check("place", home, folder)).toMatch(/place$/);
    writeFileSync(join(folder, "place", "chain", "validator-0", "key.json"), "{}");
    for (const path of ["place/chain", "place/chain/validator-0", "place"]) {
      await expect(check(path, home, folder)).rejects.toThrow(
        `the workspace ${path} and a devnet's folder (validators' keys) overlap`,
      );
    }
  });

  test("takes a folder apart from it, also one whose name only begins alike", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, ".sion"));
    mkdirSync(join(folder, ".sion-work"));
    expect(await check(".sion-work", join(folder, ".sion"), folder)).toMatch(/\.sion-work$/);
    await expect(check("nowhere", join(folder, ".sion"), folder)).rejects.toThrow(
      "there is no folder nowhere",
    );
    writeFileSync(join(folder, "file"), "");
    await expect(check("file", join(folder, ".sion"), folder)).rejects.toThrow("file is no folder");
  });
});
