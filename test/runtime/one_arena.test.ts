import { spawn } from "node:child_process";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isDeno } from "#internal/runtime/mod.ts";

const PROGRAM = fileURLToPath(new URL("./_one_arena.ts", import.meta.url));

/** What the program says, started with a word that has a space, in this environment besides. */
async function started(more: Readonly<Record<string, string>>, channel: boolean = false) {
  const options = isDeno ? ["run", "-A"] : ["--stack-size=900"];
  const { MALLOC_ARENA_MAX: _, ...env } = process.env;
  const child = spawn(process.execPath, [...options, PROGRAM, "a word", "--flag"], {
    env: { ...env, SION_HOME: "/x y", ...more },
    stdio: channel ? ["ignore", "pipe", "inherit", "ipc"] : ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("there is no output");
  const said: unknown = JSON.parse(await text(child.stdout));
  return { said, pid: child.pid };
}

/** How it was started, whatever it did about it. */
const SAME = {
  words: ["a word", "--flag"],
  options: isDeno ? [] : ["--stack-size=900"],
  home: "/x y",
};

describe("beginWithOneArena()", () => {
  test("beginWithOneArena() has the process begin anew with its id, words and options, once, on Linux's Node", async () => {
    const { said, pid } = await started({});
    const arenas = isDeno || process.platform !== "linux" ? null : "1";
    expect(said).toEqual({ ...SAME, pid, arenas });
  });

  test("beginWithOneArena() leaves what the environment says of arenas", async () => {
    const { said, pid } = await started({ MALLOC_ARENA_MAX: "3" });
    expect(said).toEqual({ ...SAME, pid, arenas: "3" });
  });

  test("beginWithOneArena() leaves a process that its parent has a channel to", async () => {
    const { said, pid } = await started({}, true);
    expect(said).toEqual({ ...SAME, pid, arenas: null });
  });
});
