/** `startNode()`: validators and followers as `sion node` starts them, in this process. */
import { chmodSync, copyFileSync, cpSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import type { NodeOptions, RunningNode } from "#internal/node/mod.ts";
import {
  makeGenesis,
  makeTestNetwork,
  makeValidatorKey,
  nodeReadyLine,
  readPublicPart,
  startNode,
} from "#internal/node/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { temporaryFolder, testClient } from "./devnet_fixture.ts";

const ANY = { host: "127.0.0.1", port: 0 };

let folder: ReturnType<typeof temporaryFolder>;
let genesis: string;
let keys: readonly string[];
let running: RunningNode[];
let lines: string[];
beforeEach(async () => {
  folder = temporaryFolder();
  running = [];
  lines = [];
  ({ genesis, keys } = await makeTestNetwork({
    dir: join(folder.path, "net"),
    shown: "~/net",
    shape: { validators: 1, insecureSignatures: true },
    random: systemRandom,
    nowMs: Date.now(),
  }));
});
afterEach(async () => {
  for (const node of running) await node[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const logger: Logger = { log: (level, message) => void lines.push(`${level}: ${message}`) };

async function start(more: Partial<NodeOptions> = {}): Promise<RunningNode> {
  const node = await startNode({
    genesis: { path: genesis, shown: "~/genesis.json" },
    dir: { path: join(folder.path, "follower"), shown: "~/follower" },
    peers: [],
    peerListen: ANY,
    port: 0,
    logger,
    ...more,
  });
  running.push(node);
  return node;
}

/** Options of the network's validator. */
function validator(): Partial<NodeOptions> {
  const path = keys[0] as string;
  return {
    key: { path, shown: "~/v0/key.json" },
    dir: { path: dirname(path), shown: "~/v0" },
  };
}

function peersOf({ peerAddress }: RunningNode): NodeOptions["peers"] {
  return [{ host: "127.0.0.1", port: Number(peerAddress?.split(":")[1]) }];
}

describe("startNode()", () => {
  test("startNode() runs a validator by its key, and a follower that takes payments for it", async () => {
    const first = await start(validator());
    expect(nodeReadyLine(first)).toMatch(
      /^validator 0 ready on http:\/\/127\.0\.0\.1:\d+: chain sion-devnet-1, identity [0-9a-f]{64}$/,
    );
    const follower = await start({ peers: peersOf(first) });
    expect(follower).toMatchObject({ validator: null, peerAddress: null, chain: first.chain });
    expect(nodeReadyLine(follower)).toMatch(/^follower ready on /);
    await expect.poll(() => lines).toContain("info: Validator 0 is connected");
    const client = testClient(follower.calls, follower.chain);
    const { answer, digests } = await client.pay("alice", "bob", 5n, 0n);
    expect(answer).toBe("accepted");
    const digest = digests[0] as string;
    const receipt = await follower.calls.receipt({ digest, wait_ms: 30_000 });
    expect(receipt).toMatchObject({ state: "executed", receipt: { outcome: { kind: "success" } } });
    expect(await client.balance("bob")).toBe(10_000_000_005n);
    // What the validator refuses is what the follower's client hears.
    expect(await client.pay("alice", "bob", 5n, 0n)).toMatchObject({ answer: "refused" });
    const asked = follower.calls.faucet({ account: "ab".repeat(32), amount: 1n });
    await expect(asked).rejects.toThrow("this node only follows: ask a validator for money");
    expect((await follower.calls.status({})).active).toBe(false);
  });

  test("startNode() of a follower without a validator says so to whoever pays", async () => {
    const follower = await start({ peers: [{ host: "127.0.0.1", port: 9 }] });
    const client = testClient(follower.calls, follower.chain);
    await expect(client.pay("alice", "bob", 5n, 0n)).rejects.toMatchObject({
      code: "unconnected",
      message: "this node is connected to no validator: give another --node, or see to its --peers",
    });
  });

  test("startNode() goes on from its folder, and holds it", async () => {
    const first = await start(validator());
    await expect(start(validator())).rejects.toMatchObject({ code: "folder-locked" });
    const client = testClient(first.calls, first.chain);
    const { digests } = await client.pay("alice", "bob", 5n, 0n);
    const digest = digests[0] as string;
    await first.calls.receipt({ digest, wait_ms: 30_000 });
    await running.pop()?.[Symbol.asyncDispose]();
    const again = await start(validator());
    expect(await again.calls.receipt({ digest })).toMatchObject({ state: "executed" });
  });

  test("startNode() with a key whose store is lost, or whose is another's, only follows and says so", async () => {
    const store = join(dirname(keys[0] as string), "node.sqlite");
    rmSync(store);
    const lost = await start(validator());
    expect(lost.validator).toBe(null);
    expect(lines).toContain(
      "error: The store of this node is lost, and it only follows: only the very same store, " +
        "the newest there is, may be put back; else give the validator another key " +
        "(sion validator rotate-key)",
    );
    await running.pop()?.[Symbol.asyncDispose]();
    const other = await makeValidatorKey({
      dir: join(folder.path, "other"),
      shown: "~/other",
      insecure: true,
      random: systemRandom,
    });
    for (const end of ["", "-wal", "-shm"]) rmSync(`${store}${end}`, { force: true });
    copyFileSync(join(dirname(other.key), "node.sqlite"), store);
    lines.length = 0;
    expect((await start(validator())).validator).toBe(null);
    expect(lines.filter((line) => line.includes("only follows"))).toHaveLength(1);
  });

  test("startNode() with a key that is no validator's only follows and says so", async () => {
    const { key } = await makeValidatorKey({
      dir: join(folder.path, "other"),
      shown: "~/other",
      insecure: true,
      random: systemRandom,
    });
    const node = await start({
      key: { path: key, shown: "~/other/key.json" },
      dir: { path: dirname(key), shown: "~/other" },
    });
    expect(node.validator).toBe(null);
    expect(lines).toContain("warn: This node only follows: its key is none of the validators'");
  });

  test("startNode() takes a key to another chain until it has signed in one", async () => {
    const { key } = await makeValidatorKey({
      dir: join(folder.path, "other"),
      shown: "~/other",
      insecure: true,
      random: systemRandom,
    });
    const other = {
      key: { path: key, shown: "~/other/key.json" },
      dir: { path: dirname(key), shown: "~/other" },
    };
    await start(other);
    await running.pop()?.[Symbol.asyncDispose]();
    const path = join(folder.path, "second.json");
    const publicPart = await readPublicPart(join(dirname(key), "validator.json"), "it");
    await makeGenesis(path, "~/second.json", {
      chainId: "sion-net-2",
      shards: 2,
      faucet: false,
      insecure: true,
      nowMs: Date.now(),
      validators: [{ ...publicPart, stake: 1_000_000n }],
      accounts: [],
    });
    const second = { ...other, genesis: { path, shown: "~/second.json" } };
    const first = await start(second);
    expect(first.validator).toBe(0);
    expect(lines.filter((line) => line.includes("in which it signed nothing"))).toEqual([
      expect.stringMatching(
        /^warn: The store of this node was of chain [0-9a-f]{8}, in which it signed nothing, and is of [0-9a-f]{8} now$/,
      ),
    ]);
    // It signs by itself, so by now, or when it stops, it has.
    await expect.poll(async () => (await first.calls.status({})).pulse, { timeout: 30_000 })
      .toBeGreaterThan(0);
    await running.pop()?.[Symbol.asyncDispose]();
    await expect(start(other)).rejects.toMatchObject({ code: "other-chain" });
  });

  test("startNode() of an own genesis says what its faucet lacks", async () => {
    const { key, publicPart } = await makeValidatorKey({
      dir: join(folder.path, "own"),
      shown: "~/own",
      insecure: true,
      random: systemRandom,
    });
    const path = join(folder.path, "own.json");
    await makeGenesis(path, "~/own.json", {
      chainId: "sion-devnet-own",
      shards: 2,
      faucet: true,
      insecure: true,
      nowMs: Date.now(),
      validators: [{ ...await readPublicPart(publicPart, "it"), stake: 1_000_000n }],
      accounts: [],
    });
    const node = await start({
      genesis: { path, shown: "~/own.json" },
      key: { path: key, shown: "~/own/key.json" },
      dir: { path: dirname(key), shown: "~/own" },
    });
    await expect(node.calls.faucet({ account: "ab".repeat(32), amount: 1n })).rejects.toThrow(
      "the faucet's fee is paid by operator-0, which has no money: make the genesis with --fund " +
        "operator-0=1",
    );
  });

  test("startNode() with a store older than its key greets as a follower from then on", async () => {
    ({ genesis, keys } = await makeTestNetwork({
      dir: join(folder.path, "two"),
      shown: "~/two",
      shape: { validators: 2, insecureSignatures: true },
      random: systemRandom,
      nowMs: Date.now(),
    }));
    const other = keys[1] as string;
    const old = join(folder.path, "old");
    cpSync(dirname(other), old, { recursive: true });
    const first = await start(validator());
    const of = (path: string): Partial<NodeOptions> => ({
      key: { path, shown: "~/v1/key.json" },
      dir: { path: dirname(path), shown: "~/v1" },
      peers: peersOf(first),
    });
    const second = await start(of(other));
    await expect.poll(async () => (await second.calls.status({})).pulse, { timeout: 30_000 })
      .toBeGreaterThan(0);
    await running.pop()?.[Symbol.asyncDispose]();
    lines.length = 0;
    const stale = await start(of(join(old, "key.json")));
    await expect.poll(() => lines, { timeout: 30_000 }).toContain("info: A follower is connected");
    expect(lines.filter((line) => line.startsWith("error: Validator 1 signs nothing more")))
      .toHaveLength(1);
    expect((await stale.calls.status({})).active).toBe(false);
  });

  test("startNode() without its --key leaves a validator's store alone", async () => {
    const dir = { path: dirname(keys[0] as string), shown: "~/v0" };
    await expect(start({ dir })).rejects.toMatchObject({
      code: "argument",
      message:
        "~/v0/node.sqlite is the store of a validator's key: give its --key, or another --dir",
    });
  });

  test("startNode() refuses in one line what it cannot start from", async () => {
    await expect(start({ genesis: { path: "/nowhere/g.json", shown: "g.json" } })).rejects
      .toMatchObject({
        code: "argument",
        message: expect.stringMatching(/^there is no g\.json: /),
      });
    const path = keys[0] as string;
    await expect(start({ genesis: { path, shown: "k.json" } })).rejects.toMatchObject({
      code: "folder-damaged",
      message: "k.json is not what sion wrote: give the --genesis of the network",
    });
    await expect(start({ key: { path: "/nowhere/key.json", shown: "k.json" } })).rejects
      .toMatchObject({
        message: expect.stringMatching(/^k\.json is missing: give the --key that/),
      });
    chmodSync(path, 0o644);
    await expect(start(validator())).rejects.toMatchObject({ code: "file-exposed" });
  });

  test("startNode() says which option changes the address that peers would use", async () => {
    const first = await start(validator());
    const [taken] = peersOf(first);
    const { key } = await makeValidatorKey({
      dir: join(folder.path, "other"),
      shown: "~/other",
      insecure: true,
      random: systemRandom,
    });
    await expect(start({
      key: { path: key, shown: "~/other/key.json" },
      dir: { path: dirname(key), shown: "~/other" },
      ...(taken === undefined ? {} : { peerListen: taken }),
    })).rejects.toMatchObject({
      code: "address-in-use",
      message: expect.stringContaining("or give --peer-listen 127.0.0.1:0 for any free port"),
    });
  });
});
