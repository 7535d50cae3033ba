/**
 * The yardstick from another world: `hardhat node`, the development chain that most people know, with
 * as many plain transfers in flight. Installed by this benchmark alone, pinned, outside the repository.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { sha256 } from "#internal/crypto/mod.ts";
import { toHex, utf8 } from "#internal/core/mod.ts";
import type { HttpClient } from "#internal/runtime/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import { progress } from "./_bench.ts";
import { installed } from "./_installed.ts";
import { sendLanes } from "./_lanes.ts";
import { postJson } from "./_load.ts";

const VERSION = "3.18.0";
const READY_LIMIT_MS = 30_000;
const CHAIN_ID = 31_337n;
const GWEI = 1_000_000_000n;
const BALANCE = "10000000000000000000000";
const WARM_UP_MS = 2_000;

/** What its own library for transactions offers, as far as it is used here. */
type Signing = {
  readonly Transaction: {
    readonly prepare: (fields: Readonly<Record<string, unknown>>) => {
      readonly signBy: (key: string, hedged?: boolean) => {
        readonly toHex: (withSignature: boolean) => string;
      };
    };
  };
  readonly addr: { readonly fromPrivateKey: (key: string) => string };
};

/** What the yardstick did. */
export type HardhatLoad = { readonly version: string; readonly transfersPerSecond: number };

/** How it is loaded. */
export type HardhatOptions = {
  readonly wallets: number;
  readonly inFlight: number;
  readonly forMs: number;
  /** Transfers signed before the clock starts. */
  readonly transfers: number;
};

/**
 * Transfers a second of `hardhat node`, which mines each in a block of its own.
 * @throws {Error} when it cannot be installed here: without a network, say.
 */
export async function hardhatLoad(options: HardhatOptions): Promise<HardhatLoad> {
  const folder = await installed("hardhat", VERSION);
  const keys = Array.from(
    { length: options.wallets },
    (_, at) => `0x${toHex(sha256(utf8(`sion bench ${at}`)))}`,
  );
  writeFileSync(join(folder, "hardhat.config.js"), configOf(keys));
  progress(`signing ${options.transfers} transfers`);
  const lanes = await signTransfers(folder, keys, options.transfers);
  progress("hardhat node");
  const node = spawn(
    process.execPath,
    [join(folder, "node_modules/hardhat/dist/src/cli.js"), "node", "--port", "0"],
    { cwd: folder, stdio: ["ignore", "pipe", "inherit"] },
  );
  const kill = (): void => void node.kill("SIGKILL");
  process.once("exit", kill);
  try {
    using http = createHttpClient();
    return {
      version: VERSION,
      transfersPerSecond: await transfer(http, await addressOf(node), lanes, options),
    };
  } finally {
    process.off("exit", kill);
    const ended = once(node, "close");
    node.kill("SIGKILL");
    await ended;
  }
}

function configOf(keys: readonly string[]): string {
  const accounts = keys.map((privateKey) => ({ privateKey, balance: BALANCE }));
  const config = { networks: { node: { type: "edr-simulated", accounts } } };
  return `export default ${JSON.stringify(config)};\n`;
}

async function signTransfers(
  folder: string,
  keys: readonly string[],
  transfers: number,
): Promise<readonly (readonly string[])[]> {
  const library = join(folder, "node_modules/micro-eth-signer/index.js");
  const { Transaction, addr } = await import(pathToFileURL(library).href) as Signing;
  const each = Math.ceil(transfers / keys.length);
  return keys.map((key, at) => {
    const to = addr.fromPrivateKey(keys[(at + 1) % keys.length] as string);
    return Array.from({ length: each }, (_, nonce) =>
      Transaction.prepare({
        to,
        value: 1n,
        nonce: BigInt(nonce),
        maxFeePerGas: 10n * GWEI,
        chainId: CHAIN_ID,
        gasLimit: 21_000n,
      }).signBy(key, false).toHex(true));
  });
}

/** Where it listens, from the line that says so. */
async function addressOf(node: ChildProcess): Promise<string> {
  return await new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error("hardhat node is not ready")), READY_LIMIT_MS);
    node.once("close", () => reject(new Error(`hardhat node ended: ${said}`)));
    node.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (said.length > 1 << 16) return;
      said += text;
      const port = /server at http:\/\/[^:]+:(\d+)\//.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

/** The same shape of load as a devnet gets: a wallet has one transfer in flight at a time. */
async function transfer(
  http: HttpClient,
  url: string,
  lanes: readonly (readonly string[])[],
  { inFlight, forMs }: HardhatOptions,
): Promise<number> {
  const beginMs = performance.now() + WARM_UP_MS;
  const endMs = beginMs + forMs;
  let sent = 0;
  let counted = 0;
  let lastMs = 0;
  const send = async (raw: string): Promise<void> => {
    const call = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] };
    const { result, error } = await postJson(http, url, call);
    if (typeof result !== "string") throw new Error(`hardhat: ${JSON.stringify(error)}`);
    lastMs = performance.now();
    if (lastMs >= beginMs && lastMs <= endMs) counted += 1;
    sent += 1;
  };
  await sendLanes({ lanes, inFlight, goesOn: () => performance.now() < endMs, send });
  const call = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] };
  const { result } = await postJson(http, url, call);
  // It answers when the transfer's block is mined, which is what is counted.
  if (Number(result) !== sent) throw new Error(`hardhat mined ${Number(result)} of ${sent}`);
  return 1000 * counted / (Math.min(endMs, lastMs) - beginMs);
}
