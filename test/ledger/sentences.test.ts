import { describe, expect, test } from "vitest";
import { assetId, NO_NAMES } from "#internal/ledger/mod.ts";
import { sayWith } from "../../internal/ledger/sentences.ts";
import { accountOf, names, payTo, usd, World } from "./_world.ts";

const bob = accountOf("bob");
const carol = accountOf("carol");

describe("Ledger.intent()", () => {
  test("Ledger.intent() of a batch says each of its transactions and the fee of all [L-097]", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, usd(1)]), payTo([carol, usd(2)])]);
    expect(world.ledger.intent(unit, names)).toBe(
      "2 transactions in one batch: Pay 1 USD to bob. Pay 2 USD to carol. " +
        "Fee 0.0014 USD; valid until Pulse 20.",
    );
  });

  test("Ledger.intent() needs no signature yet [L-098]", () => {
    const world = new World();
    const { unit, authorization } = world.unit("alice", [payTo([bob, usd(1)])]);
    const { policy } = authorization;
    expect(world.ledger.intent({ unit, authorization: { policy } }, names)).toMatch(/^Pay 1 USD/);
    expect(world.ledger.fees({ unit, authorization: { policy } })).toEqual([1100n]);
  });
});

describe("Ledger.outcome()", () => {
  test("Ledger.outcome() of a transaction that is not at hand says that it executed", () => {
    const world = new World();
    const receipt = world.do("alice", payTo([bob, 1n]));
    expect(world.ledger.outcome(receipt, undefined, NO_NAMES)).toBe(
      `Done: transaction ${receipt.digest.slice(0, 8)} executed; fee 0.0011 USD.`,
    );
  });
});

describe("sayWith()", () => {
  const say = sayWith((id) => id === bob ? "bob" : id === assetId("EUR") ? "EUR" : undefined);

  test("sayWith() names what is known and shortens the rest [L-074 L-084]", () => {
    expect([say.account(bob), say.account(carol)]).toEqual(["bob", carol.slice(0, 8)]);
    expect(say.short(bob)).toBe(bob.slice(0, 8));
  });

  test("sayWith() writes amounts with a comma every three digits [L-062]", () => {
    expect(say.amount(5_000_000_000n)).toBe("5,000 USD");
    expect(say.amount(1_234_567_000_001n)).toBe("1,234,567.000001 USD");
    expect(say.amount(1n, assetId("EUR"))).toBe("0.000001 EUR");
    expect(say.amount(1n, assetId("GBP"))).toBe(`0.000001 ${assetId("GBP").slice(0, 8)}`);
  });

  test.each([[[], ""], [["a"], "a"], [["a", "b"], "a and b"], [["a", "b", "c"], "a, b and c"]])(
    "sayWith() joins %j",
    (items, text) => expect(say.list(items)).toBe(text),
  );

  test("sayWith() lets no chosen text act on a terminal or pass as the sentence", () => {
    expect(say.quote("one forecast")).toBe('"one forecast"');
    expect(say.quote('a" b\\')).toBe('"a\\" b\\\\"');
    expect(say.quote("\u001b[2J\u202e\u2028\n")).toBe(
      '"\\u{1b}[2J\\u{202e}\\u{2028}\\u{a}"',
    );
  });
});
