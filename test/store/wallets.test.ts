import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWallets, parseSeed } from "#internal/store/mod.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const seed = new Uint8Array(32).fill(7);

describe("openWallets()", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "sion-wallets-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("Wallets.keep() writes a file that only its owner can read [L-606]", async () => {
    const wallets = openWallets(home);
    expect(await wallets.list()).toEqual([]);
    await wallets.keep("robot-7", seed);
    expect(statSync(join(home, "wallets", "robot-7")).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "wallets")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(home, "wallets", "robot-7"), "utf8")).toBe(`${"07".repeat(32)}\n`);
    expect(await wallets.seed("robot-7")).toEqual(seed);
    expect(await wallets.list()).toEqual(["robot-7"]);
    expect(readdirSync(join(home, "wallets"))).toEqual(["robot-7"]);
  });

  it("Wallets.keep() never replaces a wallet [L-606]", async () => {
    const wallets = openWallets(home);
    await wallets.keep("alice", seed);
    await expect(wallets.keep("alice", new Uint8Array(32))).rejects.toThrow(
      /there is a wallet alice/,
    );
    expect(await wallets.seed("alice")).toEqual(seed);
  });

  it("Wallets.seed() answers undefined for a wallet without a file [L-066]", async () => {
    expect(await openWallets(home).seed("alice")).toBeUndefined();
  });

  it("Wallets.seed() refuses a file that others can read, and says how to fix it [L-606]", async () => {
    const wallets = openWallets(home, (path) => path.replace(home, "~/.sion"));
    await wallets.keep("alice", seed);
    chmodSync(join(home, "wallets", "alice"), 0o644);
    await expect(wallets.seed("alice")).rejects.toThrow(
      "others can read ~/.sion/wallets/alice (mode 0644): run `chmod 600 ~/.sion/wallets/alice`",
    );
  });

  it("Wallets.seed() refuses a damaged file instead of using it", async () => {
    const wallets = openWallets(home);
    await wallets.keep("alice", seed);
    writeFileSync(join(home, "wallets", "alice"), "0707");
    await expect(wallets.seed("alice")).rejects.toThrow(
      /holds no seed: a seed is 64 hex digits/,
    );
  });

  it.each(["", "../alice", "a/b", ".hidden", "a b", "é", "-x", "x".repeat(65), "ab".repeat(32)])(
    "Wallets.keep() and seed() refuse the name %j [L-610]",
    async (name) => {
      const wallets = openWallets(home);
      await expect(wallets.keep(name, seed)).rejects.toThrow(/is no wallet name/);
      await expect(wallets.seed(name)).rejects.toThrow(/is no wallet name/);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it("parseSeed() takes 64 hex digits with white space around, and nothing else", () => {
    expect(parseSeed(bytes(` ${"07".repeat(32)}\r\n`), "x")).toEqual(seed);
    for (const bad of ["", "07", `${"07".repeat(32)}00`, "zz".repeat(32)]) {
      expect(() => parseSeed(bytes(bad), "standard input")).toThrow(
        /^standard input holds no seed/,
      );
    }
  });
});
