import { dirname, join, resolve } from "node:path";
import { displayPath, pathExists } from "#internal/runtime/mod.ts";
import type { ShownPath } from "#internal/node/mod.ts";
import { defineCommand, list, neededValue, value } from "../command.ts";
import { usageError } from "../errors.ts";
import { folder, path } from "../readers.ts";
import {
  clientFlags,
  peerAddresses,
  peerListen,
  serverLogger,
  stopped,
  workerEntryOf,
} from "./_server.ts";

export const command = defineCommand({
  path: "node",
  brief: "Run one node of a network: a validator by its key, or without one a full node that " +
    "follows, checks everything and answers clients.",
  args: {},
  flags: {
    genesis: neededValue(
      path,
      "what the chain begins from: the same file for the whole network",
      "`sion genesis new` makes one",
    ),
    key: value(path, "the validator's key.json, with its node.sqlite beside it", {
      default: "it follows",
    }),
    peers: list(peerAddresses, "where other nodes listen for peers, in any order"),
    peerListen: value(peerListen, "where a validator listens for peers", {
      default: "default 127.0.0.1:8500",
    }),
    ...clientFlags,
    dir: value(folder, "the folder of the store", {
      default: "default the key's folder; without a key $SION_HOME/node",
    }),
  },
  examples: [
    [
      "sion node --genesis genesis.json --key v0/key.json --peers 10.0.0.2:8500,10.0.0.3:8500",
      "run a validator",
    ],
    ["sion node --genesis genesis.json --peers 10.0.0.1:8500", "follow the chain"],
  ],
  json: "{chain, chain_id, node, peer, validator} on one line when it is ready",
  node: false,
  endless: true,
  async run(context, { flags }) {
    const { output, json, signal, env, program, cwd, home } = context;
    const peers = flags.peers.flat();
    const { nodeReadyLine, startNode } = await import("#internal/node/mod.ts");
    const shown = (given: string): ShownPath => {
      const absolute = resolve(cwd, given);
      return { path: absolute, shown: displayPath(absolute, env) };
    };
    const key = flags.key === undefined ? undefined : shown(flags.key);
    const dir = flags.dir !== undefined
      ? shown(flags.dir)
      : key === undefined
      ? shown(join(home, "node"))
      : shown(dirname(key.path));
    const genesis = shown(flags.genesis);
    // A file that is not there is told first, by what reads it.
    if (key === undefined && peers.length === 0 && await pathExists(genesis.path)) {
      throw usageError("a node that follows needs --peers <HOST:PORT>: give a validator's address");
    }
    context.onInterrupt("the chain is kept in its folder");
    // Elsewhere there are lines of JSON, and nothing between them.
    if (output.stderr.isTty) output.waiting("the node");
    await using node = await startNode({
      genesis,
      ...(key === undefined ? {} : { key }),
      dir,
      peers,
      ...(flags.peerListen === undefined ? {} : { peerListen: flags.peerListen }),
      ...flags.listen,
      allowHosts: flags.allowHost,
      logger: serverLogger(output),
      ...workerEntryOf(program),
    });
    output.waiting(undefined);
    // Interrupted while it started: it is not ready for anybody.
    if (signal.aborted) return;
    if (json) {
      output.jsonLine({
        chain: node.chain,
        chain_id: node.chainId,
        node: node.url,
        peer: node.peerAddress,
        validator: node.validator,
      });
    } else {
      output.line(nodeReadyLine(node));
      output.hint([
        `Clients reach it with --node ${node.url}` +
        (node.peerAddress === null ? "." : `, peers at ${node.peerAddress}.`),
        "Ctrl-C stops it and keeps its folder; the same command goes on from there.",
      ]);
    }
    await Promise.race([node.fault, stopped(signal)]);
  },
});
