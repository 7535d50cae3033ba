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

const seed = new Uint8Array(32).fill(7);

describe("openWallets()", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "sion-wallets-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("Wallets.keep() writes a file that only its owner can read [L-606]", () => {
    const wallets = openWallets(home);
    expect(wallets.list()).toEqual([]);
    wallets.keep("robot-7", seed);
    expect(statSync(join(home, "wallets", "robot-7")).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "wallets")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(home, "wallets", "robot-7"), "utf8")).toBe(`${"07".repeat(32)}\n`);
    expect(wallets.seed("robot-7")).toEqual(seed);
    expect(wallets.list()).toEqual(["robot-7"]);
    expect(readdirSync(join(home, "wallets"))).toEqual(["robot-7"]);
  });

  it("Wallets.keep() never replaces a wallet [L-606]", () => {
    const wallets = openWallets(home);
    wallets.keep("alice", seed);
    expect(() => wallets.keep("alice", new Uint8Array(32))).toThrow(/there is a wallet alice/);
    expect(wallets.seed("alice")).toEqual(seed);
  });

  it("Wallets.seed() answers undefined for a wallet without a file [L-066]", () => {
    expect(openWallets(home).seed("alice")).toBeUndefined();
  });

  it("Wallets.seed() refuses a file that others can read, and says how to fix it [L-606]", () => {
    const wallets = openWallets(home, (path) => path.replace(home, "~/.sion"));
    wallets.keep("alice", seed);
    chmodSync(join(home, "wallets", "alice"), 0o644);
    expect(() => wallets.seed("alice")).toThrow(
      "others can read ~/.sion/wallets/alice (mode 0644): run `chmod 600 ~/.sion/wallets/alice`",
    );
  });

  it("Wallets.seed() refuses a damaged file instead of using it", () => {
    const wallets = openWallets(home);
    wallets.keep("alice", seed);
    writeFileSync(join(home, "wallets", "alice"), "0707");
    expect(() => wallets.seed("alice")).toThrow(/holds no seed: a seed is 64 hex digits/);
  });

  it.each(["", "../alice", "a/b", ".hidden", "a b", "é", "-x", "a".repeat(65), "ab".repeat(32)])(
    "Wallets.keep() and seed() refuse the name %j [L-610]",
    (name) => {
      const wallets = openWallets(home);
      expect(() => wallets.keep(name, seed)).toThrow(/is no wallet name/);
      expect(() => wallets.seed(name)).toThrow(/is no wallet name/);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it("parseSeed() takes 64 hex digits with white space around, and nothing else", () => {
    expect(parseSeed(` ${"07".repeat(32)}\r\n`, "x")).toEqual(seed);
    for (const bad of ["", "07", `${"07".repeat(32)}00`, "zz".repeat(32)]) {
      expect(() => parseSeed(bad, "standard input")).toThrow(/^standard input holds no seed/);
    }
  });
});
