import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DealTerms, Receipt } from "#internal/ledger/mod.ts";
import { assetKind, storageDealKind, USD } from "#internal/ledger/mod.ts";
import { accept, close, dealOfBob, postDeal, prove, termsOf } from "../_storage.ts";
import { accountOf, names, World } from "../_world.ts";

describe("a storage deal's life", () => {
  /** What the rules say in words, counted round by round. */
  function expected(terms: DealTerms, provenRounds: ReadonlySet<number>, finished: number) {
    let [inARow, missed] = [0, 0];
    for (let round = 1; round <= finished; round++) {
      const proven = provenRounds.has(round);
      inARow = proven ? 0 : inARow + 1;
      if (!proven) missed++;
    }
    const isOver = finished === Number(terms.rounds);
    const underWay = !isOver && provenRounds.has(finished + 1);
    const abandoned = !underWay && inARow >= 3;
    return { missed, abandoned, isOver };
  }

  test("a storage deal of any history pays what was proven and keeps what was missed [L-559 L-647]", () => {
    const history = fc.record({
      rounds: fc.integer({ min: 1, max: 7 }),
      proven: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      closedAfter: fc.integer({ min: 0, max: 8 * 8 }),
      price: fc.bigInt(1n, 1000n),
      collateral: fc.bigInt(1n, 1000n),
      byClient: fc.boolean(),
    });
    fc.assert(
      fc.property(history, ({ rounds, proven, closedAfter, price, collateral, byClient }) => {
        const world = new World();
        const terms = { ...termsOf(), rounds: BigInt(rounds), price, collateral, length: 8n };
        const deal = dealOfBob(world, terms);
        const done = new Set<number>();
        world.passTo(7n);
        for (let step = 1; step <= closedAfter; step++) {
          const round = Math.ceil(step / 8);
          const proves = step % 8 === 3 && round <= rounds && proven[round - 1] === true;
          if (!proves) world.execute([]);
          else {
            world.make("bob", prove(deal, BigInt(round), { terms }));
            done.add(round);
          }
        }
        // The Pulse that closes is 8 + closedAfter.
        const finished = Math.min(rounds, Math.floor(closedAfter / 8));
        const { missed, abandoned, isOver } = expected(terms, done, finished);
        const { outcome } = world.do(byClient ? "alice" : "bob", close(deal));
        const may = isOver || (byClient && abandoned);
        expect(outcome.kind).toBe(may ? "success" : "failed");
        if (!may) return;
        const forfeited = abandoned
          ? collateral
          : BigInt(Math.ceil(Number(collateral) * missed / rounds));
        const paid = price * BigInt(done.size);
        expect(world.read(storageDealKind, deal)?.phase.body).toEqual({
          at: world.pulse,
          proven: BigInt(done.size),
          missed: BigInt(missed),
          paid,
          refund: price * BigInt(rounds) - paid,
          returned: collateral - forfeited,
          forfeited,
        });
        expect(world.read(assetKind, USD)?.treasury).toBe(forfeited);
      }),
      { numRuns: 60 },
    );
  });

  test("a storage deal is told by its events to who has nothing else [L-542]", () => {
    const world = new World();
    const told: (string | undefined)[] = [];
    const tell = (receipt: Receipt) =>
      told.push(world.ledger.event(receipt.events[0], names)?.replace(/ [0-9a-f]{8} /, " D "));
    const receipt = world.do("alice", postDeal({ provider: accountOf("bob") }));
    const [deal = ""] = receipt.made;
    tell(receipt);
    tell(world.do("bob", accept(deal)));
    world.passTo(24n);
    tell(world.do("bob", prove(deal, 2n)));
    world.passTo(72n);
    tell(world.do("bob", close(deal)));
    expect(told).toEqual([
      "storage deal D posted: 5 leaves, 4 rounds at 0.25 USD each, 1 USD of collateral, for bob to accept",
      "storage deal D accepted with 1 USD of collateral: round 1 begins at Pulse 8",
      "round 2 of storage deal D proven (1 so far)",
      "storage deal D closed: 0.75 USD refunded, 0.25 USD paid, 0.25 USD of collateral returned, " +
      "0.75 USD forfeited, 3 round(s) missed",
    ]);
  });
});
