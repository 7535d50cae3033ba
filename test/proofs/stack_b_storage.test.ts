import { beforeEach, describe, expect, it } from "vitest";
import { fromHex, toHex } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";
import type { Wallet } from "./_stack_b.ts";
import { USD, walletOf } from "./_stack_b.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";
import { challengedIn, fileOf, LEAF_BYTES } from "./_storage.ts";

/** What a transaction alone in its unit costs, micro-USD; posting a deal 100 more. */
const FEE = 1100n;
const [POST, ACCEPT, PROVE, CLOSE] = [72, 73, 74, 75] as const;

const [alice, bob, carol] = await Promise.all(["alice", "bob", "carol"].map(walletOf)) as [
  Wallet,
  Wallet,
  Wallet,
];
let story: Story;
beforeEach(() => {
  story = new Story([alice, bob, carol]);
});

const FILE = fileOf(3 * LEAF_BYTES + 7);
const TERMS = {
  provider: null,
  size: FILE.size,
  root: FILE.root,
  locator: "file:///tmp/a",
  price: 30n,
  rounds: 5n,
  length: 8n,
  challenges: 2,
  collateral: 101n,
  acceptBy: 50n,
};

async function reasonOf(wallet: Wallet, tag: number, body: object): Promise<string | null> {
  return (await story.act(wallet, tag, body)).reason;
}

/** A deal that bob accepted in Pulse 2: its first round begins with Pulse 8. */
async function accepted(): Promise<string> {
  const deal = await story.does(alice, POST, TERMS);
  await story.does(bob, ACCEPT, { deal, collateral: 101n });
  return deal;
}

/** Bob's proof of a round, in the Pulse after the round's first. */
async function proves(deal: string, round: bigint): Promise<string | null> {
  const first = 8n * round;
  // Carol keeps the Pulses going.
  story.pulse = first - 1n;
  await story.act(carol, CLOSE, { deal });
  return reasonOf(bob, PROVE, { deal, round, leaves: leavesAsked(deal, round) });
}

function leavesAsked(deal: string, round: bigint): unknown[] {
  const beacon = fromHex(story.beacon(8n * round));
  return challengedIn({ file: FILE, deal, round, challenges: 2, beacon }).map(FILE.leaf);
}

describe("executeByStackB() on storage deals", () => {
  it("a deal takes its escrow from who posts it, and its object is byte by byte as specified", async () => {
    const { receipt, made } = await story.act(alice, POST, TERMS);
    expect(receipt.made).toEqual([made]);
    expect(receipt.fee).toBe(FEE + 100n);
    expect(receipt.events).toEqual([{
      DealPosted: {
        client: alice.account,
        collateral: 101n,
        deal: made,
        leaves: 4n,
        price: 30n,
        provider: null,
        rounds: 5n,
      },
    }]);
    expect(story.balance(alice)).toBe(FUNDS - FEE - 100n - 150n);
    const u64 = (value: number) => [value % 256, Math.floor(value / 256), 0, 0, 0, 0, 0, 0];
    const locator = [13, ...new TextEncoder().encode("file:///tmp/a")];
    expect([...story.bytes(made)]).toEqual([
      ...[72, ...fromHex(alice.account), 0, ...u64(3 * 1024 + 7), ...fromHex(FILE.root)],
      ...[1, ...locator, ...u64(30), ...u64(5), ...u64(8), 2, ...u64(101), ...u64(50), ...u64(1)],
      0,
    ]);
  });

  it("every eighth Pulse keeps its beacon, over that of 100,000 Pulses before", async () => {
    const slotOf = (slot: number) =>
      toHex(taggedHash("sion/beacon-slot/v1", Uint8Array.of(slot % 256, slot >> 8)));
    for (
      const [pulse, slot] of [[8n, 1], [99_992n, 12_499], [100_000n, 0], [100_008n, 1]] as const
    ) {
      story.pulse = pulse - 1n;
      await story.act(carol, CLOSE, { deal: USD });
      expect(story.object("beacon", slotOf(slot))).toEqual({ pulse, beacon: story.beacon(pulse) });
      await story.act(carol, CLOSE, { deal: USD });
      expect(story.object("beacon", slotOf(slot)).pulse).toBe(pulse);
    }
  });

  it("a round is proven by the leaves that its first Pulse's beacon draws, once it has executed", async () => {
    const deal = await accepted();
    const phase = () => story.object("storage_deal", deal).phase;
    expect(phase()).toEqual({ kind: "active", body: { start: 8n, proven: 0n, last: 0n } });
    expect(story.balance(bob)).toBe(FUNDS - FEE - 101n);
    story.pulse = 7n;
    const early = { deal, round: 1n, leaves: [FILE.leaf(0)] };
    expect(await reasonOf(bob, PROVE, early)).toBe(
      "invalid transaction: the challenge of round 1 is not drawn yet",
    );
    expect(await reasonOf(carol, PROVE, early)).toBe(
      "unauthorized: only the provider of a storage deal may prove it",
    );
    const leaves = leavesAsked(deal, 1n);
    expect(leaves.length).toBe(2);
    expect(await reasonOf(bob, PROVE, { deal, round: 1n, leaves: leaves.slice(1) })).toBe(
      "invalid transaction: the proof does not show the challenged leaves",
    );
    const { receipt } = await story.act(bob, PROVE, { deal, round: 1n, leaves });
    expect(receipt.events).toEqual([
      { RoundProven: { deal, proven: 1n, provider: bob.account, round: 1n } },
    ]);
    expect(phase()).toEqual({ kind: "active", body: { start: 8n, proven: 1n, last: 1n } });
    expect(await reasonOf(bob, PROVE, { deal, round: 1n, leaves })).toBe(
      "invalid transaction: round 1 of the storage deal is proven already",
    );
    expect(await reasonOf(bob, PROVE, { deal, round: 2n, leaves })).toBe(
      "invalid transaction: round 2 of the storage deal is not under way",
    );
  });

  it("the challenged leaf of a file of one leaf is that leaf, whose hash is the root", async () => {
    const data = Uint8Array.of(1, 2, 3);
    const root = toHex(sha256(Uint8Array.of(0), data));
    const deal = await story.does(alice, POST, { ...TERMS, size: 3n, root, challenges: 16 });
    await story.does(bob, ACCEPT, { deal, collateral: 101n });
    story.pulse = 7n;
    await story.act(carol, CLOSE, { deal });
    const proof = (leaf: object) => ({ deal, round: 1n, leaves: [leaf] });
    const path = [FILE.root];
    expect(await reasonOf(bob, PROVE, proof({ data, path }))).toMatch(/does not show/);
    expect(await reasonOf(bob, PROVE, proof({ data, path: [] }))).toBeNull();
  });

  it("a deal that is over pays its proven rounds and keeps back a share for the missed", async () => {
    const deal = await accepted();
    for (const round of [1n, 3n, 4n]) expect(await proves(deal, round)).toBeNull();
    story.pulse = 46n;
    expect(await reasonOf(bob, CLOSE, { deal })).toBe(
      "invalid transaction: the storage deal runs through Pulse 47",
    );
    expect(await reasonOf(carol, CLOSE, { deal })).toBe(
      "unauthorized: only client and provider may close a storage deal",
    );
    const [before, earlier] = [story.balance(alice), story.balance(bob)];
    const { receipt } = await story.act(bob, CLOSE, { deal });
    const parted = { missed: 2n, paid: 90n, refund: 60n, returned: 60n, forfeited: 41n };
    expect(receipt.events).toEqual([{ DealClosed: { deal, ...parted } }]);
    expect(story.object("storage_deal", deal).phase).toEqual({
      kind: "closed",
      body: { at: 49n, proven: 3n, ...parted },
    });
    expect(story.balance(alice)).toBe(before + 60n);
    expect(story.balance(bob)).toBe(earlier - FEE + 150n);
    expect(story.object("asset", USD).treasury).toBe(41n);
    expect(await reasonOf(bob, CLOSE, { deal })).toBe(
      "invalid transaction: the storage deal is closed already",
    );
  });

  it("a client closes an abandoned deal early, and all collateral is forfeited", async () => {
    const deal = await accepted();
    expect(await proves(deal, 1n)).toBeNull();
    story.pulse = 38n;
    expect(await reasonOf(alice, CLOSE, { deal })).toBe(
      "invalid transaction: the storage deal runs through Pulse 47, and its provider has not missed three rounds in a row",
    );
    const { receipt } = await story.act(alice, CLOSE, { deal });
    expect(receipt.events).toEqual([{
      DealClosed: { deal, forfeited: 101n, missed: 3n, paid: 30n, refund: 120n, returned: 0n },
    }]);
    expect(story.object("asset", USD).treasury).toBe(101n);
  });
});
