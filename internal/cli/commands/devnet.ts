import { join, resolve } from "node:path";
import { shellWord } from "#internal/core/mod.ts";
import { DEFAULT_NODE_URL, DEFAULT_SHARDS, MAX_CHAIN_SHARDS } from "#internal/rpc/mod.ts";
import { displayPath } from "#internal/runtime/mod.ts";
import { defineCommand, toggle, value } from "../command.ts";
import type { Program } from "../context.ts";
import { epochLength, folder, integer } from "../readers.ts";
import { clientFlags, serverLogger, stopped, workerEntryOf } from "./_server.ts";

export const command = defineCommand({
  path: "devnet",
  brief: "Start a local chain of four validators in this process. It goes on from its folder.",
  args: {},
  flags: {
    dir: value(folder, "the folder of the chain", { default: "default $SION_HOME/devnet" }),
    ...clientFlags,
    validators: value(integer(1, 16), "validators of a fresh chain", { default: "4" }),
    shards: value(integer(1, MAX_CHAIN_SHARDS), "shards of a fresh chain", {
      default: `${DEFAULT_SHARDS}`,
    }),
    epochPulses: value(epochLength, "Pulses of an epoch of a fresh chain", {
      default: "epochs never end",
    }),
    insecureSignatures: toggle("signatures that cost nothing and prove nothing, for tests"),
  },
  examples: [
    ["sion devnet", "start, or go on"],
    ["sion devnet --dir /tmp/chain --listen 127.0.0.1:0", "another chain on any free port"],
  ],
  json: "{chain, chain_id, node} on one line when it is ready",
  node: false,
  endless: true,
  async run(context, { flags }) {
    const { output, json, signal, env, program } = context;
    const { readyLine, startDevnet } = await import("#internal/node/mod.ts");
    const dir = flags.dir === undefined
      ? join(context.home, "devnet")
      : resolve(context.cwd, flags.dir);
    context.onInterrupt("the chain is kept in its folder");
    // Elsewhere standard error is a log of JSON lines.
    if (output.stderr.isTty) output.waiting("the validators");
    await using devnet = await startDevnet({
      dir,
      shown: displayPath(dir, env),
      ...flags.listen,
      allowHosts: flags.allowHost,
      ...(flags.validators === undefined ? {} : { validators: flags.validators }),
      ...(flags.shards === undefined ? {} : { shards: flags.shards }),
      ...(flags.epochPulses === undefined ? {} : { epochPulses: flags.epochPulses }),
      ...(flags.insecureSignatures ? { insecureSignatures: true } : {}),
      logger: serverLogger(output),
      ...workerEntryOf(program),
    });
    output.waiting(undefined);
    // Interrupted while it started: it is not ready for anybody.
    if (signal.aborted) return;
    if (json) {
      output.jsonLine({ chain: devnet.chain, chain_id: devnet.chainId, node: devnet.url });
    } else {
      output.line(readyLine(devnet));
      output.hint(hints(devnet.url, program));
    }
    await Promise.race([devnet.fault, stopped(signal)]);
  },
});

/** The clone's folder in the URL of a program that runs from source, bundled or not. */
const SOURCE = /^file:\/\/(.*)\/(?:cmd\/[\w-]+\/main\.ts|\.cache\/source\/[\w-]+\.js)$/;

/** What to type in a terminal before `sion` means the clone's. */
function aliasOf({ origin, url }: Program): readonly string[] {
  const root = origin === "source" ? SOURCE.exec(decodeURI(url))?.[1] : undefined;
  return root === undefined ? [] : [`  alias sion=${shellWord(`${root}/scripts/sion`)}`];
}

function hints(url: string, program: Program): readonly string[] {
  const node = url === DEFAULT_NODE_URL ? "" : ` --node ${url}`;
  return [
    "Next, in another terminal (any name is a wallet here):",
    ...aliasOf(program),
    `  sion faucet alice 100${node}      give alice money`,
    `  sion pay alice bob 1.5${node}     pay bob`,
    `  sion explore${node}               look at the chain in a browser`,
    "Ctrl-C stops it and keeps its folder; the same command goes on from there.",
  ];
}
