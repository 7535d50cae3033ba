import { DatabaseSync } from "node:sqlite";
import { createServer } from "node:net";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  parseJson,
  silentLogger,
  stringifyJson,
  utf8,
  utf8Text,
  VERSION,
} from "#internal/core/mod.ts";
import type { Devnet, DevnetOptions } from "#internal/node/mod.ts";
import { readyLine, startDevnet } from "#internal/node/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import { temporaryFolder } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

function start(more: Partial<DevnetOptions> = {}): Promise<Devnet> {
  return startDevnet({
    dir: folder.path,
    shown: "~/d",
    port: 0,
    insecureSignatures: true,
    logger: silentLogger,
    ...more,
  });
}

async function ask(devnet: Devnet, method: string, params: unknown): Promise<unknown> {
  using http = createHttpClient();
  const answer = await http.request({
    url: `${devnet.url}/rpc/${method}`,
    method: "POST",
    body: utf8(stringifyJson(params)),
    timeoutMs: 30_000,
  });
  return parseJson(utf8Text(answer.body));
}

describe("startDevnet()", () => {
  test("startDevnet() serves clients over HTTP, each validator with its own store [L-591 L-601 L-605]", async () => {
    await using devnet = await start();
    expect(readyLine(devnet)).toMatch(
      /^devnet ready on http:\/\/127\.0\.0\.1:\d+: chain sion-devnet-1, identity [0-9a-f]{64}$/,
    );
    const account = "ab".repeat(32);
    expect(await ask(devnet, "faucet", { account, amount: 5_000_000 })).toMatchObject({
      receipt: { kind: "faucet", outcome: { kind: "success" } },
    });
    expect(await ask(devnet, "account", { account })).toMatchObject({
      balances: [{ amount: 5_000_000, symbol: "USD" }],
    });
    expect(await ask(devnet, "status", {})).toMatchObject({
      chain: devnet.chain,
      executed: [1, 0, 0],
      insecure_signatures: true,
    });
    const stores = [0, 1, 2, 3].map((i) => readdirSync(join(folder.path, `validator-${i}`)));
    for (const files of stores) expect(files).toContain("node.sqlite");
  });

  test("startDevnet() runs with real signatures [L-603]", async () => {
    await using devnet = await start({ insecureSignatures: false, validators: 1 });
    const { receipt } = await devnet.calls.faucet({ account: "ab".repeat(32), amount: 1n });
    expect(receipt.outcome).toEqual({ kind: "success" });
    expect((await devnet.calls.status({})).insecure_signatures).toBe(false);
  });

  test("startDevnet() says that its folder is in use, by which process [L-611]", async () => {
    await using _devnet = await start({ validators: 1 });
    await expect(start()).rejects.toMatchObject({
      code: "folder-locked",
      message: `~/d is in use by process ${process.pid}: stop it, or give another --dir`,
    });
  });

  test("startDevnet() says that its port is in use, and lets go of its folder", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await expect(start({ port, validators: 1 })).rejects.toMatchObject({
      code: "address-in-use",
      message: `127.0.0.1:${port} is in use: stop what uses it, ` +
        "or give --listen 127.0.0.1:0 for any free port",
    });
    await expect(start({ port, validators: 1, dir: join(folder.path, "new") })).rejects.toThrow(
      "in use",
    );
    expect(existsSync(join(folder.path, "new"))).toBe(false);
    server.close();
    await using devnet = await start({ validators: 1 });
    expect(devnet.chainId).toBe("sion-devnet-1");
  });

  test("startDevnet() that cannot finish a new folder takes it away again", async () => {
    const dir = join(folder.path, "new");
    await expect(start({ dir, shards: 65 })).rejects.toMatchObject({ code: "argument" });
    expect(existsSync(dir)).toBe(false);
  });

  test("startDevnet() refuses what a newer sion wrote, and changes nothing", async () => {
    {
      await using _devnet = await start({ validators: 1 });
    }
    const path = join(folder.path, "validator-0", "node.sqlite");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99; UPDATE about SET value = '7.4' WHERE key = 'sion'");
    database.close();
    await expect(start()).rejects.toMatchObject({
      code: "newer-data",
      message:
        `~/d was written by sion 7.4, this is ${VERSION}: update sion, or give another --dir`,
    });
  });

  test("startDevnet() names the validator that a fault of its store ended", async () => {
    await using devnet = await start({ validators: 1 });
    const path = join(folder.path, "validator-0", "node.sqlite");
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec("DROP TABLE recent_receipts");
    database.close();
    devnet.calls.faucet({ account: "ab".repeat(32), amount: 1n }).catch(() => {});
    await expect(devnet.fault).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(
        /^the store of validator 0, ~\/d\/validator-0\/node.sqlite, is damaged \(.*receipts.*\): give/,
      ),
    });
    await expect(devnet.calls.status({})).rejects.toMatchObject({ code: "stopping" });
  });

  test("startDevnet() names the validator and the file when a store cannot be used", async () => {
    {
      await using devnet = await start({ validators: 1 });
      await devnet.calls.faucet({ account: "ab".repeat(32), amount: 1n });
    }
    const path = join(folder.path, "validator-0", "node.sqlite");
    const store = "the store of validator 0, ~/d/validator-0/node.sqlite,";
    const database = new DatabaseSync(path);
    database.exec("UPDATE pulses SET header = x'00'");
    database.close();
    await expect(start()).rejects.toMatchObject({
      code: "folder-damaged",
      message: expect.stringMatching(RegExp(`^${store} is damaged \\(.*\\): give another --dir$`)),
    });
    writeFileSync(path, "x".repeat(8192));
    await expect(start()).rejects.toMatchObject({
      code: "store-failed",
      message: `${store} is damaged (file is not a database): give another --dir`,
    });
    rmSync(path);
    mkdirSync(path);
    await expect(start()).rejects.toMatchObject({
      code: "store-failed",
      message: `${store} cannot be opened: see that no folder lies there, ` +
        "and make it and its folder yours to write",
    });
  });

  test("startDevnet() stops though clients wait, and goes on afterwards [L-611]", async () => {
    const devnet = await start({ validators: 2 });
    const polls = [1, 2, 3].map((n) =>
      ask(devnet, "receipt", { digest: `0${n}`.repeat(32), wait_ms: 30_000 }).catch(() => "ended")
    );
    await devnet.calls.status({});
    await devnet[Symbol.asyncDispose]();
    await Promise.all(polls);
    await using again = await start();
    expect(again.chain).toBe(devnet.chain);
  });
});
