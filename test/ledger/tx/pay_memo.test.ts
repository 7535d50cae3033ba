import { describe, expect, test } from "vitest";
import { USD } from "#internal/ledger/mod.ts";
import { accountOf, CHAIN, FUNDS, names, payMemo, payTo, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const MEMO = "5a".repeat(32);

describe("pay_memo", () => {
  test("pay_memo moves money and says what for, at the price of a payment [L-163 L-164]", () => {
    const world = new World();
    const receipt = world.do("alice", payMemo(bob, usd(0.25), MEMO));
    expect(receipt.outcome).toEqual({ kind: "success" });
    expect(receipt.fee).toBe(1100n);
    expect(receipt.events).toEqual([{
      TransferredWithMemo: { asset: USD, memo: MEMO, outputs: [[bob, 250_000n]] },
    }]);
    expect(world.balance(alice)).toBe(FUNDS - usd(0.25) - 1100n);
    expect(world.balance(bob)).toBe(FUNDS + usd(0.25));
  });

  test("pay_memo says whom it pays and the beginning of its memo [L-080 L-097]", () => {
    const world = new World();
    const action = payMemo(bob, usd(0.25), MEMO);
    const unit = world.unit("alice", [action]);
    expect(world.ledger.intent(unit, names)).toMatch(
      /^Pay 0\.25 USD to bob with memo 5a5a5a5a\. Fee 0\.0011 USD; valid until Pulse \d+\.$/,
    );
    world.execute([unit]);
    expect(world.sentence(action)).toBe(
      "Done: paid 0.25 USD to bob with memo 5a5a5a5a; fee 0.0011 USD.",
    );
  });

  test("pay_memo beyond the balance fails for its fee [L-081 L-082]", () => {
    const world = new World();
    const receipt = world.do("alice", payMemo(bob, FUNDS, MEMO));
    expect(receipt.outcome).toEqual({
      kind: "failed",
      reason: "invalid transaction: the balance is too low",
    });
    expect(world.balance(alice)).toBe(FUNDS - 1100n);
    expect(world.balance(bob)).toBe(FUNDS);
  });

  test("pay_memo of nothing is refused before any state is asked", () => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [payMemo(bob, 0n, MEMO)])))
      .toThrow(TypeError);
  });

  test("pay_memo may spend its amount and no more [L-162]", () => {
    const world = new World();
    const context = { chain: CHAIN, head: 0n, reservedOf: () => 0n };
    const check = (amount: bigint) =>
      world.ledger.checkForVote(
        world.state,
        world.unit("alice", [payMemo(bob, amount, MEMO)]),
        context,
      );
    expect(check(FUNDS - 1100n)).toEqual({ ok: true, spend: new Map([[alice, FUNDS]]) });
    expect(check(FUNDS - 1099n)).toMatchObject({ ok: false, code: "balance" });
  });

  test("pay_memo is another transaction with another memo, and two of one memo are two", () => {
    const world = new World();
    const digest = (memo: string) =>
      world.ledger.unitDigest(world.unit("alice", [payMemo(bob, 1n, memo)]).unit);
    expect(digest(MEMO)).not.toBe(digest("5b".repeat(32)));
    world.do("alice", payMemo(bob, 1n, MEMO));
    expect(world.do("alice", payMemo(bob, 1n, MEMO)).outcome.kind).toBe("success");
    expect(world.do("alice", payTo([bob, 1n])).outcome.kind).toBe("success");
    expect(world.balance(bob)).toBe(FUNDS + 3n);
  });
});
