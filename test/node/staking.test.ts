/** Validators that join and leave a network of real nodes, whose places among the others move. */
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "#internal/core/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import type { RunningNode } from "#internal/node/mod.ts";
import {
  makeTestNetwork,
  makeValidatorKey,
  readKeyWithStore,
  startNode,
} from "#internal/node/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { systemRandom } from "#internal/runtime/mod.ts";
import { pinnedClient, temporaryFolder } from "./devnet_fixture.ts";

const WAIT = { timeout: 60_000, interval: 100 };
const USD = 1_000_000n;

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

/** Pays until it is so. */
async function payUntil(client: Client, holds: () => Promise<boolean>): Promise<void> {
  while (!await holds()) await client.pay({ from: "alice", to: "bob", amount: 1n });
}

describe("stake on real nodes", () => {
  test(
    "a node joins at an epoch's end, and the network goes on when the first of its validators leaves [L-105 L-515 L-641 L-643]",
    async () => {
      const running: RunningNode[] = [];
      try {
        const { genesis, keys } = await makeTestNetwork({
          dir: join(folder.path, "net"),
          shown: "~/net",
          shape: { validators: 2, insecureSignatures: true, epochPulses: 8 },
          random: systemRandom,
          nowMs: Date.now(),
        });
        const peers: { host: string; port: number }[] = [];
        const start = async (key: string): Promise<RunningNode> => {
          const node = await startNode({
            genesis: { path: genesis, shown: "~/genesis.json" },
            key: { path: key, shown: "~/key.json" },
            dir: { path: dirname(key), shown: "~/v" },
            peers: [...peers],
            peerListen: { host: "127.0.0.1", port: 0 },
            port: 0,
            logger: silentLogger,
          });
          running.push(node);
          peers.push({ host: "127.0.0.1", port: Number(node.peerAddress?.split(":")[1]) });
          return node;
        };
        const first = await start(keys[0] as string);
        const second = await start(keys[1] as string);
        const { key } = await makeValidatorKey({
          dir: join(folder.path, "joiner"),
          shown: "~/joiner",
          insecure: true,
          random: systemRandom,
        });
        const { seed } = await readKeyWithStore(key, "~/joiner/key.json");
        const joiner = await start(key);
        using client = clientOf(second.calls, second.chain);
        await client.faucet("carol", 100_000n * USD);
        const stake = 100_000n * USD;
        expect(await client.stake.register({ wallet: "carol", seed, stake }))
          .toMatchObject({ status: "Success" });
        expect((await joiner.calls.status({})).active).toBe(false);
        await payUntil(client, async () => (await joiner.calls.status({})).active);
        const { validators, active_validators: active } = await second.calls.status({});
        expect([validators, active]).toEqual([3, 3]);

        const { pools } = await client.stake.pools();
        const mine = pools.find(({ operator }) => operator === "operator-0")?.validator ?? "";
        expect(await client.stake.leave({ wallet: "operator-0", validator: mine.slice(0, 8) }))
          .toMatchObject({ status: "Success" });
        await payUntil(client, async () => !(await first.calls.status({})).active);
        await first[Symbol.asyncDispose]();
        running.splice(running.indexOf(first), 1);
        // Neither of the two that are left is a quorum without the other.
        await client.pay({ from: "alice", to: "bob", amount: 2n });
        using other = clientOf(joiner.calls, joiner.chain);
        await other.pay({ from: "bob", to: "alice", amount: 3n });
        expect((await joiner.calls.status({})).validators).toBe(2);
        await expect.poll(async () => {
          const { certified_pulse: pulse } = await joiner.calls.status({});
          return (await other.verifyPulse({ pulse })).report.filter((line) => line.endsWith("✗"));
        }, WAIT).toEqual([]);
      } finally {
        for (const node of running) await node[Symbol.asyncDispose]();
      }
    },
    180_000,
  );
});
