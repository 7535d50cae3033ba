/** `storage_post`: escrows what keeping a file shall cost, for a provider to accept. */
import { id, option, struct, text, u64, u8 } from "#internal/core/mod.ts";
import { USD } from "../context.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { leavesOf } from "../storage.ts";

const MAX_SIZE = 2n ** 50n;
const MAX_ROUNDS = 1_000_000n;
const MIN_LENGTH = 8n;
const MAX_LENGTH = 100_000n;
const MAX_CHALLENGES = 16;
const MAX_U64 = 2n ** 64n - 1n;

/** docs/protocol/storage.md, storage_post. */
export const storagePost = defineKind({
  name: "storage_post",
  tag: 72,
  codec: struct({
    provider: option(id),
    size: u64,
    root: id,
    locator: option(text(1024)),
    price: u64,
    rounds: u64,
    length: u64,
    challenges: u8,
    collateral: u64,
    acceptBy: u64,
  }),
  fixes: "execution",
  beyond: () => 100n,
  fault({ provider, size, locator, price, rounds, length, challenges, collateral }) {
    if (size < 1n || size > MAX_SIZE) return "no deal is about a file of that size";
    if (price === 0n) return "an amount is 0";
    if (rounds < 1n || rounds > MAX_ROUNDS) return "no deal has that many rounds";
    if (length % 8n !== 0n || length < MIN_LENGTH || length > MAX_LENGTH) {
      return "no round is of that many Pulses";
    }
    if (challenges < 1 || challenges > MAX_CHALLENGES) return "no round asks for that many leaves";
    if (price * rounds > MAX_U64) return "the escrow is more than 64 bits";
    if (locator !== null && !isLocator(locator)) return "a locator is none";
    if (provider !== null) return null;
    if (locator === null) return "nobody in particular is told where the file is";
    return collateral === 0n ? "nobody in particular puts nothing up" : null;
  },
  apply(context, body) {
    const { account: client, pulse: posted } = context;
    const { acceptBy, collateral, price, provider, rounds, size } = body;
    if (acceptBy < posted) {
      invalid(`the storage deal could be accepted through Pulse ${acceptBy} only`);
    }
    context.take(USD, price * rounds);
    const phase = { kind: "open" as const, body: {} };
    const deal = context.make("storage_deal", () => ({ ...body, client, posted, phase }));
    const leaves = leavesOf(size);
    return { DealPosted: { client, collateral, deal, leaves, price, provider, rounds } };
  },
});

/** ASCII without space and controls. */
function isLocator(text: string): boolean {
  return /^(?:https:\/\/|file:\/\/\/)[\x21-\x7e]+$/.test(text);
}
