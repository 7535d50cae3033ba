import { describe, expect, test } from "vitest";
import type { Asset } from "#internal/ledger/mod.ts";
import { assetKind, USD } from "#internal/ledger/mod.ts";
import { accountOf, FUNDS, names, reasonOf, usd, World } from "../_world.ts";

const bob = accountOf("bob");
const give = (amount: bigint) => ({ kind: "faucet", body: { account: bob, amount } }) as const;

describe("faucet", () => {
  test("faucet makes money for an account, who asks pays the fee [L-594]", () => {
    const world = new World();
    const action = give(usd(100));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      "Mint 100 USD for bob. Fee 0.0011 USD; valid until Pulse 20.",
    );
    const receipt = world.do("alice", action);
    expect(receipt.events).toEqual([{
      Minted: { account: bob, amount: 100_000_000n, asset: USD },
    }]);
    expect(world.sentence(action)).toBe("Done: minted 100 USD for bob; fee 0.0011 USD.");
    expect(world.balance(bob)).toBe(FUNDS + usd(100));
    expect(world.balance(accountOf("alice"))).toBe(FUNDS - 1100n);
    expect(world.read(assetKind, USD)).toMatchObject({ faucet: usd(100), fees: 1100n } as Asset);
  });

  test("faucet fails on a chain that has none", () => {
    const world = new World({ faucet: false });
    expect(reasonOf(world.do("alice", give(1n)))).toBe(
      "invalid transaction: this chain has no faucet",
    );
  });

  test("faucet never makes more than 64 bits can hold", () => {
    const world = new World({ accounts: [[accountOf("alice"), 2n ** 64n - 1n - usd(10)]] });
    expect(reasonOf(world.do("alice", give(usd(10) + 1n)))).toBe(
      "invalid transaction: more than the ledger can hold",
    );
    expect(world.do("alice", give(usd(10))).outcome.kind).toBe("success");
  });

  test.each([0n, usd(1_000_000) + 1n])("faucet refuses %s micro-USD at once", (amount) => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [give(amount)]))).toThrow(TypeError);
  });
});
