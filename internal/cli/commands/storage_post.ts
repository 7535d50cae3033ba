import {
  ACCEPTANCE_PULSES,
  BEACON_PULSES,
  DEFAULT_CHALLENGES,
  DEFAULT_ROUND_PULSES,
  MAX_CHALLENGES,
  MAX_ROUND_PULSES,
  MAX_ROUNDS,
  shortId,
} from "#internal/core/mod.ts";
import { resolve } from "node:path";
import { argument, defineCommand, neededValue, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import {
  account,
  integer,
  multipleOf,
  path,
  span,
  spanNote,
  text,
  usd,
  usdOrNone,
  walletName,
} from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "storage post",
  brief:
    "Have a file kept by a provider, which is paid for each round that it proves to hold it, and " +
    "loses collateral for each that it does not. Proofs publish parts of the file for good: " +
    "encrypt what is private first.",
  args: {
    wallet: argument(walletName, "who pays"),
    path: argument(path, "the file; it is read, and stays where it is"),
  },
  flags: {
    price: neededValue(usd, "USD for each proven round", "give what a round is worth"),
    rounds: neededValue(
      integer(1, Number(MAX_ROUNDS)),
      "how many rounds it is to be kept",
      "give how long it is to be kept",
    ),
    roundLength: value(
      multipleOf(Number(BEACON_PULSES), Number(MAX_ROUND_PULSES), "PULSES"),
      "how long a round is: a multiple of 8",
      { default: `default ${DEFAULT_ROUND_PULSES}` },
    ),
    challenges: value(
      integer(1, MAX_CHALLENGES),
      "leaves of 1,024 bytes that each round asks for",
      { default: `default ${DEFAULT_CHALLENGES}` },
    ),
    collateral: value(usdOrNone, "USD that the provider puts up", {
      default: "default what all rounds cost; 0 for a named provider",
    }),
    provider: value(account, "whom it is meant for", { default: "whoever accepts it first" }),
    locator: value(text("URL"), "an https:// URL where providers get the file"),
    local: toggle("providers of this machine get the file itself; its path is published"),
    acceptWithin: value(span, "how long it can be accepted, as 100 or 30m", {
      default: `default ${ACCEPTANCE_PULSES} Pulses`,
    }),
  },
  examples: [
    [
      "sion storage post robot-7 patrol.bin --price 0.25 --rounds 4 --local",
      "for a provider of this machine",
    ],
    [
      "sion storage post dana backup.age --price 0.01 --rounds 1000 --round-length 800 " +
      "--locator https://example.com/backup.age --collateral 20",
      "for any provider",
    ],
  ],
  json: "as sion_storage_post returns it, with digest, events and fee",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { rounds, price, roundLength, challenges, collateral, provider, locator, local } = flags;
    const { acceptWithin } = flags;
    if (provider === undefined && locator === undefined && !local) {
      throw usageError(
        "a deal for any provider says where the file is to be had: give --locator <URL>, or " +
          "--local for providers of this machine",
      );
    }
    const client = await context.client();
    for (const note of acceptWithin ? spanNote("--accept-within", acceptWithin) : []) {
      context.output.note(note);
    }
    const posted = await client.storage.post({
      wallet: args.wallet,
      path: resolve(context.cwd, args.path),
      price,
      rounds,
      local,
      ...(roundLength === undefined ? {} : { roundLength }),
      ...(challenges === undefined ? {} : { challenges }),
      ...(collateral === undefined ? {} : { collateral }),
      ...(provider === undefined ? {} : { provider }),
      ...(locator === undefined ? {} : { locator }),
      ...(acceptWithin === undefined ? {} : { acceptWithin: acceptWithin.pulses }),
      ...telling(context),
    });
    const deal = posted.status === "Success" ? posted.made[0] : undefined;
    if (context.json) {
      const { leaves, root } = posted;
      context.output.json({ ...outcomeValue(posted, { deal }), leaves, root });
    } else if (deal !== undefined) {
      context.output.line(`deal ${deal}`);
      context.output.hint([
        `\`sion storage show ${shortId(deal)}\` says who keeps it, and how.`,
      ]);
    }
    return exitOf(posted);
  },
});
