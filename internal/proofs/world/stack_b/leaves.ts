/** The shards' leaves: what a Pulse did in each. docs/protocol/ledger.md, Leaf. */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, encode, id, list, struct, u16, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Credit } from "./context.ts";
import { rootOfList } from "./log.ts";
import { shardOf } from "./objects.ts";
import type { Receipt } from "./receipt.ts";

/** No bound of its own: a Pulse bounds its units. */
const ANY = 0xffff_ffff;

const creditsCodec: Codec<readonly Omit<Credit, "from">[]> = list(
  struct({ transaction: id, account: id, asset: id, amount: u64 }),
  ANY,
);

const leafCodec = struct({
  shard: u16,
  pre: bytes32,
  executed: bytes32,
  creditsOut: bytes32,
  creditsIn: bytes32,
  post: bytes32,
});

/** The root over one leaf a shard. Receipts and credits are in certified order. */
export function leavesRoot(pulse: {
  /** Roots of the shards' trees. */
  readonly before: readonly Uint8Array[];
  readonly after: readonly Uint8Array[];
  readonly receipts: readonly Receipt[];
  readonly credits: readonly Credit[];
}): Uint8Array {
  const shards = pulse.before.length;
  const leaves = pulse.before.map((pre, shard) => {
    const here = (account: string) => shardOf(account, shards) === shard;
    const digests = pulse.receipts.filter((one) => here(one.account)).map((one) => one.digest);
    const out = pulse.credits.filter((credit) => here(credit.from));
    const into = pulse.credits.filter((credit) => here(credit.account));
    const leaf = {
      shard,
      pre,
      executed: taggedHash("sion/executed/v1", encode(list(id, ANY), digests)),
      creditsOut: taggedHash("sion/credits/v1", encode(creditsCodec, out)),
      creditsIn: taggedHash("sion/credits/v1", encode(creditsCodec, into)),
      post: pulse.after[shard] as Uint8Array,
    };
    return taggedHash("sion/leaf/v1", encode(leafCodec, leaf));
  });
  return rootOfList(leaves);
}
