/** Keys, their stores and public parts, and the genesis that is made of them. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import { FORMAT_VERSION, validatorId } from "#internal/proofs/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { openNodeState } from "#internal/store/mod.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import { readGenesis } from "../../internal/node/genesis_file.ts";
import type { NewGenesis } from "../../internal/node/make_genesis.ts";
import {
  makeGenesis,
  makeTestNetwork,
  makeValidatorKey,
  readPublicPart,
} from "../../internal/node/make_genesis.ts";
import { readKey, readKeyWithStore } from "../../internal/node/node_key.ts";
import { temporaryFolder } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const made = (name: string, more: { operator?: string; insecure?: boolean } = {}) =>
  makeValidatorKey({
    dir: join(folder.path, name),
    shown: `~/${name}`,
    insecure: true,
    random: systemRandom,
    ...more,
  });

const inFile = (path: string) => readGenesis(path, { whole: "it", file: "it", remedy: "go" });

async function genesis(path: string, more: Partial<NewGenesis> = {}): Promise<string> {
  const part = await made(`v${Math.random()}`);
  return await makeGenesis(path, "~/genesis.json", {
    chainId: "sion-net-1",
    shards: 2,
    faucet: false,
    insecure: true,
    nowMs: 1_700_000_000_000,
    validators: [{ ...part, stake: 5n }],
    accounts: [["ab".repeat(32), 7n]],
    ...more,
  });
}

describe("makeValidatorKey()", () => {
  test("makeValidatorKey() makes a private key, its store that is of no chain yet, and its public part", async () => {
    const { key, publicPart, publicKey, validator, operator } = await made("v0");
    const kept = await readKey(key, "it", "go");
    const backend = await loadDualBackend("insecure");
    expect((await backend.keysFromSeed(kept.seed)).publicKey).toEqual(publicKey);
    expect(validator).toBe(validatorId(publicKey));
    expect(operator).toBe(accountId(policyOfKey(publicKey), NO_SALT));
    expect(await readPublicPart(publicPart, "it")).toEqual({ operator, publicKey });
    expect([key, join(key, "../node.sqlite")].map((path) => statSync(path).mode & 0o777))
      .toEqual([0o600, 0o600]);
    expect(readFileSync(publicPart, "utf8")).not.toContain("seed");
    using store = openNodeState(join(key, "../node.sqlite"), { shown: "it" });
    expect(store?.identity).toEqual({ store: kept.store, chain: "", format: FORMAT_VERSION });
  });

  test("makeValidatorKey() takes an operator, and makes another key each time", async () => {
    const [a, b] = [await made("v0", { operator: "ee".repeat(32) }), await made("v1")];
    expect(a.operator).toBe("ee".repeat(32));
    expect(a.publicKey).not.toEqual(b.publicKey);
  });

  test("makeValidatorKey() makes a store anew whose key was never written", async () => {
    const { key } = await made("v0");
    const { store: id } = await readKey(key, "it", "go");
    rmSync(key);
    await made("v0");
    expect((await readKey(key, "it", "go")).store).not.toBe(id);
    await expect(readKeyWithStore(key, "~/v0/key.json")).resolves.toMatchObject({ chain: "" });
    rmSync(key);
    writeFileSync(join(key, "../node.sqlite"), "");
    await made("v0");
    await expect(readKeyWithStore(key, "~/v0/key.json")).resolves.toMatchObject({ chain: "" });
  });

  test("makeValidatorKey() leaves a store alone that a node was started with", async () => {
    const { key } = await made("v0");
    rmSync(key);
    const fresh = {
      identity: { store: "", chain: "c1", format: FORMAT_VERSION },
      objects: [],
    };
    openNodeState(join(key, "../node.sqlite"), { shown: "it", fresh })?.[Symbol.dispose]();
    await expect(made("v0")).rejects.toThrow("~/v0 has a node.sqlite already");
  });

  test.each(["key.json", "node.sqlite"])(
    "makeValidatorKey() never takes the place of a %s",
    async (file) => {
      await made("v0");
      if (file === "node.sqlite") writeFileSync(join(folder.path, "v0/key.json"), "");
      await expect(made("v0")).rejects.toMatchObject({
        code: "argument",
        message: expect.stringContaining("~/v0 has a key.json already"),
      });
    },
  );
});

describe("openNodeState()", () => {
  test("openNodeState() gives a store its chain, another until it signs, and leaves its id", async () => {
    const { key } = await made("v0");
    const { store: id } = await readKey(key, "it", "go");
    const before: string[] = [];
    for (const [chain, of] of [["c1", "c1"], ["c2", "c2"], ["c2", "c2"], ["c3", "c2"]] as const) {
      const object = { id: chain.slice(1).padStart(64, "0"), kind: "account", refs: {} };
      using store = openNodeState(join(key, "../node.sqlite"), {
        shown: "it",
        fresh: {
          identity: { store: "", chain, format: FORMAT_VERSION },
          objects: [{ ...object, bytes: new Uint8Array([1]) }],
        },
        onBoundAnew: (chain) => void before.push(chain),
      });
      expect(store?.identity).toEqual({ store: id, chain: of, format: FORMAT_VERSION });
      expect([...store?.objects() ?? []].map(([id]) => id)).toEqual([
        of.slice(1).padStart(64, "0"),
      ]);
      if (before.length > 0 && chain === of) {
        const own = { id: "0b".repeat(32), round: 1, author: 0 };
        store?.commitOwn({ ...own, bytes: new Uint8Array(1), signature: new Uint8Array(1) }, []);
      }
    }
    expect(before).toEqual(["c1"]);
  });
});

describe("makeGenesis()", () => {
  test("makeGenesis() writes what it was asked for, and answers the chain's identity", async () => {
    const path = join(folder.path, "genesis.json");
    const chain = await genesis(path, { epochPulses: 40, shards: 3 });
    expect(chain).toMatch(/^[0-9a-f]{64}$/);
    expect(await inFile(path)).toMatchObject({
      chainId: "sion-net-1",
      shards: 3,
      timeMs: 1_700_000_000_000n,
      parameters: { faucet: false, epochPulses: 40n },
      accounts: [["ab".repeat(32), 7n]],
      insecure: true,
    });
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(await genesis(join(folder.path, "other.json"))).not.toBe(chain);
  });

  test.each<[string, Partial<NewGenesis>, RegExp]>([
    ["no validators", { validators: [] }, /^no chain can begin so, 0 validators, 1 to 16 allowed/],
    [
      "an epoch that is too short",
      { epochPulses: 3 },
      /an epoch has at least 4 Pulses: change it$/,
    ],
    ["a faucet on a chain that is no devnet", { faucet: true }, /begins with sion-devnet-/],
    ["a chain id with a blank", { chainId: "my net" }, /^"my net" is no chain id: use up to 64/],
    ["keys of the other kind", { insecure: false }, /give the genesis the same option$/],
  ])("makeGenesis() refuses %s, and writes nothing", async (_what, more, message) => {
    const path = join(folder.path, "genesis.json");
    await expect(genesis(path, more)).rejects.toMatchObject({
      code: "argument",
      message: expect.stringMatching(message),
    });
    expect(existsSync(path)).toBe(false);
  });

  test("makeGenesis() refuses one key twice, a key without stake, and a file that is there", async () => {
    const path = join(folder.path, "genesis.json");
    const part = { ...await made("twice"), stake: 5n };
    await expect(genesis(path, { validators: [part, part] })).rejects.toThrow(
      "two validators have one key",
    );
    await expect(genesis(path, { validators: [{ ...part, stake: 0n }] })).rejects.toThrow(
      "no stake that counts",
    );
    await genesis(path);
    await expect(genesis(path)).rejects.toThrow(
      "~/genesis.json exists already: give another path, or remove it",
    );
  });

  test.each([["{}"], ["no json"], [undefined]])(
    "readPublicPart() refuses %j in one line",
    async (text) => {
      const path = join(folder.path, "validator.json");
      if (text !== undefined) writeFileSync(path, text);
      await expect(readPublicPart(path, "v.json")).rejects.toMatchObject({
        code: "argument",
        message: expect.stringMatching(/^v\.json is .*: give a validator\.json that/),
      });
    },
  );
});

describe("makeTestNetwork()", () => {
  test("makeTestNetwork() makes a devnet's folder with its stores, once", async () => {
    const dir = join(folder.path, "net");
    const options = {
      dir,
      shown: "~/net",
      shape: { validators: 2, insecureSignatures: true },
      random: systemRandom,
      nowMs: 1_700_000_000_000,
    };
    const network = await makeTestNetwork(options);
    expect(network).toMatchObject({ chainId: "sion-devnet-1", genesis: join(dir, "genesis.json") });
    expect(network.keys.map((key) => existsSync(join(key, "../node.sqlite")))).toEqual([
      true,
      true,
    ]);
    const opened = await openDevnetFolder({ ...options, path: dir, shape: {} });
    expect(opened.fresh).toBe(false);
    expect(opened.validators.map(({ key }) => key.store)).toEqual(
      (await Promise.all(network.keys.map((path) => readKey(path, "it", "go")))).map((key) =>
        key.store
      ),
    );
    await expect(makeTestNetwork(options)).rejects.toThrow("~/net exists already");
  });
});
