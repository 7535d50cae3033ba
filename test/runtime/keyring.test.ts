/** The system's keyring: a real one where Debian's is installed, and stand-ins for other systems. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startChild, systemKeyring } from "#internal/runtime/mod.ts";
import type { Child, Keyring } from "#internal/runtime/mod.ts";
import { needs } from "../parts.ts";

const SECRET = "5e".repeat(32);

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-keyring-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A bus of its own with an unlocked keyring on it, until its input ends. */
async function startSession(): Promise<{ readonly child: Child; readonly env: NodeJS.ProcessEnv }> {
  const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: join(folder, "run") };
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const script = "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null && " +
    'echo "$DBUS_SESSION_BUS_ADDRESS" && cat';
  const child = await startChild({
    command: "dbus-run-session",
    args: ["--", "sh", "-c", script],
    env,
    stderr: "ignore",
  });
  const [address] = await once(child.stdout, "data") as [Uint8Array];
  return {
    child,
    env: { ...env, DBUS_SESSION_BUS_ADDRESS: new TextDecoder().decode(address).trim() },
  };
}

/** A program of that name which writes down what it was given, and does what the script says. */
async function standIn(name: string, platform: string, script: string): Promise<Keyring> {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "$@" >> "${folder}/args"\n${script}\n`);
  chmodSync(path, 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const keyring = await systemKeyring(env, platform);
  if (keyring === undefined) throw new Error("there is no keyring");
  return keyring;
}

describe.skipIf(!needs("keyring", "a real keyring under the key of kept credentials"))(
  "libsecret's keyring",
  () => {
    test("keeps a secret, replaces it, and has none that was not kept [A-587]", async () => {
      const { child, env } = await startSession();
      try {
        const keyring = await systemKeyring(env, "linux");
        expect(await keyring?.get("home-1")).toBe(undefined);
        await keyring?.set("home-1", SECRET);
        await keyring?.set("home-2", "ab");
        expect(await keyring?.get("home-1")).toBe(SECRET);
        await keyring?.set("home-1", "cd");
        expect([await keyring?.get("home-1"), await keyring?.get("home-2")]).toEqual(["cd", "ab"]);
      } finally {
        child.stdin.end();
        await child.stop();
      }
    });

    test("says what its program says where nobody runs it", async () => {
      const env = { PATH: process.env["PATH"], HOME: folder };
      const keyring = await systemKeyring(env, "linux");
      await expect(keyring?.get("home-1")).rejects.toMatchObject({
        code: "keyring-failed",
        message: expect.stringMatching(/^the keyring does not answer \(secret-tool: .+\): unlock/),
      });
    });
  },
);

describe("systemKeyring()", () => {
  test("hands macOS's program the secret through standard input, never as an argument", async () => {
    const keyring = await standIn(
      "security",
      "darwin",
      `if [ "$1" = -i ]; then cat > "${folder}/input"; exit 0; fi\n` +
        `[ "$3" = none ] && exit 44; echo ${SECRET}`,
    );
    await keyring.set("home-1", SECRET);
    expect(await keyring.get("home-1")).toBe(SECRET);
    expect(await keyring.get("none")).toBe(undefined);
    expect(readFileSync(join(folder, "args"), "utf8")).not.toContain(SECRET);
    expect(readFileSync(join(folder, "input"), "utf8")).toBe(
      `add-generic-password -U -a home-1 -s sion -l "sion credentials" -w ${SECRET}\n`,
    );
  });

  test("is an error with the program's words when it fails", async () => {
    const keyring = await standIn("security", "darwin", "echo locked out >&2; exit 51");
    await expect(keyring.set("a", "b")).rejects.toMatchObject({
      code: "keyring-failed",
      message:
        "the login keychain does not answer (locked out): unlock it, or log in where it runs",
    });
  });

  test("is none where there is no program, it is turned off, or a folder is not absolute", async () => {
    await standIn("secret-tool", "linux", "");
    const off = { PATH: folder, SION_KEYRING: "off" };
    expect(await systemKeyring(off, "linux")).toBe(undefined);
    expect(await systemKeyring({ PATH: join(folder, "none") }, "linux")).toBe(undefined);
    expect(await systemKeyring({ PATH: "." }, "linux")).toBe(undefined);
    expect(await systemKeyring({ PATH: folder }, "win32")).toBe(undefined);
  });
});
