import { describe, expect, test } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import type { Action, DealTerms, Receipt, ShownLeaf, StorageDeal } from "#internal/ledger/mod.ts";
import { assetKind, LEAF_BYTES, storageDealKind, USD } from "#internal/ledger/mod.ts";
import { logRoot } from "#internal/merkle/mod.ts";
import type { ProofOptions } from "../_storage.ts";
import {
  accept,
  close,
  dealOfBob,
  FILE,
  fileOf,
  leavesOf,
  placesOf,
  postDeal,
  prove,
  shownOf,
  termsOf,
} from "../_storage.ts";
import { accountOf, FUNDS, names, reasonOf, usd, World } from "../_world.ts";

const [alice, bob] = [accountOf("alice"), accountOf("bob")];

function failure(receipt: Receipt): string | undefined {
  expect(receipt.events).toEqual([]);
  expect(receipt.fee).toBe(1100n);
  return reasonOf(receipt);
}

function dealIn(world: World, deal: string): StorageDeal {
  return world.read(storageDealKind, deal) as StorageDeal;
}

/** A deal as programs see it. */
function viewOf(world: World, deal: string): Record<string, unknown> {
  const value = { kind: storageDealKind.name, value: dealIn(world, deal) };
  return world.ledger.viewObject(value, world) as Record<string, unknown>;
}

function treasury(world: World): bigint {
  return world.read(assetKind, USD)?.treasury ?? 0n;
}

/** Has a round proven, so early in it as can be. */
function proveRound(world: World, deal: string, round: bigint): Receipt {
  world.passTo(8n + 16n * (round - 1n));
  return world.do("bob", prove(deal, round));
}

/** Why a body gets no vote. */
function refusal(world: World, by: string, action: Action): string | undefined {
  const unit = world.unit(by, [action]);
  const context = { chain: unit.unit.chain, head: world.pulse, reservedOf: () => 0n };
  const votable = world.ledger.checkForVote(world.state, unit, context);
  return votable.ok ? undefined : `${votable.code}: ${votable.reason}`;
}

describe("storage_post", () => {
  test("storage_post escrows price times rounds for a root [L-091 L-516 L-517 L-518 L-527 L-541]", () => {
    const world = new World();
    const receipt = world.do("alice", postDeal());
    const [deal = ""] = receipt.made;
    expect(receipt.fee).toBe(1200n);
    expect(world.sentence(postDeal())).toBe(
      `Done: storage deal ${deal.slice(0, 8)} posted: 5 leaves, 4 rounds at 0.25 USD each, ` +
        "1 USD of collateral, open to any provider; fee 0.0012 USD.",
    );
    expect(world.balance(alice)).toBe(FUNDS - usd(1) - 1200n);
    expect(dealIn(world, deal)).toEqual({
      client: alice,
      ...termsOf(),
      posted: 1n,
      phase: { kind: "open", body: {} },
    });
    expect(receipt.events).toEqual([{
      DealPosted: {
        client: alice,
        collateral: usd(1),
        deal,
        leaves: 5n,
        price: usd(0.25),
        provider: null,
        rounds: 4n,
      },
    }]);
    expect(viewOf(world, deal)).toMatchObject({ escrow: usd(1), state: { phase: "open" } });
  });

  test("storage_post for one provider says so, without locator or collateral too [L-529 L-538]", () => {
    const world = new World();
    const action = postDeal({ provider: bob, locator: null, collateral: 0n, rounds: 1n, size: 1n });
    const intent = world.ledger.intent(world.unit("alice", [action]), names);
    expect(intent).toContain(
      "Have a file of 1 leaf (1 byte, root a975cc1a) kept for 1 round of 16 Pulses, at 0.25 USD a " +
        "round with 4 leaves challenged, by bob if it puts up 0 USD of collateral and accepts by " +
        "Pulse 208. Fee",
    );
    const deal = world.make("alice", action);
    expect(world.sentence(action)).toContain("0 USD of collateral, for bob to accept; fee");
    expect(failure(world.do("carol", accept(deal, 0n)))).toBe(
      "unauthorized: the storage deal is meant for another provider",
    );
    world.make("bob", accept(deal, 0n));
  });

  test("storage_post that no state could accept costs nothing [L-525 L-528 L-535 L-536 L-539 L-648]", () => {
    const world = new World();
    const refused: [Partial<DealTerms>, RegExp][] = [
      [{ size: 0n }, /1 to 2\^50 bytes/],
      [{ size: 2n ** 50n + 1n }, /1 to 2\^50 bytes/],
      [{ price: 0n }, /price of a round must be above 0/],
      [{ rounds: 0n }, /1 to 1000000 rounds/],
      [{ rounds: 1_000_001n }, /1 to 1000000 rounds/],
      ...[0n, 7n, 12n, 100_008n].map((length): [Partial<DealTerms>, RegExp] => [
        { length },
        /a multiple of 8 Pulses, at most 100000/,
      ]),
      [{ challenges: 0 }, /1 to 16 leaves/],
      [{ challenges: 17 }, /1 to 16 leaves/],
      [{ price: 2n ** 63n, rounds: 2n }, /more than can be paid/],
      ...[
        "http://example.com/a",
        "https://",
        "file://host/a",
        "file:///",
        "https://example.com/a b",
        "https://exämple.com/a",
        "",
      ].map((locator): [Partial<DealTerms>, RegExp] => [{ locator }, /a locator begins with/]),
      [{ locator: null }, /must say where its file is/],
      [{ collateral: 0n }, /must ask for collateral/],
    ];
    for (const [changed, why] of refused) {
      expect(refusal(world, "alice", postDeal(changed)), String(why)).toMatch(why);
    }
    const bounds: Partial<DealTerms>[] = [
      { size: 2n ** 50n },
      { rounds: 1_000_000n, price: 1n },
      { length: 100_000n },
      { length: 8n },
      { challenges: 16 },
      { challenges: 1 },
      { locator: "file:///a" },
      { locator: `https://${"a".repeat(1016)}` },
    ];
    for (const changed of bounds) {
      expect(refusal(world, "alice", postDeal(changed))).toBeUndefined();
    }
  });

  test("storage_post fails when nobody could accept it in time, or there is too little money", () => {
    const world = new World();
    expect(failure(world.do("alice", postDeal({ acceptBy: 0n })))).toBe(
      "invalid transaction: the storage deal could be accepted through Pulse 0 only",
    );
    world.make("alice", postDeal({ acceptBy: world.pulse + 1n }));
    expect(failure(world.do("alice", postDeal({ price: FUNDS })))).toBe(
      "invalid transaction: the balance is too low",
    );
  });
});

describe("storage_accept", () => {
  test("storage_accept puts up the collateral and starts the rounds [L-519 L-524 L-567]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal());
    const receipt = world.do("bob", accept(deal));
    expect(world.sentence(accept(deal))).toBe(
      `Done: storage deal ${deal.slice(0, 8)} accepted with 1 USD of collateral: ` +
        "round 1 begins at Pulse 8; fee 0.0011 USD.",
    );
    expect(receipt.events).toEqual([
      { DealAccepted: { collateral: usd(1), deal, provider: bob, start: 8n } },
    ]);
    expect(world.balance(bob)).toBe(FUNDS - usd(1) - 1100n);
    expect(dealIn(world, deal)).toMatchObject({
      provider: bob,
      phase: { kind: "active", body: { start: 8n, proven: 0n, last: 0n } },
    });
  });

  test("storage_accept in a Pulse that is a multiple of 8 begins eight Pulses later [L-566]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal());
    world.passTo(7n);
    world.make("bob", accept(deal));
    expect(dealIn(world, deal).phase.body).toMatchObject({ start: 16n });
  });

  test("storage_accept is refused too late, twice, with other collateral, without it [L-569 L-645]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal({ acceptBy: 4n }));
    const late = world.make("alice", postDeal({ acceptBy: 4n }));
    const gone = world.make("alice", postDeal());
    world.make("bob", accept(deal));
    expect(failure(world.do("bob", accept(late)))).toBe(
      "invalid transaction: the storage deal could be accepted through Pulse 4 only",
    );
    expect(failure(world.do("carol", accept(deal)))).toBe(
      "invalid transaction: the storage deal is accepted already",
    );
    for (const other of [0n, usd(1) - 1n, usd(2)]) {
      expect(failure(world.do("bob", accept(gone, other)))).toBe(
        "invalid transaction: the storage deal asks for 1 USD of collateral",
      );
    }
    const dear = world.make("alice", postDeal({ collateral: 2n * FUNDS }));
    expect(failure(world.do("bob", accept(dear, 2n * FUNDS)))).toBe(
      "invalid transaction: the balance is too low",
    );
    world.make("alice", close(gone));
    expect(failure(world.do("bob", accept(gone)))).toBe(
      "invalid transaction: the storage deal is closed",
    );
  });
});

describe("storage_prove", () => {
  test("storage_prove shows the leaves that the beacon drew, once a round [L-520 L-521 L-566]", () => {
    const world = new World();
    const deal = dealOfBob(world);
    const receipt = proveRound(world, deal, 1n);
    expect(receipt.fee).toBe(1100n);
    expect(receipt.events).toEqual([
      { RoundProven: { deal, proven: 1n, provider: bob, round: 1n } },
    ]);
    expect(world.sentence(prove(deal, 1n))).toBe(
      `Done: round 1 of storage deal ${deal.slice(0, 8)} proven (1 so far); fee 0.0011 USD.`,
    );
    expect(dealIn(world, deal).phase.body).toEqual({ start: 8n, proven: 1n, last: 1n });
    expect(failure(world.do("bob", prove(deal, 1n)))).toBe(
      "invalid transaction: round 1 of the storage deal is proven already",
    );
    expect(world.balance(bob)).toBe(FUNDS - usd(1) - 3n * 1100n);
  });

  test("storage_prove counts within its round, after its first Pulse [L-567]", () => {
    const world = new World();
    const deal = dealOfBob(world);
    const notUnderWay = (round: number) =>
      `invalid transaction: round ${round} of the storage deal is not under way`;
    expect(failure(world.do("bob", prove(deal, 1n)))).toBe(notUnderWay(1));
    world.passTo(7n);
    expect(failure(world.do("bob", prove(deal, 1n)))).toBe(
      "invalid transaction: the challenge of round 1 is not drawn yet",
    );
    expect(failure(world.do("bob", prove(deal, 2n)))).toBe(notUnderWay(2));
    world.passTo(22n);
    world.make("bob", prove(deal, 1n));
    expect(world.pulse).toBe(23n);
    expect(failure(world.do("bob", prove(deal, 1n)))).toBe(notUnderWay(1));
    world.passTo(70n);
    world.make("bob", prove(deal, 4n));
    expect(failure(world.do("bob", prove(deal, 4n)))).toBe(notUnderWay(4));
    expect(failure(world.do("bob", prove(deal, 5n)))).toBe(notUnderWay(5));
  });

  test("storage_prove is the provider's, of a deal that is under way", () => {
    const world = new World();
    const open = world.make("alice", postDeal());
    const deal = dealOfBob(world);
    expect(failure(world.do("bob", prove(open, 1n)))).toBe(
      "invalid transaction: the storage deal is not accepted",
    );
    expect(failure(world.do("alice", prove(deal, 1n)))).toBe(
      "unauthorized: only the provider of a storage deal may prove it",
    );
    world.make("alice", close(open));
    expect(failure(world.do("bob", prove(open, 1n)))).toBe(
      "invalid transaction: the storage deal is closed",
    );
    const nothing = "11".repeat(32);
    expect(failure(world.do("bob", prove(nothing, 1n)))).toBe(
      "invalid transaction: there is no storage deal 11111111",
    );
  });

  test("storage_prove with anything but the challenged leaves fails [L-520 L-566]", () => {
    const world = new World();
    const deal = dealOfBob(world);
    world.passTo(8n);
    const places = placesOf(deal, 1n);
    const others = [0n, 1n, 2n, 3n, 4n].filter((place) => !places.includes(place));
    expect([places.length, others.length]).toEqual([2, 3]);
    const good = shownOf(FILE, places);
    const [first] = good as [ShownLeaf];
    const other = fileOf(FILE.length - 1);
    const bad: ShownLeaf[][] = [
      good.slice(1),
      [...good, first],
      good.toReversed(),
      shownOf(FILE, others).slice(0, good.length),
      shownOf(other, places),
      good.map(({ data, path }) => ({ data: data.slice(0, -1), path })),
      good.map(({ data, path }) => ({ data: data.toReversed(), path })),
      good.map(({ data, path }) => ({ data, path: path.toReversed() })),
      good.map(({ data, path }) => ({ data, path: path.slice(1) })),
      good.map(({ data, path }) => ({ data, path: [...path, "00".repeat(32)] })),
      good.map(({ data }) => ({ data, path: [] })),
    ];
    for (const leaves of bad) {
      const action: Action = { kind: "storage_prove", body: { deal, round: 1n, leaves } };
      expect(reasonOf(world.do("bob", action))).toBe(
        "invalid transaction: the proof does not show the challenged leaves",
      );
    }
    world.make("bob", prove(deal, 1n));
  });

  test("storage_prove takes no inner node of the tree for a leaf", () => {
    // Two hashes side by side are 64 bytes, and a file of 64 bytes is one leaf.
    const world = new World();
    const file = fileOf(2 * LEAF_BYTES);
    const [left, right] = leavesOf(file) as [Uint8Array, Uint8Array];
    const pair = new Uint8Array(64);
    pair.set(logRoot([left]), 0);
    pair.set(logRoot([right]), 32);
    const deal = dealOfBob(world, { size: 64n, root: toHex(logRoot([left, right])) });
    world.passTo(8n);
    const leaves = [{ data: pair, path: [] }];
    expect(reasonOf(world.do("bob", { kind: "storage_prove", body: { deal, round: 1n, leaves } })))
      .toBe("invalid transaction: the proof does not show the challenged leaves");
  });

  test("storage_prove that no state could accept costs nothing", () => {
    const world = new World();
    const deal = "11".repeat(32);
    const [leaf] = shownOf(FILE, [0n]) as [ShownLeaf];
    const of = (round: bigint, leaves: readonly ShownLeaf[]) =>
      refusal(world, "bob", { kind: "storage_prove", body: { deal, round, leaves } });
    expect(of(0n, [leaf])).toMatch(/counted from 1/);
    expect(of(1_000_001n, [leaf])).toMatch(/counted from 1 to 1000000/);
    expect(of(1n, [])).toMatch(/shows a leaf at least/);
    expect(of(1n, [{ ...leaf, data: new Uint8Array() }])).toMatch(/a byte at least/);
    expect(of(1_000_000n, [leaf])).toBeUndefined();
  });

  test("storage_prove of a file of one leaf, of two, of one byte: each round can be proven", () => {
    for (const size of [1, LEAF_BYTES, LEAF_BYTES + 1, 33 * LEAF_BYTES + 5]) {
      const file = fileOf(size);
      const terms = { ...termsOf(file), challenges: 16, length: 8n };
      const world = new World();
      const deal = world.make("alice", postDeal(terms));
      world.make("bob", accept(deal));
      for (const round of [1n, 2n, 3n, 4n]) {
        world.passTo(8n * round);
        world.make("bob", prove(deal, round, { file, terms }));
      }
      expect(viewOf(world, deal)).toMatchObject({ state: { proven: 4n, missed: 0n } });
    }
  });

  test("storage_prove at the end of the longest round still finds its beacon, and none after it", () => {
    const world = new World();
    const options: ProofOptions = { terms: { ...termsOf(), length: 100_000n } };
    const deal = dealOfBob(world, { length: 100_000n });
    world.passTo(8n);
    const kept = world.state;
    // Empty Pulses change nothing but beacons: those in between are left out.
    world.pulse = 100_006n;
    world.make("bob", prove(deal, 1n, options));
    world.state = kept;
    world.pulse = 100_007n;
    world.execute([]);
    expect(world.pulse).toBe(100_008n);
    expect(failure(world.do("bob", prove(deal, 1n, options)))).toMatch(/not under way/);
    world.make("bob", prove(deal, 2n, options));
  });
});

describe("storage_close", () => {
  test("storage_close of an open deal refunds its client, and is nobody else's [L-092 L-555 L-562 L-563 L-564]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal());
    expect(failure(world.do("bob", close(deal)))).toBe(
      "unauthorized: only the client closes an open deal",
    );
    const receipt = world.do("alice", close(deal));
    expect(receipt.fee).toBe(1100n);
    expect(world.sentence(close(deal))).toBe(
      `Done: storage deal ${deal.slice(0, 8)} closed: 1 USD refunded, 0 USD paid, 0 USD of ` +
        "collateral returned, 0 USD forfeited, 0 round(s) missed; fee 0.0011 USD.",
    );
    expect(receipt.events).toEqual([{
      DealClosed: { deal, forfeited: 0n, missed: 0n, paid: 0n, refund: usd(1), returned: 0n },
    }]);
    expect(world.balance(alice)).toBe(FUNDS - 1200n - 1100n);
    expect(viewOf(world, deal)).toMatchObject({
      provider: null,
      collateral: usd(1),
      escrow: 0n,
      state: { phase: "closed", at: 3n, forfeited: 0n, missed: 0n, proven: 0n, refund: usd(1) },
    });
    expect(failure(world.do("alice", close(deal)))).toBe(
      "invalid transaction: the storage deal is closed already",
    );
  });

  test("storage_close of a deal meant for one provider leaves it named [L-552 L-553]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal({ provider: bob }));
    expect(failure(world.do("bob", close(deal)))).toMatch(/only the client closes an open deal/);
    world.make("alice", close(deal));
    expect(viewOf(world, deal)).toMatchObject({ provider: bob, escrow: 0n });
    expect(world.balance(bob)).toBe(FUNDS - 1100n);
  });

  test("storage_close of one that is over pays what was proven, by either [L-521 L-556 L-558 L-559]", () => {
    for (const by of ["alice", "bob"]) {
      const world = new World();
      const deal = dealOfBob(world);
      for (const round of [1n, 2n, 3n, 4n]) proveRound(world, deal, round);
      world.passTo(70n);
      expect(failure(world.do("bob", close(deal)))).toBe(
        "invalid transaction: the storage deal runs through Pulse 71",
      );
      expect(failure(world.do("carol", close(deal)))).toBe(
        "unauthorized: only client and provider may close a storage deal",
      );
      world.make(by, close(deal));
      expect(viewOf(world, deal)["state"]).toEqual({
        phase: "closed",
        at: 73n,
        proven: 4n,
        missed: 0n,
        paid: usd(1),
        refund: 0n,
        returned: usd(1),
        forfeited: 0n,
      });
      const fees = by === "bob" ? 7n : 6n;
      expect(world.balance(bob)).toBe(FUNDS + usd(1) - fees * 1100n);
      expect(treasury(world)).toBe(0n);
    }
  });

  test("storage_close takes a share of the collateral for each round missed [L-522 L-559 L-647]", () => {
    const world = new World();
    const deal = dealOfBob(world, { collateral: 10n });
    proveRound(world, deal, 2n);
    proveRound(world, deal, 4n);
    world.passTo(72n);
    world.make("bob", close(deal));
    expect(dealIn(world, deal).phase.body).toMatchObject({
      missed: 2n,
      paid: usd(0.5),
      refund: usd(0.5),
      returned: 5n,
      forfeited: 5n,
    });
    expect(treasury(world)).toBe(5n);
    // A third of 10 micro-USD is 3.33: the part is forfeited whole.
    const odd = world.make("alice", postDeal({ rounds: 3n, collateral: 10n }));
    world.make("bob", accept(odd, 10n));
    const start = (dealIn(world, odd).phase.body as { start: bigint }).start;
    for (const round of [1n, 3n]) {
      world.passTo(start + 16n * (round - 1n));
      world.make("bob", prove(odd, round, { start }));
    }
    world.passTo(start + 48n);
    world.make("alice", close(odd));
    expect(dealIn(world, odd).phase.body).toMatchObject({ returned: 6n, forfeited: 4n });
  });

  test("storage_close by the client ends a deal after three rounds missed in a row [L-523 L-557 L-568]", () => {
    const world = new World();
    const deal = dealOfBob(world, { rounds: 9n });
    proveRound(world, deal, 1n);
    world.passTo(8n + 16n * 4n - 2n);
    const runs = "invalid transaction: the storage deal runs through Pulse 151";
    expect(failure(world.do("alice", close(deal)))).toBe(
      `${runs}, and its provider has not missed three rounds in a row`,
    );
    expect(failure(world.do("bob", close(deal)))).toBe(runs);
    const receipt = world.do("alice", close(deal));
    expect(receipt.events).toEqual([{
      DealClosed: {
        deal,
        forfeited: usd(1),
        missed: 3n,
        paid: usd(0.25),
        refund: usd(2),
        returned: 0n,
      },
    }]);
    expect(treasury(world)).toBe(usd(1));
    expect(world.balance(bob)).toBe(FUNDS - usd(1) + usd(0.25) - 3n * 1100n);
  });

  test("storage_close after a provider came back finds it has abandoned nothing [L-557]", () => {
    const world = new World();
    const deal = dealOfBob(world, { rounds: 9n });
    proveRound(world, deal, 5n);
    expect(failure(world.do("alice", close(deal)))).toMatch(/has not missed three rounds in a row/);
    expect(viewOf(world, deal)["state"]).toMatchObject({
      phase: "active",
      proven: 1n,
      missed: 4n,
      abandoned: false,
      round: 5n,
      round_start: 72n,
      end: 152n,
    });
    world.passTo(152n);
    world.make("bob", close(deal));
    // The last four were missed: whoever closes it then, the deal is abandoned.
    expect(dealIn(world, deal).phase.body).toMatchObject({ missed: 8n, forfeited: usd(1) });
  });

  test("storage_close of a deal with itself as provider keeps every micro-USD [L-559]", () => {
    const world = new World();
    const deal = world.make("alice", postDeal());
    world.make("alice", accept(deal));
    world.passTo(72n);
    world.make("alice", close(deal));
    expect(world.balance(alice)).toBe(FUNDS - 1200n - 2n * 1100n - usd(1));
    expect(treasury(world)).toBe(usd(1));
  });
});
