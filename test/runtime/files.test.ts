import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { utf8, utf8Text } from "#internal/core/mod.ts";
import {
  displayPath,
  ensureFolder,
  readFileIfThere,
  readPrivateFile,
  removeFile,
  sionHome,
  writeFileAtomic,
  writeNewFile,
} from "#internal/runtime/mod.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sion-files-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe("writeFileAtomic()", () => {
  test("writeFileAtomic() replaces a file, 0600 whatever it was, and leaves no other behind", async () => {
    const path = join(folder, "a");
    await writeFile(path, "old");
    await chmod(path, 0o644);
    await writeFileAtomic(path, utf8("new"));
    expect(utf8Text((await readFileIfThere(path)) as Uint8Array)).toBe("new");
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(folder)).toEqual(["a"]);
  });

  test("writeFileAtomic() that fails leaves nothing behind", async () => {
    const path = join(folder, "taken");
    await ensureFolder(join(path, "inside"));
    await expect(writeFileAtomic(path, utf8("x"))).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["taken"]);
  });
});

describe("writeNewFile()", () => {
  test("writeNewFile() never replaces, even when many write at once", async () => {
    const path = join(folder, "seed");
    const tries = Array.from({ length: 8 }, (_, i) => writeNewFile(path, utf8(`seed ${i}`)));
    const done = await Promise.allSettled(tries);
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const winner = done.findIndex(({ status }) => status === "fulfilled");
    expect(utf8Text((await readFileIfThere(path)) as Uint8Array)).toBe(`seed ${winner}`);
    expect(await readdir(folder)).toEqual(["seed"]);
    await expect(writeNewFile(path, utf8("x"))).rejects.toMatchObject({ code: "file-exists" });
  });
});

describe("readPrivateFile()", () => {
  test.each([
    [0o644, "others can read ~/k (mode 0644): run `chmod 600 ~/k`"],
    [0o640, "others can read ~/k (mode 0640): run `chmod 600 ~/k`"],
    [0o602, "others can write ~/k (mode 0602): run `chmod 600 ~/k`"],
  ])("readPrivateFile() refuses mode %o with the way out [L-606]", async (mode, message) => {
    const path = join(folder, "k");
    await writeFile(path, "secret");
    await chmod(path, mode);
    await expect(readPrivateFile(path, "~/k")).rejects.toMatchObject({
      code: "file-exposed",
      message,
    });
  });

  test("readPrivateFile() judges the file that a link leads to [L-606]", async () => {
    const path = join(folder, "k");
    await writeFile(path, "secret");
    await chmod(path, 0o644);
    await symlink(path, join(folder, "link"));
    await expect(readPrivateFile(join(folder, "link"))).rejects.toMatchObject({
      code: "file-exposed",
    });
  });

  test("readPrivateFile() reads an owner's file, and a missing one is undefined", async () => {
    const path = join(folder, "k");
    await writeFileAtomic(path, utf8("secret"));
    expect(utf8Text((await readPrivateFile(path)) as Uint8Array)).toBe("secret");
    expect(await readPrivateFile(join(folder, "none"))).toBeUndefined();
    expect(await removeFile(path)).toBe(true);
    expect(await removeFile(path)).toBe(false);
  });

  test("readFileIfThere() reads files only: no folder, device, pipe or link to nothing", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await symlink("/dev/zero", join(folder, "zeros"));
    await symlink(join(folder, "none"), join(folder, "dangling"));
    await expect(readFileIfThere(pipe)).rejects.toThrow(`${pipe} is no file`);
    await expect(readFileIfThere(join(folder, "zeros"))).rejects.toThrow("is no file");
    await expect(readPrivateFile(folder)).rejects.toThrow(`${folder} is a folder`);
    await expect(readPrivateFile(join(folder, "dangling"))).rejects.toMatchObject({
      code: "file-unfit",
      message: `${join(folder, "dangling")} is a link that leads nowhere: mend it`,
    });
  });

  test("readFileIfThere() reads no file beyond its bound", async () => {
    const path = join(folder, "large");
    await writeFileAtomic(path, new Uint8Array(5_000));
    expect(await readFileIfThere(path)).toHaveLength(5_000);
    await expect(readFileIfThere(path, { mostBytes: 4_999 })).rejects.toThrow("has 5000 bytes");
    await expect(readPrivateFile(path)).rejects.toMatchObject({ code: "file-unfit" });
  });
});

describe("sionHome()", () => {
  test("sionHome() is SION_HOME made absolute, else ~/.sion [A-147]", () => {
    expect(sionHome({ SION_HOME: "/data/x/../y" })).toBe("/data/y");
    expect(sionHome({ HOME: "/home/ann" })).toBe("/home/ann/.sion");
    expect(sionHome({ HOME: "/home/ann", SION_HOME: "" })).toBe("/home/ann/.sion");
  });

  test("displayPath() writes the home folder as ~ and no folder that only begins like it", () => {
    const env = { HOME: "/home/ann" };
    expect(displayPath("/home/ann/.sion/devnet", env)).toBe("~/.sion/devnet");
    expect(displayPath("/home/anna/x", env)).toBe("/home/anna/x");
  });
});
