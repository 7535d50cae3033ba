import { formatUsd, MICRO_PER_USD } from "#internal/core/mod.ts";
import { resolve } from "node:path";
import { argument, defineCommand, list, toggle, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { account, folder, usd, usdOrNone, walletName } from "../readers.ts";
import { address } from "./_server.ts";
import { byteCount, dirFlag } from "./_storage.ts";

const DEFAULT_MAX_SIZE = 1e9;
const DEFAULT_MAX_TOTAL = 10e9;
/** A proof's fee is 0.0011 USD: what pays less loses money each round. */
const DEFAULT_MIN_PRICE = 2_000n;
const DEFAULT_MAX_COLLATERAL = 10n * MICRO_PER_USD;

export const command = defineCommand({
  path: "storage provide",
  brief:
    "Be a storage provider until Ctrl-C: accept deals that meet the terms, prove every round, " +
    "close what is over. It goes on from its folder after a stop or a crash.",
  args: { wallet: argument(walletName, "the provider: puts up collateral, is paid") },
  flags: {
    dir: dirFlag,
    minPrice: value(usd, "the least that a round has to pay", {
      default: `default ${formatUsd(DEFAULT_MIN_PRICE)}: a proof costs 0.0011`,
    }),
    maxCollateral: value(usdOrNone, "the most put up for one deal", {
      default: `default ${formatUsd(DEFAULT_MAX_COLLATERAL)}`,
    }),
    maxSize: value(byteCount, "the largest file taken, as 500M or 2G", { default: "default 1G" }),
    maxTotal: value(byteCount, "the most that all files may take", { default: "default 10G" }),
    client: list(account, "take deals of this client alone"),
    local: list(folder, "take file:// deals whose file lies in this folder of this machine"),
    allowPrivate: toggle("take what private addresses serve too, this machine's among them"),
    listen: value(address("127.0.0.1:8600"), "serve the kept files there over HTTP, by deal", {
      default: "nowhere",
    }),
  },
  examples: [
    ["sion storage provide bob --dir kept --local .", "keep files of this folder's deals"],
    [
      "sion storage provide keeper --min-price 0.01 --max-size 2G --listen 0.0.0.0:8600",
      "take any deal that pays, and give files back",
    ],
  ],
  json: "one object a line: {files, wallet} when it is ready, then {deal, kind, text} an event",
  node: true,
  endless: true,
  exits: [EXIT.unknown],
  async run(context, { args: { wallet }, flags }) {
    const { output, json, cwd, signal } = context;
    const { client, dir, local, listen } = flags;
    context.onInterrupt("files and deals are kept, the same command goes on with them");
    const opened = await context.client();
    await opened.storage.provide({
      wallet,
      ...(dir === undefined ? {} : { dir: resolve(cwd, dir) }),
      terms: {
        maxFileBytes: flags.maxSize ?? DEFAULT_MAX_SIZE,
        maxTotalBytes: flags.maxTotal ?? DEFAULT_MAX_TOTAL,
        minPrice: flags.minPrice ?? DEFAULT_MIN_PRICE,
        maxCollateral: flags.maxCollateral ?? DEFAULT_MAX_COLLATERAL,
        local: local.map((path) => resolve(cwd, path)),
        allowPrivate: flags.allowPrivate,
        ...(client.length === 0 ? {} : { clients: client }),
      },
      ...(listen === undefined ? {} : { listen }),
      signal,
      onReady(url) {
        const files = url ?? null;
        if (json) return output.jsonLine({ files, wallet });
        output.line(
          `${wallet} provides storage${files === null ? "" : `, its files are at ${files}`}`,
        );
        output.hint(["Ctrl-C stops it; the same command goes on from its folder."]);
      },
      onEvent({ kind, deal, text }) {
        if (json) return output.jsonLine({ deal, kind, text });
        output.line(`deal ${output.id(deal)} ${kind.replace("-", " ")}: ${text}`);
      },
    });
  },
});
