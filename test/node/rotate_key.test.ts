/** Keys of real nodes that change: without a restart, after a lost store, and from the command line. */
import { copyFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import { silentLogger } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { validatorId } from "#internal/proofs/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import type { NodeOptions, RunningNode } from "#internal/node/mod.ts";
import {
  makeTestNetwork,
  makeValidatorKey,
  readKeyWithStore,
  startNode,
} from "#internal/node/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { pinnedClient, startTestDevnet, temporaryFolder } from "./devnet_fixture.ts";

const WAIT = { timeout: 60_000, interval: 100 };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

function clientOf(calls: RpcCalls, chain: string): Client {
  return pinnedClient(calls, chain, join(folder.path, "home"));
}

async function newKey(name: string): Promise<{ key: string; id: string; seed: Uint8Array }> {
  const dir = join(folder.path, name);
  const made = await makeValidatorKey({
    dir,
    shown: `~/${name}`,
    insecure: true,
    random: systemRandom,
  });
  const { seed } = await readKeyWithStore(made.key, `~/${name}/key.json`);
  return { key: made.key, id: made.validator, seed };
}

/** Pays until the node is in a session, and gives its newest certified Pulse. */
async function payUntil(client: Client, session: number): Promise<number> {
  for (;;) {
    await client.pay({ from: "alice", to: "bob", amount: 1n });
    const { certified_pulse: pulse, session: now } = await client.rpc.status({});
    if (now >= session && pulse > 0) return pulse;
  }
}

describe("a validator's key on real nodes", () => {
  test(
    "a new key's node follows and then signs, without a restart, and the old one ends [L-140]",
    async () => {
      const running: RunningNode[] = [];
      try {
        const { genesis, keys } = await makeTestNetwork({
          dir: join(folder.path, "net"),
          shown: "~/net",
          shape: { validators: 1, insecureSignatures: true },
          random: systemRandom,
          nowMs: Date.now(),
        });
        const start = async (key: string, peers: NodeOptions["peers"]): Promise<RunningNode> => {
          const node = await startNode({
            genesis: { path: genesis, shown: "~/genesis.json" },
            key: { path: key, shown: "~/key.json" },
            dir: { path: dirname(key), shown: "~/v" },
            peers,
            peerListen: { host: "127.0.0.1", port: 0 },
            port: 0,
            logger: silentLogger,
          });
          running.push(node);
          return node;
        };
        const old = await start(keys[0] as string, []);
        const port = Number(old.peerAddress?.split(":")[1]);
        const { key, id, seed } = await newKey("new");
        const fresh = await start(key, [{ host: "127.0.0.1", port }]);
        expect((await fresh.calls.status({})).active).toBe(false);
        const { validator: oldId } = await old.calls.status({});
        const client = clientOf(old.calls, old.chain);
        const outcome = await client.rotateKey({ wallet: "operator-0", validator: oldId, seed });
        expect(outcome).toMatchObject({
          status: "Success",
          events: [{ KeyRotated: { from: oldId, to: id, validator: oldId } }],
        });
        await expect.poll(async () => (await fresh.calls.status({})).active, WAIT).toBe(true);
        await expect.poll(async () => (await old.calls.status({})).active, WAIT).toBe(false);
        expect(await fresh.calls.status({})).toMatchObject({ session: 1, validator: id, epoch: 0 });
        using other = clientOf(fresh.calls, fresh.chain);
        await other.pay({ from: "alice", to: "bob", amount: 5n });
        const { certified_pulse: pulse } = await fresh.calls.status({});
        expect((await other.verifyPulse({ pulse })).report.filter((line) => line.endsWith("✗")))
          .toEqual([]);
        client[Symbol.dispose]();
      } finally {
        for (const node of running) await node[Symbol.asyncDispose]();
      }
    },
    120_000,
  );

  test("a replaced key's node that was down meanwhile follows, and says so", async () => {
    const running: RunningNode[] = [];
    const lines: string[] = [];
    try {
      const { genesis, keys } = await makeTestNetwork({
        dir: join(folder.path, "net"),
        shown: "~/net",
        shape: { validators: 4, insecureSignatures: true },
        random: systemRandom,
        nowMs: Date.now(),
      });
      const peers: { host: string; port: number }[] = [];
      const start = async (index: number, logger: Logger): Promise<RunningNode> => {
        const key = keys[index] as string;
        const node = await startNode({
          genesis: { path: genesis, shown: "~/genesis.json" },
          key: { path: key, shown: "~/key.json" },
          dir: { path: dirname(key), shown: "~/v" },
          peers: [...peers],
          peerListen: { host: "127.0.0.1", port: 0 },
          port: 0,
          logger,
        });
        running.push(node);
        peers.push({ host: "127.0.0.1", port: Number(node.peerAddress?.split(":")[1]) });
        return node;
      };
      const first = await start(0, silentLogger);
      await start(1, silentLogger);
      await start(2, silentLogger);
      using client = clientOf(first.calls, first.chain);
      const { seed } = await newKey("new");
      const place = await readKeyWithStore(keys[3] as string, "~/key.json");
      const { publicKey } = await (await loadDualBackend("insecure")).keysFromSeed(place.seed);
      const validator = validatorId(publicKey);
      expect(await client.rotateKey({ wallet: "operator-3", validator, seed }))
        .toMatchObject({ status: "Success" });
      await payUntil(client, 1);
      const late = await start(3, { log: (level, line) => void lines.push(`${level}: ${line}`) });
      expect(late.validator).toBe(3);
      await expect.poll(() => lines, WAIT).toContain(
        "warn: This key signs no more: its validator has another, left, or was slashed; this node only follows",
      );
      expect(await late.calls.status({})).toMatchObject({ active: false, session: 1 });
      const { pulse } = await first.calls.status({});
      await expect.poll(async () => (await late.calls.status({})).pulse, WAIT)
        .toBeGreaterThanOrEqual(pulse);
    } finally {
      for (const node of running) await node[Symbol.asyncDispose]();
    }
  }, 120_000);

  test("a validator whose store is lost comes back by another key", async () => {
    {
      await using devnet = await startTestDevnet(folder.path);
      using client = clientOf(devnet.calls, devnet.chain);
      await client.pay({ from: "alice", to: "bob", amount: 1n });
    }
    const place = join(folder.path, "validator-3");
    const drop = (): void => {
      for (const end of ["", "-wal", "-shm"]) {
        rmSync(join(place, `node.sqlite${end}`), { force: true });
      }
    };
    drop();
    const { key, id, seed } = await newKey("new");
    {
      await using devnet = await startTestDevnet(folder.path);
      using client = clientOf(devnet.calls, devnet.chain);
      const lost = devnet.validators[3]?.calls as RpcCalls;
      const status = await lost.status({});
      expect(status.active).toBe(false);
      const rotation = { wallet: "operator-3", validator: status.validator, seed };
      expect(await client.rotateKey(rotation)).toMatchObject({ status: "Success" });
    }
    drop();
    for (const name of ["key.json", "node.sqlite"]) {
      copyFileSync(join(dirname(key), name), join(place, name));
    }
    for (const session of [1, 1]) {
      await using devnet = await startTestDevnet(folder.path);
      using client = clientOf(devnet.calls, devnet.chain);
      const pulse = await payUntil(client, session);
      const back = devnet.validators[3]?.calls as RpcCalls;
      await expect.poll(async () => (await back.status({})).active, WAIT).toBe(true);
      expect(await back.status({})).toMatchObject({ validator: id });
      const { report } = await client.verifyPulse({ pulse });
      expect(report.filter((line) => line.endsWith("✗"))).toEqual([]);
    }
  }, 180_000);
});

describe("readKeyWithStore()", () => {
  test("readKeyWithStore() refuses a key without its store", async () => {
    const { key } = await newKey("new");
    rmSync(join(dirname(key), "node.sqlite"));
    await expect(readKeyWithStore(key, "~/new/key.json")).rejects.toMatchObject({
      code: "folder-damaged",
      message:
        "~/new/key.json has no node.sqlite beside it: `sion genesis key <dir>` makes a key " +
        "with its store",
    });
  });

  test("readKeyWithStore() refuses another key's store", async () => {
    const [{ key }, other] = [await newKey("new"), await newKey("other")];
    copyFileSync(join(dirname(other.key), "node.sqlite"), join(dirname(key), "node.sqlite"));
    await expect(readKeyWithStore(key, "~/new/key.json")).rejects.toMatchObject({
      code: "folder-damaged",
      message:
        "the node.sqlite beside ~/new/key.json is not this key's own: put that back, or `sion " +
        "genesis key <dir>` makes a key with its store",
    });
  });
});
