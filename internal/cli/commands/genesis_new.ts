import { resolve } from "node:path";
import { parseUsd, quoteOddWord } from "#internal/core/mod.ts";
import {
  DEFAULT_CLIENT_PORT,
  DEFAULT_PEER_PORT,
  DEFAULT_SHARDS,
  DEFAULT_STAKE,
  DEVNET_CHAIN_PREFIX,
  isDevnet,
  MAX_CHAIN_SHARDS,
} from "#internal/rpc/mod.ts";
import { displayPath, systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { Reader } from "../command.ts";
import { argument, defineCommand, list, toggle, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";
import { epochLength, integer, path, text, usd } from "../readers.ts";
import { genesisAccount } from "./_genesis.ts";

const DEFAULT_CHAIN_ID = "sion-net-1";

interface Sum {
  readonly what: string;
  /** Micro-USD. */
  readonly amount: bigint;
}

/** `NAME=USD`, where the amount can be left out if `optional`. */
function sum(placeholder: string, example: string): Reader<Sum> {
  return {
    placeholder,
    read(given, option) {
      const at = given.lastIndexOf("=");
      if (at < 1) {
        throw usageError(`${option} ${quoteOddWord(given)} names no sum: write it like ${example}`);
      }
      return { what: given.slice(0, at), amount: parseUsd(given.slice(at + 1)) };
    },
  };
}

const fund = sum("ACCOUNT=USD", "alice=1000");

/** A public part, with its stake if it is not as the others'. */
const validatorPart: Reader<{ readonly file: string; readonly stake?: bigint }> = {
  placeholder: "FILE[=USD]",
  offers: "files",
  read(given, option) {
    // Files may have = in their names: what follows it is a sum if it is a number, or after .json.
    if (!/=[\d.]+$|\.json=[^/]*$/.test(given)) return { file: given };
    const { what, amount } = sum("FILE=USD", "v0/validator.json=200000").read(given, option);
    return { file: what, stake: amount };
  },
};

export const command = defineCommand({
  path: "genesis new",
  brief: "Make the genesis of a network from its validators' public parts, or with --validators " +
    "a whole test network in one folder.",
  args: { path: argument(path, "the file to make; with --validators a folder") },
  flags: {
    validator: list(
      validatorPart,
      "a validator.json that `sion genesis key` made, and its stake; their order is that of the " +
        "committee",
    ),
    validators: value(
      integer(1, 16),
      "make a test network of so many, with their keys; it is a devnet, sion-devnet-1, whose " +
        "operators are the wallets operator-0, operator-1 and so on",
    ),
    chainId: value(text("ID"), "the chain's name", { default: DEFAULT_CHAIN_ID }),
    stake: value(usd, "stake of each validator that is given none", { default: "100000" }),
    fund: list(
      fund,
      "what an account begins with: 64 hex digits, a wallet kept here, or on a " +
        "devnet any name",
    ),
    shards: value(integer(1, MAX_CHAIN_SHARDS), "shards", { default: `${DEFAULT_SHARDS}` }),
    epochPulses: value(epochLength, "Pulses of an epoch", {
      default: "epochs never end",
    }),
    faucet: toggle(
      `a faucet that makes money: on chains whose id begins with ${DEVNET_CHAIN_PREFIX}; its fees ` +
        "are paid by operator-0, operator-1 and so on, which need --fund",
    ),
    insecureSignatures: toggle("signatures that cost nothing and prove nothing, for tests"),
  },
  examples: [
    [
      "sion genesis new genesis.json --validator v0/validator.json --validator v1/validator.json " +
      "--fund $ACCOUNT=1000",
      "a network of two",
    ],
    ["sion genesis new testnet --validators 4", "four keys and their genesis in one folder"],
  ],
  json: "{chain, chain_id, genesis, nodes}, each node's command",
  node: false,
  async run(context, { args, flags }) {
    const { output, json, env, cwd } = context;
    const where = { path: resolve(cwd, args.path), shown: args.path };
    if ((flags.validators === undefined) === (flags.validator.length === 0)) {
      throw usageError(
        "sion genesis new needs --validator <FILE> for each validator, or --validators <N>: " +
          "`sion genesis key` makes the files",
      );
    }
    const made = flags.validators === undefined
      ? { ...await genesisOfParts(context, where, flags), keys: [] }
      : await testNetwork(where, { ...flags, validators: flags.validators });
    const nodes = made.keys.map((key, index) =>
      nodeCommand(index, made.keys.length, {
        genesis: displayPath(made.genesis, env),
        key: displayPath(key, env),
      })
    );
    if (json) {
      const { chain, chainId, genesis } = made;
      return output.json({ chain, chain_id: chainId, genesis, nodes });
    }
    output.line(`chain ${made.chainId}, identity ${made.chain}`);
    for (const node of nodes) output.line(node);
    if (nodes.length === 0) {
      output.hint([`Give ${args.path} to all of the network: each starts sion node with it.`]);
    }
  },
});

interface Where {
  readonly path: string;
  readonly shown: string;
}

interface Made {
  readonly chain: string;
  readonly chainId: string;
  readonly genesis: string;
  readonly keys: readonly string[];
}

/** The flags of a genesis as they were read. */
interface GenesisFlags {
  readonly validator: readonly { readonly file: string; readonly stake?: bigint }[];
  readonly chainId: string | undefined;
  readonly stake: bigint | undefined;
  readonly fund: readonly Sum[];
  readonly shards: number | undefined;
  readonly epochPulses: number | undefined;
  readonly faucet: boolean;
  readonly insecureSignatures: boolean;
}

async function genesisOfParts(
  context: CommandContext,
  { path, shown }: Where,
  flags: GenesisFlags,
): Promise<Omit<Made, "keys">> {
  const { makeGenesis, readPublicPart } = await import("#internal/node/mod.ts");
  const { chainId = DEFAULT_CHAIN_ID, stake = DEFAULT_STAKE, insecureSignatures: insecure } = flags;
  const validators = [];
  for (const { file, stake: own = stake } of flags.validator) {
    validators.push({ ...await readPublicPart(resolve(context.cwd, file), file), stake: own });
  }
  const accounts: [string, bigint][] = [];
  for (const { what, amount } of flags.fund) {
    const account = await genesisAccount(context, what, { devnet: isDevnet(chainId), insecure });
    if (accounts.some(([known]) => known === account)) {
      throw usageError(`--fund names ${what} twice: give one sum`);
    }
    accounts.push([account, amount]);
  }
  const chain = await makeGenesis(path, shown, {
    chainId,
    shards: flags.shards ?? DEFAULT_SHARDS,
    ...(flags.epochPulses === undefined ? {} : { epochPulses: flags.epochPulses }),
    faucet: flags.faucet,
    insecure,
    nowMs: systemClock.nowMs(),
    validators,
    accounts,
  });
  return { chain, chainId, genesis: path };
}

async function testNetwork(
  { path, shown }: Where,
  flags: GenesisFlags & { readonly validators: number },
): Promise<Made> {
  const { chainId, stake, fund, faucet } = flags;
  if (chainId !== undefined || stake !== undefined || fund.length > 0 || faucet) {
    throw usageError(
      "a test network is a devnet, with its wallets and faucet: leave out --chain-id, --stake, " +
        "--fund and --faucet, or make a genesis with --validator",
    );
  }
  const { makeTestNetwork } = await import("#internal/node/mod.ts");
  return await makeTestNetwork({
    dir: path,
    shown,
    shape: {
      validators: flags.validators,
      ...(flags.shards === undefined ? {} : { shards: flags.shards }),
      ...(flags.epochPulses === undefined ? {} : { epochPulses: flags.epochPulses }),
      insecureSignatures: flags.insecureSignatures,
    },
    random: systemRandom,
    nowMs: systemClock.nowMs(),
  });
}

/** What to type to run a validator of a test network on this machine. */
function nodeCommand(
  index: number,
  count: number,
  files: { readonly genesis: string; readonly key: string },
): string {
  const peers = Array.from({ length: count }, (_, i) => `127.0.0.1:${DEFAULT_PEER_PORT + i}`);
  const others = peers.filter((_, i) => i !== index);
  return [
    "sion node",
    `--genesis ${files.genesis}`,
    `--key ${files.key}`,
    `--listen 127.0.0.1:${DEFAULT_CLIENT_PORT + index}`,
    `--peer-listen 127.0.0.1:${DEFAULT_PEER_PORT + index}`,
    ...(others.length === 0 ? [] : [`--peers ${others.join(",")}`]),
  ].join(" ");
}
