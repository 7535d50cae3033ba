import { join, resolve } from "node:path";
import { quoteOddWord, shellWord } from "#internal/core/mod.ts";
import { displayPath } from "#internal/runtime/mod.ts";
import { defineCommand, list, toggle, value } from "../command.ts";
import { usageError } from "../errors.ts";
import type { Reader } from "../command.ts";
import type { Program } from "../context.ts";
import { folder, integer } from "../readers.ts";

const listen: Reader<{ readonly host: string; readonly port: number }> = {
  placeholder: "HOST:PORT",
  read(given, what) {
    const match = /^(?:(\[[0-9a-f:.]+\]|[^:\s]+):)?(\d{1,5})$/i.exec(given);
    const port = Number(match?.[2] ?? NaN);
    if (match === null || port > 65_535) {
      throw usageError(
        `${what} ${quoteOddWord(given)} is no address: write it like 127.0.0.1:8400`,
      );
    }
    return { host: (match[1] ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1"), port };
  },
};

const hostName: Reader<string> = {
  placeholder: "NAME",
  read(given, what) {
    if (!/^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/i.test(given)) {
      throw usageError(
        `${what} ${given} is no host name: write it like node.example, without a port`,
      );
    }
    return given;
  },
};

export const command = defineCommand({
  path: "devnet",
  brief: "Start a local chain of four validators in this process. It goes on from its folder.",
  args: {},
  flags: {
    dir: value(folder, "the folder of the chain", { default: "default $SION_HOME/devnet" }),
    listen: value(listen, "where clients reach it; port 0 takes any free port", {
      default: "default 127.0.0.1:8400",
    }),
    allowHost: list(hostName, "a name besides localhost that clients may call it by"),
    validators: value(integer(1, 16), "validators of a fresh chain", { default: "4" }),
    shards: value(integer(1, 64), "shards of a fresh chain", { default: "2" }),
    epochPulses: value(integer(1, 1_000_000_000, "N"), "Pulses of an epoch of a fresh chain", {
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
    output.waiting("the validators");
    await using devnet = await startDevnet({
      dir,
      shown: displayPath(dir, env),
      ...flags.listen,
      allowHosts: flags.allowHost,
      ...(flags.validators === undefined ? {} : { validators: flags.validators }),
      ...(flags.shards === undefined ? {} : { shards: flags.shards }),
      ...(flags.epochPulses === undefined ? {} : { epochPulses: flags.epochPulses }),
      ...(flags.insecureSignatures ? { insecureSignatures: true } : {}),
      logger: {
        log(level, message, fields) {
          if (level === "warn" || level === "error") {
            output.note(logLine(level, message, fields));
          }
        },
      },
      // A bundle is one file, which its threads run too; from source they run less of it.
      ...(program.url.endsWith(".ts") ? {} : { workerEntry: program.url }),
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

/** A line of the node's log for people: `warning: Dropped a peer: it is of another chain`. */
export function logLine(
  level: "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const details = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  const word = level === "warn" ? "warning" : "error";
  return `${word}: ${message}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

/** The clone's folder in the URL of a program that runs from source, bundled or not. */
const SOURCE = /^file:\/\/(.*)\/(?:cmd\/[\w-]+\/main\.ts|\.cache\/source\/[\w-]+\.js)$/;

/** What to type in a terminal before `sion` means the clone's. */
function aliasOf({ origin, url }: Program): readonly string[] {
  const root = origin === "source" ? SOURCE.exec(decodeURI(url))?.[1] : undefined;
  return root === undefined ? [] : [`  alias sion=${shellWord(`${root}/scripts/sion`)}`];
}

function hints(url: string, program: Program): readonly string[] {
  const node = url === "http://127.0.0.1:8400" ? "" : ` --node ${url}`;
  return [
    "Next, in another terminal (any name is a wallet here):",
    ...aliasOf(program),
    `  sion faucet alice 100${node}      give alice money`,
    `  sion pay alice bob 1.5${node}     pay bob`,
    "Ctrl-C stops it and keeps its folder; the same command goes on from there.",
  ];
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}
