import { beforeEach, describe, expect, it } from "vitest";
import { fromHex, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Formula } from "../../internal/proofs/world/stack_b/formula.ts";
import type { Wallet } from "./_stack_b.ts";
import { USD, walletOf } from "./_stack_b.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";

/** What a transaction alone in its unit costs, micro-USD. */
const FEE = 1100n;
const [BOND_POST, BOND_RELEASE, BOND_RESERVE] = [48, 50, 51] as const;
const [CLAIM_ISSUE, CLAIM_REVOKE, CLAIM_DISPUTE, CLAIM_ADJUDICATE] = [56, 57, 58, 59] as const;

const [alice, bob, carol] = await Promise.all(["alice", "bob", "carol"].map(walletOf)) as [
  Wallet,
  Wallet,
  Wallet,
];
let story: Story;
beforeEach(() => {
  story = new Story([alice, bob, carol]);
});

const bytesOf = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];

/** The id of a bond, byte by byte. */
function bondOf(wallet: Wallet, label: string): string {
  const atom = Uint8Array.of(1, ...fromHex(wallet.account), ...bytesOf(label));
  return toHex(taggedHash("sion/atom/v1", atom));
}

const bondAtom = (label: string): Formula => ({
  kind: "atom",
  body: { kind: "bond", body: { account: alice.account, label } },
});

const allOf = (...parts: Formula[]): Formula => ({
  kind: "group",
  body: { needed: parts.length, parts },
});

async function claimOn(formula: Formula, validFor: bigint | null = null): Promise<string> {
  const { receipt } = await story.act(alice, CLAIM_ISSUE, {
    schema: "note/v1",
    subject: "paid",
    formula,
    adjudicator: { account: carol.account, label: "judge" },
    detection: 900,
    validFor,
  });
  expect(receipt.events).toEqual([]);
  return receipt.made[0] ?? "";
}

const reserving = (claim: string, wallet: Wallet, amount: bigint, pulses = 50n): object => ({
  claim,
  account: wallet.account,
  amount,
  pulses,
});

async function reasonOf(wallet: Wallet, tag: number, body: object): Promise<string | null> {
  return (await story.act(wallet, tag, body)).reason;
}

describe("executeByStackB() on bonds and claims", () => {
  it("a bond stands at the id of its atom and takes its money from who posts it", async () => {
    const { receipt } = await story.act(alice, BOND_POST, { label: "tests", amount: 500n });
    const id = bondOf(alice, "tests");
    expect(receipt.made).toEqual([id]);
    expect(receipt.events).toEqual([
      { BondPosted: { account: alice.account, amount: 500n, bond: id, label: "tests" } },
    ]);
    expect(story.object("bond", id).amount).toBe(500n);
    expect(story.balance(alice)).toBe(FUNDS - FEE - 500n);
    expect(await reasonOf(alice, BOND_POST, { label: "tests", amount: 1n })).toBe(
      "invalid transaction: the bond exists already",
    );
  });

  it("a claim's id hashes what it says, and no later word about it changes that", async () => {
    await story.does(alice, BOND_POST, { label: "t", amount: 5n });
    const { receipt } = await story.act(alice, CLAIM_ISSUE, {
      schema: "s",
      subject: "x",
      formula: bondAtom("t"),
      adjudicator: null,
      detection: 1000,
      validFor: 9n,
    });
    const u64 = (value: number) => [value, 0, 0, 0, 0, 0, 0, 0];
    const says = [
      ...fromHex(alice.account),
      ...bytesOf("s"),
      ...[1, ...fromHex(receipt.digest), ...bytesOf("x")],
      ...[1, 0, 1, ...fromHex(alice.account), ...bytesOf("t"), 0, 232, 3],
      ...u64(2),
      ...[1, ...u64(11)],
    ];
    const id = toHex(taggedHash("sion/claim/v1", Uint8Array.from(says)));
    expect(receipt.made).toEqual([id]);
    expect(story.object("claim", id)).toMatchObject({ depth: 0, atoms: 1, revoked: null });
    await story.does(alice, CLAIM_REVOKE, { claim: id });
    expect(story.object("claim", id).revoked).toBe(3n);
    expect(story.knowledge.size).toBe(1n);
  });

  it("what is released can be taken 1000 Pulses later, and not be reserved meanwhile", async () => {
    const id = bondOf(alice, "a");
    await story.does(alice, BOND_POST, { label: "a", amount: 100n });
    const claim = await claimOn(bondAtom("a"));
    await story.does(alice, BOND_RESERVE, reserving(claim, bob, 30n, 1n));
    expect(await reasonOf(alice, BOND_RELEASE, { label: "a", amount: 71n })).toBe(
      "invalid transaction: only 0.00007 USD of the bond is free",
    );
    await story.does(alice, BOND_RELEASE, { label: "a", amount: 71n });
    expect(story.object("bond", id)).toMatchObject({
      amount: 100n,
      release: { amount: 71n, due: 1005n },
      reservations: [],
    });
    expect(await reasonOf(alice, BOND_RESERVE, reserving(claim, bob, 30n))).toBe(
      "invalid transaction: only 0.000029 USD of backing is unreserved",
    );
    story.pulse = 1003n;
    expect(await reasonOf(alice, BOND_RELEASE, { label: "a", amount: null })).toBe(
      "invalid transaction: the money is released at Pulse 1005",
    );
    await story.does(alice, BOND_RELEASE, { label: "a", amount: null });
    expect(story.object("bond", id)).toMatchObject({ amount: 29n, release: null });
    expect(story.balance(alice)).toBe(FUNDS - 8n * FEE - 29n);
  });

  it("a claim found false costs its bonds all but what is reserved for others", async () => {
    await story.does(alice, BOND_POST, { label: "a", amount: 100n });
    await story.does(alice, BOND_POST, { label: "b", amount: 10n });
    const claim = await claimOn(allOf(bondAtom("b"), bondAtom("a")));
    const other = await claimOn(bondAtom("a"));
    await story.does(alice, BOND_RESERVE, reserving(other, carol, 40n));
    await story.does(alice, BOND_RESERVE, reserving(claim, bob, 25n));
    await story.does(alice, BOND_RELEASE, { label: "a", amount: 20n });
    expect(await reasonOf(carol, CLAIM_DISPUTE, { claim, reason: "" })).toBe(
      "unauthorized: only for whom backing of the claim is reserved may dispute it",
    );
    await story.does(bob, CLAIM_DISPUTE, { claim, reason: "never paid" });
    const [b] = story.object("bond", bondOf(alice, "b")).reservations;
    expect(b).toEqual({ claim, account: bob.account, amount: 10n, until: 1009n, disputed: true });
    const { receipt } = await story.act(carol, CLAIM_ADJUDICATE, {
      claim,
      isFalse: true,
      reason: "right",
    });
    expect(receipt.events).toEqual([{
      ClaimRefuted: {
        by: carol.account,
        claim,
        compensated: [[bob.account, 25n]],
        reason: "right",
        slashed: 70n,
        treasury: 45n,
      },
    }]);
    expect(story.object("claim", claim)).toMatchObject({
      disputed: null,
      refuted: { by: carol.account, since: 10n },
    });
    expect(story.object("bond", bondOf(alice, "a"))).toMatchObject({
      amount: 40n,
      release: null,
      reservations: [{ claim: other, account: carol.account, amount: 40n }],
      slashed: 60n,
    });
    expect(story.object("bond", bondOf(alice, "b"))).toMatchObject({ amount: 0n, slashed: 10n });
    expect(story.object("asset", USD).treasury).toBe(45n);
    expect(story.balance(bob)).toBe(FUNDS - FEE + 25n);
  });
});
