import { describe, expect, test } from "vitest";
import { decode, encode } from "#internal/core/mod.ts";
import { NO_NAMES, USD } from "#internal/ledger/mod.ts";
import { accountOf, CHAIN, FUNDS, names, payTo, usd, World } from "../_world.ts";

const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => accountOf(name)) as [
  string,
  string,
  string,
];

describe("pay", () => {
  test("pay moves money and costs 1100 micro-USD [L-058 L-085 L-163 L-164]", () => {
    const world = new World();
    const receipt = world.do("alice", payTo([bob, usd(1.5)]));
    expect(receipt.outcome).toEqual({ kind: "success" });
    expect(receipt.fee).toBe(1100n);
    expect(receipt.events).toEqual([{
      Transferred: { asset: USD, outputs: [[bob, 1_500_000n]] },
    }]);
    expect(world.balance(alice)).toBe(FUNDS - usd(1.5) - 1100n);
    expect(world.balance(bob)).toBe(FUNDS + usd(1.5));
    expect(world.sequence(alice)).toBe(1n);
  });

  test("pay says what it asks for and what it did [L-080 L-084 L-097]", () => {
    const world = new World();
    world.pulse = 218n;
    const action = payTo([bob, usd(1)]);
    const unit = world.unit("alice", [action]);
    expect(world.ledger.intent(unit, names)).toBe(
      "Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.",
    );
    world.execute([unit]);
    expect(world.sentence(action)).toBe("Done: paid 1 USD to bob; fee 0.0011 USD.");
    expect(
      world.ledger.intent(world.unit("alice", [payTo([bob, usd(5000)], [carol, 1n])]), NO_NAMES),
    )
      .toBe(
        `Pay 5,000 USD to ${bob.slice(0, 8)} and 0.000001 USD to ${carol.slice(0, 8)}. ` +
          "Fee 0.0011 USD; valid until Pulse 239.",
      );
  });

  test("pay makes the account of a payee that the ledger has never seen [L-163]", () => {
    const world = new World();
    const mallory = accountOf("mallory");
    expect(world.state.get(mallory)).toBeUndefined();
    world.do("alice", payTo([mallory, 1n]));
    expect(world.balance(mallory)).toBe(1n);
  });

  test("pay spends what arrived in this Pulse only from the next one", () => {
    const world = new World({ accounts: [[alice, usd(10)], [bob, 1100n + 1100n]] });
    const give = world.unit("alice", [payTo([bob, usd(5)])]);
    const spend = world.unit("bob", [payTo([carol, usd(1)])]);
    const receipts = world.execute([give, spend]).receipts;
    expect(receipts.map(({ outcome }) => outcome.kind)).toEqual(["success", "failed"]);
    expect(world.do("bob", payTo([carol, usd(1)])).outcome.kind).toBe("success");
  });

  test("pay beyond the balance fails for its fee, if it ever executes [L-081 L-082 L-083 L-162]", () => {
    const world = new World();
    const action = payTo([bob, FUNDS]);
    const receipt = world.do("alice", action);
    expect(receipt.outcome).toEqual({
      kind: "failed",
      reason: "invalid transaction: the balance is too low",
    });
    expect(receipt.events).toEqual([]);
    expect(world.balance(alice)).toBe(FUNDS - 1100n);
    expect(world.balance(bob)).toBe(FUNDS);
    expect(world.sentence(action)).toBe(
      "Failed (invalid transaction: the balance is too low); " +
        "nothing happened except the fee of 0.0011 USD.",
    );
  });

  test.each([
    ["no outputs", payTo()],
    ["an amount of nothing", payTo([bob, 0n])],
    ["more than 64 bits", payTo([bob, 2n ** 64n - 1n], [carol, 1n])],
    ["65 outputs", payTo(...Array.from({ length: 65 }, () => [bob, 1n] as const))],
  ])("pay of %s is refused before any state is asked", (_what, action) => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
  });

  test("pay by a wallet is checked for a vote down to the last micro-USD [L-162]", () => {
    const world = new World();
    const context = { chain: CHAIN, head: 0n, reservedOf: () => 0n };
    const exact = world.unit("alice", [payTo([bob, FUNDS - 1100n])]);
    const votable = world.ledger.checkForVote(world.state, exact, context);
    expect(votable).toEqual({ ok: true, spend: new Map([[alice, FUNDS]]) });
    const over = world.unit("alice", [payTo([bob, FUNDS - 1099n])]);
    expect(world.ledger.checkForVote(world.state, over, context)).toMatchObject({
      ok: false,
      code: "balance",
    });
    expect(world.ledger.checkForVote(world.state, exact, { ...context, reservedOf: () => 1n }))
      .toMatchObject({ ok: false, code: "balance" });
  });

  test("pay has one encoding, with its receipt [L-299]", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, 7n])]);
    const bytes = world.ledger.encodeSigned(unit);
    expect(world.ledger.decodeSigned(bytes)).toEqual(unit);
    const receipt = world.execute([unit]).receipts[0];
    if (!receipt) throw new Error("no receipt");
    const codec = world.ledger.receiptCodec;
    expect(decode(codec, encode(codec, receipt))).toEqual(receipt);
  });
});
