import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import type { Keyring } from "#internal/runtime/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import type { CredentialOptions } from "#internal/store/mod.ts";
import { openCredentials } from "#internal/store/mod.ts";
import { runtimeCommand, signalTo, start } from "../e2e/_child.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "sion-credentials-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const VALUE = 'sk-0123456789 with "ö"\nand a line';
const KEY = { name: "OPENAI_API_KEY", value: VALUE, secret: true };
const HOST = { name: "MAIL_HOST", value: "imap.example.com", secret: false };

const opened = (options: Partial<CredentialOptions> = {}) =>
  openCredentials(home, { random: systemRandom, ...options });
const file = () => join(home, "agents/credentials.bin");
const keyFile = () => join(home, "agents/credentials.key");
const mode = (path: string) => statSync(path).mode & 0o777;

/** A keyring in memory. */
function keyringOf(
  failing: () => boolean = () => false,
): Keyring & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const answer = <T>(give: () => T): Promise<T> =>
    failing() ? Promise.reject(new SionError("keyring-failed", "locked")) : Promise.resolve(give());
  return {
    title: "the keyring",
    kept,
    get: (account) => answer(() => kept.get(account)),
    set: (account, secret) => answer(() => void kept.set(account, secret)),
  };
}

describe("openCredentials()", () => {
  test("keeps values encrypted, with a fresh nonce each time, readable by the owner [A-585 A-587]", async () => {
    expect(await opened().all()).toEqual([]);
    expect(existsSync(join(home, "agents"))).toBe(false);
    const kept = await opened().keep(KEY);
    expect(kept).toEqual({ replaced: false, key: { kind: "file", title: keyFile() } });
    await opened().keep(HOST);
    expect(await opened().all()).toEqual([HOST, KEY]);
    const first = readFileSync(file());
    expect(first.toString("latin1")).not.toMatch(/sk-0123|OPENAI|imap/);
    expect([mode(file()), mode(keyFile()), mode(join(home, "agents"))])
      .toEqual([0o600, 0o600, 0o700]);
    expect((await opened().keep(KEY)).replaced).toBe(true);
    const again = readFileSync(file());
    expect(again).toHaveLength(first.length);
    expect(again.subarray(18, 30)).not.toEqual(first.subarray(18, 30));
    expect(await opened().remove("MAIL_HOST")).toBe(true);
    expect(await opened().remove("MAIL_HOST")).toBe(false);
    expect(await opened().all()).toEqual([KEY]);
  });

  test("has its key in the keyring where one answers, and then in no file [A-587]", async () => {
    const keyring = keyringOf();
    const { key } = await opened({ keyring }).keep(KEY);
    expect(key).toEqual({ kind: "keyring", title: "the keyring" });
    expect(existsSync(keyFile())).toBe(false);
    expect(keyring.kept.size).toBe(1);
    expect(await opened({ keyring }).all()).toEqual([KEY]);
    await expect(opened().all()).rejects.toMatchObject({
      code: "credentials-locked",
      message: expect.stringContaining("a keyring that this machine does not have"),
    });
    await expect(opened({ keyring: keyringOf(() => true) }).all()).rejects.toMatchObject({
      code: "credentials-locked",
      message: expect.stringContaining("which does not answer: unlock it"),
    });
    await expect(opened({ keyring: keyringOf() }).keep(HOST)).rejects.toMatchObject({
      code: "credentials-locked",
    });
    // What was there before is as it was.
    expect(await opened({ keyring }).all()).toEqual([KEY]);
  });

  test("has its key in a file when the keyring does not answer, and stays with it", async () => {
    let fails = true;
    const keyring = keyringOf(() => fails);
    expect((await opened({ keyring }).keep(KEY)).key.kind).toBe("file");
    fails = false;
    expect((await opened({ keyring }).keep(HOST)).key.kind).toBe("file");
    expect(await opened({ keyring }).all()).toEqual([HOST, KEY]);
    expect(keyring.kept.size).toBe(0);
  });

  test("refuses a file with any byte changed, cut off or under another key [A-587]", async () => {
    await opened().keep({ ...KEY, value: "secret" });
    const whole = readFileSync(file());
    for (let at = 0; at < whole.length; at++) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(file(), changed);
      await expect(opened().all(), `byte ${at}`).rejects.toMatchObject({
        code: expect.stringMatching(/^credentials-(damaged|locked)$/),
      });
      writeFileSync(file(), whole.subarray(0, at));
      await expect(opened().all(), `cut at ${at}`).rejects.toMatchObject({
        code: "credentials-damaged",
      });
    }
    writeFileSync(file(), whole);
    writeFileSync(keyFile(), `${"0".repeat(64)}\n`);
    await expect(opened().all()).rejects.toMatchObject({
      code: "credentials-damaged",
      message: `${file()} cannot be opened, it is damaged, or its key is another: restore it, or ` +
        "remove it and add the credentials anew",
    });
    // Nothing is written over what cannot be read.
    await expect(opened().keep(KEY)).rejects.toMatchObject({ code: "credentials-damaged" });
    expect(readFileSync(file())).toEqual(whole);
    rmSync(keyFile());
    await expect(opened().all()).rejects.toMatchObject({ code: "credentials-locked" });
  });

  test("reads neither file when others may", async () => {
    await opened().keep(KEY);
    for (const path of [file(), keyFile()]) {
      chmodSync(path, 0o640);
      await expect(opened().all()).rejects.toMatchObject({ code: "file-exposed" });
      chmodSync(path, 0o600);
    }
    expect(await opened().all()).toEqual([KEY]);
  });

  test.each([
    ["credential-name", { ...KEY, name: "a b" }, /^"a b" is no name for a credential: /],
    ["credential-name", { ...KEY, name: "__proto__".repeat(20) }, /^"__proto__.*…" is no name/],
    ["credential-value", { ...KEY, value: "" }, /^the value of OPENAI_API_KEY is empty: give one$/],
    ["credential-value", { ...KEY, value: "ö".repeat(9_000) }, /has 18000 bytes: at most 16384 /],
  ])("refuses what it does not keep: %s [A-586]", async (code, credential, message) => {
    const refused = opened().keep(credential);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(existsSync(file())).toBe(false);
  });

  test("keeps what two processes add at once, each [A-585]", async () => {
    const run = (name: string) => start(runtimeCommand("_credentials_child.ts", home, name, "10"));
    const ends = await Promise.all(["A", "B"].map((name) => run(name).ended));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual([[0, ""], [0, ""]]);
    const names = (await opened().all()).map(({ name }) => name);
    expect(names).toEqual(["A", "B"].flatMap((name) => [0, 1, 2, 3, 4].map((n) => `${name}_${n}`)));
  });

  test("has all that was told to be kept when its process is killed [A-585]", async () => {
    for (const lines of [1, 4, 9]) {
      const name = `K${lines}`;
      const child = start(runtimeCommand("_credentials_child.ts", home, name, "100000"));
      await child.until(() => child.stdout().split("\n").length > lines);
      signalTo(child, "SIGKILL");
      const { stdout } = await child.ended;
      const told = new Map(
        stdout.trim().split("\n").map((line) => line.split("=") as [string, string]),
      );
      const kept = new Map((await opened().all()).map((one) => [one.name, one.value]));
      for (const [name, n] of told) {
        expect(Number(/value (\d+) /.exec(kept.get(name) ?? "")?.[1])).toBeGreaterThanOrEqual(
          Number(n),
        );
      }
    }
  });
});
