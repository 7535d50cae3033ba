import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import { devnetWalletSeed } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import type { DevnetFolder, DevnetShape } from "../../internal/node/devnet_folder.ts";

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "sion-folder-"));
});
afterEach(() => {
  rmSync(path, { recursive: true });
});

function open(shape: DevnetShape = {}): Promise<DevnetFolder> {
  return openDevnetFolder({
    path,
    shown: "~/d",
    shape,
    random: systemRandom,
    nowMs: 1_700_000_000_000,
  });
}

/** A whole folder with insecure signatures. */
async function make(shape: DevnetShape = {}): Promise<DevnetFolder> {
  const folder = await open({ insecureSignatures: true, ...shape });
  await folder.complete();
  return folder;
}

describe("openDevnetFolder()", () => {
  test("openDevnetFolder() makes a chain of four validators and two shards with rich wallets [L-591 L-592 L-594]", async () => {
    const { genesis, validators, fresh } = await make();
    expect(fresh).toBe(true);
    expect(genesis).toMatchObject({
      chainId: "sion-devnet-1",
      shards: 2,
      parameters: { faucet: true },
    });
    expect(genesis.validators.map(({ stake }) => stake)).toEqual(Array(4).fill(100_000_000_000n));
    expect(validators.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const backend = await loadDualBackend("insecure");
    const keys = await backend.keysFromSeed(devnetWalletSeed("alice"));
    const alice = accountId(policyOfKey(keys.publicKey), NO_SALT);
    const amounts = new Map(genesis.accounts);
    expect(amounts.get(alice)).toBe(10_000_000_000n);
    expect([...amounts.values()].filter((micro) => micro === 10_000_000_000n)).toHaveLength(4);
    for (const { operator } of genesis.validators) expect(amounts.get(operator)).toBe(100_000_000n);
  });

  test("openDevnetFolder() goes on from what it made, keys readable by their owner only", async () => {
    const made = await make({ validators: 2, shards: 3, epochPulses: 12 });
    const again = await open();
    expect(again.fresh).toBe(false);
    expect(again.genesis).toEqual(made.genesis);
    expect(again.validators).toEqual(made.validators);
    expect(readdirSync(path).sort()).toEqual(["genesis.json", "validator-0", "validator-1"]);
    chmodSync(join(path, "validator-1", "key.json"), 0o640);
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining("chmod 600 ~/d/validator-1/key.json"),
    });
  });

  test("openDevnetFolder() makes keys of its own in each folder", async () => {
    const made = await make();
    const seeds = made.validators.map(({ key }) => key.seed.join());
    expect(new Set(seeds).size).toBe(4);
    expect(readFileSync(join(path, "genesis.json"), "utf8")).not.toContain("seed");
  });

  test.each<[DevnetShape, string]>([
    [
      { validators: 7 },
      "~/d has a chain with 4 validators: leave out --validators, or give another --dir",
    ],
    [{ shards: 1 }, "~/d has a chain with 2 shards: leave out --shards, or give another --dir"],
    [{ epochPulses: 9 }, "leave out --epoch-pulses, or give another --dir"],
  ])("openDevnetFolder() keeps a chain's shape and says so: %#", async (shape, message) => {
    await make();
    await expect(open(shape)).rejects.toMatchObject({
      code: "other-chain",
      message: expect.stringContaining(message),
    });
  });

  test.each<[DevnetShape, string]>([
    [{ validators: 0 }, "--validators 0 is not 1 to 16"],
    [{ validators: 17 }, "--validators 17 is not 1 to 16"],
    [{ shards: 1.5 }, "--shards 1.5 is not 1 to 64"],
    [{ epochPulses: -1 }, "--epoch-pulses -1"],
  ])("openDevnetFolder() refuses a shape out of range: %#", async (shape, message) => {
    await expect(open(shape)).rejects.toMatchObject({
      code: "argument",
      message: expect.stringContaining(message),
    });
    expect(readdirSync(path)).toEqual([]);
  });

  test("openDevnetFolder() begins anew after a start that broke off before the chain began", async () => {
    const broken = await open({ insecureSignatures: true });
    const made = await make();
    expect(made.fresh).toBe(true);
    expect(made.validators[0]?.key.seed).not.toEqual(broken.validators[0]?.key.seed);
    expect((await open()).validators).toEqual(made.validators);
  });

  test("openDevnetFolder() refuses another format, and files that it did not write, in one line", async () => {
    await make();
    const file = join(path, "genesis.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/"format": \d+/, '"format": 99'));
    await expect(open()).rejects.toMatchObject({
      code: "other-format",
      message: `~/d has format 99, this sion has ${FORMAT_VERSION}: give another --dir`,
    });
    for (const broken of ["", "{}", text.slice(0, 100), text.replace('"shards"', '"shard"')]) {
      writeFileSync(file, broken);
      await expect(open()).rejects.toMatchObject({ code: "folder-damaged" });
    }
    rmSync(file);
    await expect(open()).rejects.toMatchObject({
      code: "folder-damaged",
      message: "~/d has validators but no genesis.json: give another --dir",
    });
  });
});
