import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode } from "#internal/core/mod.ts";
import { loadDualBackend, sha256, taggedHash } from "#internal/crypto/mod.ts";
import { differingFields, executeByStackB, verifySignatures } from "#internal/proofs/mod.ts";
import type { PartialTree, WorldInput, WorldOrdered } from "#internal/proofs/mod.ts";
import type { StateObject } from "../../internal/proofs/world/stack_b/objects.ts";
import { accountKey, objectCodec } from "../../internal/proofs/world/stack_b/objects.ts";
import { encodeReceipt } from "../../internal/proofs/world/stack_b/receipt.ts";
import type { Wallet } from "./_stack_b.ts";
import {
  cut,
  genesisOf,
  inputOf,
  ordered,
  paying,
  rootOfOne,
  shownBy,
  treesOf,
  unitOf,
  USD,
  walletOf,
} from "./_stack_b.ts";

const [alice, bob, carol] = await Promise.all(["alice", "bob", "carol"].map(walletOf)) as [
  Wallet,
  Wallet,
  Wallet,
];
const FUNDS = 10_000_000n;
const TREES = treesOf(genesisOf([[alice, FUNDS], [bob, FUNDS], [carol, 500n]]), 2);

function objectAt(trees: readonly PartialTree[], key: string): StateObject | undefined {
  const bytes = shownBy(trees).get(key);
  return bytes && decode(objectCodec, bytes);
}

/** Sequence and USD of an account. */
function accountAt(trees: readonly PartialTree[], wallet: { account: string }): [bigint, bigint] {
  const found = objectAt(trees, accountKey(wallet.account));
  if (found?.kind !== "account") return [-1n, -1n];
  return [found.body.sequence, found.body.balances.get(USD) ?? 0n];
}

function feesAt(trees: readonly PartialTree[]): bigint {
  const found = objectAt(trees, USD);
  return found?.kind === "asset" ? found.body.fees : -1n;
}

/** What there is of USD minus what there should be: 0 when money is conserved. */
function surplus(trees: readonly PartialTree[]): bigint {
  let sum = 0n;
  for (const bytes of shownBy(trees).values()) {
    const object = decode(objectCodec, bytes);
    if (object.kind === "account") sum += object.body.balances.get(USD) ?? 0n;
    if (object.kind === "allotment") sum += object.body.balance;
    if (object.kind === "asset") {
      const { fees, treasury, genesis, faucet } = object.body;
      sum += fees + treasury - genesis - faucet;
    }
  }
  return sum;
}

describe("executeByStackB() on payments", () => {
  it("a payment takes amount and fee and credits when the Pulse ends", async () => {
    const unit = await unitOf(alice, 0n, [paying([bob.account, 7n], [carol.account, 8n])]);
    const { output, trees, receipts } = executeByStackB(inputOf(TREES, [ordered(unit)]));
    expect(accountAt(trees, alice)).toEqual([1n, FUNDS - 1100n - 15n]);
    expect(accountAt(trees, bob)).toEqual([0n, FUNDS + 7n]);
    expect(accountAt(trees, carol)).toEqual([0n, 508n]);
    expect(feesAt(trees)).toBe(1100n);
    expect(output).toMatchObject({ receipts: 1, succeeded: 1, failed: 0, voided: 0, fees: 1100n });
    const [receipt] = receipts;
    if (!receipt) throw new Error("no receipt");
    expect(output.receiptsRoot).toEqual(
      rootOfOne(taggedHash("sion/receipt/v1", encodeReceipt(receipt))),
    );
    expect(receipt.events).toEqual([{
      Transferred: { asset: USD, outputs: [[bob.account, 7n], [carol.account, 8n]] },
    }]);
    expect(output.knowledgeRoot).toEqual(sha256());
  });

  it("an empty Pulse changes no root", () => {
    const input = inputOf(TREES, []);
    const { output } = executeByStackB(input);
    expect(output.stateRoot).toEqual(input.before.stateRoot);
    expect(output.receiptsRoot).toEqual(sha256());
    expect(output.receipts).toBe(0);
  });

  it("money received is not spendable in the same Pulse", async () => {
    const first = await unitOf(alice, 0n, [paying([carol.account, 5000n])]);
    const second = await unitOf(carol, 0n, [paying([bob.account, 1n])]);
    const { trees, receipts } = executeByStackB(
      inputOf(TREES, [ordered(first), ordered(second, true)]),
    );
    expect(receipts[1]?.outcome.kind).toBe("failed");
    expect(receipts[1]?.fee).toBe(500n);
    expect(accountAt(trees, carol)).toEqual([1n, 5000n]);
  });

  it("members of a batch share the signature's price and fail singly", async () => {
    const unit = await unitOf(alice, 0n, [
      paying([bob.account, 1n]),
      paying([bob.account, FUNDS]),
      paying([bob.account, 2n]),
    ]);
    const { trees, receipts, output } = executeByStackB(inputOf(TREES, [ordered(unit)]));
    expect(receipts.map((one) => one.fee)).toEqual([567n, 567n, 567n]);
    expect(receipts.map((one) => one.outcome.kind)).toEqual(["success", "failed", "success"]);
    expect(receipts[1]?.outcome.body).toBe("invalid transaction: the balance is too low");
    expect(receipts[1]?.events).toEqual([]);
    expect(accountAt(trees, alice)).toEqual([3n, FUNDS - 3n * 567n - 3n]);
    expect(output).toMatchObject({ receipts: 3, succeeded: 2, failed: 1 });
  });

  it("a void slot costs 1100 or what there is, and is consumed", () => {
    const slot = (wallet: Wallet): WorldOrdered => ({
      type: "void",
      account: wallet.account,
      sequence: 0n,
    });
    const { trees, receipts } = executeByStackB(inputOf(TREES, [slot(alice), slot(carol)]));
    expect(accountAt(trees, alice)).toEqual([1n, FUNDS - 1100n]);
    expect(accountAt(trees, carol)).toEqual([1n, 0n]);
    expect(receipts.map((one) => [one.kind, one.outcome.kind, one.fee])).toEqual([
      [0, "void", 1100n],
      [0, "void", 500n],
    ]);
  });

  it("an account that is paid for the first time begins at slot 0", async () => {
    const stranger = "ab".repeat(32);
    const unit = await unitOf(alice, 0n, [paying([stranger, 9n])]);
    const { trees } = executeByStackB(inputOf(TREES, [ordered(unit)]));
    expect(accountAt(trees, { account: stranger })).toEqual([0n, 9n]);
  });
});

describe("executeByStackB() on the order", () => {
  it("a lane waits behind its first transaction that touches what is shared", async () => {
    const minted = await unitOf(alice, 0n, [{
      tag: 2,
      body: { account: carol.account, amount: 3n },
    }]);
    const paid = await unitOf(alice, 1n, [paying([bob.account, 1n])]);
    const other = await unitOf(bob, 0n, [paying([alice.account, 1n])]);
    const { output, trees } = executeByStackB(
      inputOf(TREES, [ordered(minted), ordered(paid), ordered(other)]),
    );
    expect(output).toMatchObject({ succeeded: 3, failed: 0 });
    expect(accountAt(trees, carol)).toEqual([0n, 503n]);
    expect(surplus(trees)).toBe(0n);
  });

  it("a slot that is not next is no failure but an error", async () => {
    for (const sequence of [1n, 5n]) {
      const unit = await unitOf(alice, sequence, [paying([bob.account, 1n])]);
      expect(() => executeByStackB(inputOf(TREES, [ordered(unit)]))).toThrow(
        expect.objectContaining({ code: "order" }),
      );
    }
    const unit = await unitOf(alice, 0n, [paying([bob.account, 1n])]);
    expect(() => executeByStackB(inputOf(TREES, [ordered(unit), ordered(unit)]))).toThrow("slot 0");
  });
});

describe("what stack B asks of an input", () => {
  it("a unit of another chain, of another's account or above its maxFee is refused", async () => {
    const pay = paying([bob.account, 1n]);
    const foreign = await unitOf(alice, 0n, [pay], { chain: "11".repeat(32) });
    const stolen = await unitOf(alice, 0n, [{ ...pay, account: bob.account }]);
    const dear = await unitOf(alice, 0n, [pay], { maxFee: 1099n });
    const run = (unit: Uint8Array) => () => executeByStackB(inputOf(TREES, [ordered(unit)]));
    expect(run(foreign)).toThrow(expect.objectContaining({ code: "unit" }));
    expect(run(stolen)).toThrow(expect.objectContaining({ code: "authorization" }));
    expect(run(dear)).toThrow(expect.objectContaining({ code: "authorization" }));
  });

  it("verifySignatures() holds for what was signed and for nothing else", async () => {
    const backend = await loadDualBackend("insecure");
    const unit = await unitOf(alice, 0n, [paying([bob.account, 1n])]);
    await verifySignatures(inputOf(TREES, [ordered(unit)]), backend);
    const forged = unit.slice();
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    await expect(verifySignatures(inputOf(TREES, [ordered(forged)]), backend)).rejects.toThrow(
      expect.objectContaining({ code: "authorization" }),
    );
  });

  it("trees and peaks that are not of the header before are refused", () => {
    const input = inputOf(TREES, []);
    const { before } = input;
    const bad: WorldInput[] = [
      { ...input, before: { ...before, stateRoot: sha256() } },
      { ...input, before: { ...before, knowledgeRoot: new Uint8Array(32) } },
      { ...input, before: { ...before, knowledgeSize: 1n } },
      { ...input, trees: TREES.slice(1) },
      { ...input, shards: 3 },
    ];
    for (const one of bad) {
      expect(() => executeByStackB(one)).toThrow(expect.objectContaining({ code: "witness" }));
    }
  });

  it("differingFields() names what differs", () => {
    const { output } = executeByStackB(inputOf(TREES, []));
    expect(differingFields(output, output)).toEqual([]);
    const other = { ...output, leavesRoot: sha256(), knowledgeSize: 1n };
    expect(differingFields(output, other)).toEqual(["leavesRoot", "knowledgeSize"]);
  });
});

/** One entry of a random order of payments, mints and void slots by three wallets. */
interface Step {
  readonly who: Wallet;
  readonly to: Wallet;
  readonly what: string;
  readonly amount: bigint;
}

const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    who: fc.constantFrom(alice, bob, carol),
    to: fc.constantFrom(alice, bob, carol),
    what: fc.constantFrom("pay", "mint", "void"),
    amount: fc.bigInt({ min: 1n, max: 4_000_000n }),
  }),
  { minLength: 1, maxLength: 12 },
);

async function orderOf(history: readonly Step[]): Promise<WorldOrdered[]> {
  const next = new Map<Wallet, bigint>();
  const entries: WorldOrdered[] = [];
  for (const { who, to, what, amount } of history) {
    const sequence = next.get(who) ?? 0n;
    next.set(who, sequence + 1n);
    if (what === "void") entries.push({ type: "void", account: who.account, sequence });
    const body = { account: to.account, amount };
    const wanted = what === "pay" ? paying([to.account, amount]) : { tag: 2, body };
    if (what !== "void") entries.push(ordered(await unitOf(who, sequence, [wanted]), true));
  }
  return entries;
}

describe("any history", () => {
  it("conserves money and comes out the same twice", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const input = inputOf(TREES, await orderOf(history));
        const first = executeByStackB(input);
        expect(surplus(first.trees)).toBe(0n);
        expect(executeByStackB(input).output).toEqual(first.output);
        expect(first.receipts.length).toBe(history.length);
      }),
      { numRuns: 40 },
    );
  });

  it("comes out the same from a smaller witness, or not at all", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const order = await orderOf(history);
        const whole = executeByStackB(inputOf(TREES, order));
        const keys = [...shownBy(TREES).keys()];
        const touched = [...new Set(history.flatMap(({ who, to }) => [who, to]))];
        const needed = [USD, ...touched.map((wallet) => accountKey(wallet.account))];
        const least = TREES.map((tree) => cut(tree, needed));
        const before = inputOf(TREES, []).before;
        expect(executeByStackB(inputOf(least, order, { before })).output).toEqual(whole.output);
        for (const hidden of keys) {
          const trees = TREES.map((tree) => cut(tree, keys.filter((key) => key !== hidden)));
          const run = () => executeByStackB(inputOf(trees, order, { before })).output;
          try {
            expect(run()).toEqual(whole.output);
          } catch (error) {
            expect(error).toMatchObject({ code: "witness" });
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
