import { beforeEach, describe, expect, it } from "vitest";
import { encode, fromHex, toHex } from "#internal/core/mod.ts";
import type { Formula } from "../../internal/proofs/world/stack_b/formula.ts";
import {
  bondFormula,
  bondId,
  claimFormula,
  DUAL_SIGNATURE,
  groupOf,
} from "../../internal/proofs/world/stack_b/formula.ts";
import { objectCodec } from "../../internal/proofs/world/stack_b/objects.ts";
import type { Wallet } from "./_stack_b.ts";
import { walletOf } from "./_stack_b.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";

/** What a transaction alone in its unit costs, micro-USD. */
const FEE = 1100n;
const [BOND_POST, CLAIM_ISSUE, TASK_POST, TASK_SETTLE, TASK_REFUND] = [48, 56, 64, 65, 66] as const;
const OUTPUT = "ab".repeat(32);

const wallets = await Promise.all(["alice", "bob", "carol", "dana"].map(walletOf));
const [alice, bob, carol, dana] = wallets as [Wallet, Wallet, Wallet, Wallet];
const JUDGE = { account: carol.account, label: "judge" };
const own = { account: bob.account, label: "task-worker" };
const danas = { account: dana.account, label: "tests" };
const rule = {
  requires: [],
  verifiers: [dana.account],
  adjudicator: JUDGE,
  kappa: 1_500_000n,
  detection: 900,
  reliance: 20n,
};
const posting = {
  budget: null,
  worker: null,
  amount: 80n,
  spec: null,
  rule,
  pulses: 30n,
};

let story: Story;
beforeEach(async () => {
  story = new Story(wallets);
  await story.does(bob, BOND_POST, { label: "task-worker", amount: 90n });
  await story.does(dana, BOND_POST, { label: "tests", amount: 50n });
  await story.does(carol, BOND_POST, { label: "judge", amount: 500n });
});

/** The id of a claim about a task. */
async function states(
  wallet: Wallet,
  task: string,
  schema: string,
  formula: Formula,
): Promise<string> {
  const { receipt } = await story.act(wallet, CLAIM_ISSUE, {
    schema,
    subject: `task ${task} output ${OUTPUT}`,
    formula,
    adjudicator: JUDGE,
    detection: 900,
    validFor: null,
  });
  return receipt.made[0] ?? "";
}

describe("executeByStackB() on tasks", () => {
  it("a posted task is an object whose fields stand in their order", async () => {
    const spec = "cd".repeat(32);
    const { receipt, made } = await story.act(alice, TASK_POST, { ...posting, spec });
    expect(receipt.made).toEqual([made]);
    expect(receipt.events).toEqual([{
      TaskPosted: {
        amount: 80n,
        charter: null,
        deadline: 34n,
        poster: alice.account,
        receipt: null,
        task: made,
        worker: null,
      },
    }]);
    const u64 = (...bytes: number[]) => [...bytes, ...new Array<number>(8 - bytes.length).fill(0)];
    const judge = new TextEncoder().encode("judge");
    const bytes = [
      ...[64, ...fromHex(alice.account), 0, 0, ...u64(80), 1, ...fromHex(spec)],
      ...[0, 1, ...fromHex(dana.account), 1, ...fromHex(carol.account), 5, ...judge],
      ...[...u64(0x60, 0xe3, 0x16), 0x84, 3, ...u64(20), ...u64(4), ...u64(34), 0],
    ];
    const body = story.object("task", made);
    expect(toHex(encode(objectCodec, { kind: "task", body }))).toBe(toHex(Uint8Array.from(bytes)));
    expect(story.balance(alice)).toBe(FUNDS - FEE - 80n);
  });

  it("a result that passes the rule is paid, and what backs it is held for the poster", async () => {
    const task = await story.does(alice, TASK_POST, posting);
    const attested = groupOf(1, [DUAL_SIGNATURE, bondFormula(danas)]);
    const attestation = await states(dana, task, "task-attestation/v1", attested);
    const alone = groupOf(1, [DUAL_SIGNATURE, bondFormula(own)]);
    const cheap = await states(bob, task, "task-result/v1", alone);
    expect((await story.act(bob, TASK_SETTLE, { task, result: cheap, attestations: [] })).reason)
      .toBe(
        "invalid transaction: the result is not accepted: cost of corruption 0.000081 (after " +
          "detection discount 900/1000) is below κ·V = 0.00012",
      );
    const backing = groupOf(2, [bondFormula(own), claimFormula(attestation)]);
    const formula = groupOf(1, [DUAL_SIGNATURE, backing]);
    const result = await states(bob, task, "task-result/v1", formula);
    const settling = { task, result, attestations: [attestation] };
    const { receipt } = await story.act(bob, TASK_SETTLE, settling);
    expect(receipt.events).toEqual([{
      TaskPaid: {
        amount: 80n,
        reserved: [[result, 90n], [attestation, 30n]],
        result,
        task,
        until: 29n,
        worker: bob.account,
      },
    }]);
    const held = { account: alice.account, until: 29n, disputed: false };
    expect(story.object("bond", bondId(own)).reservations).toEqual([
      { claim: result, amount: 90n, ...held },
    ]);
    expect(story.object("bond", bondId(danas)).reservations).toEqual([
      { claim: attestation, amount: 30n, ...held },
    ]);
    expect(story.object("task", task).outcome).toEqual({
      kind: "paid",
      body: { worker: bob.account, result, at: 9n, until: 29n },
    });
    expect(story.balance(bob)).toBe(FUNDS - 5n * FEE - 90n + 80n);
    expect((await story.act(bob, TASK_SETTLE, settling)).reason).toBe(
      "invalid transaction: the task is paid already",
    );
  });

  it("what nobody earned in time goes back to the poster", async () => {
    const task = await story.does(alice, TASK_POST, posting);
    story.pulse = 33n;
    expect((await story.act(alice, TASK_REFUND, { task })).reason).toBe(
      "invalid transaction: the task can be settled until Pulse 34",
    );
    expect((await story.act(bob, TASK_REFUND, { task })).reason).toBe(
      "unauthorized: only the poster may take back what is in escrow",
    );
    const { receipt } = await story.act(alice, TASK_REFUND, { task });
    expect(receipt.events).toEqual([
      { TaskRefunded: { allotment: null, amount: 80n, poster: alice.account, task } },
    ]);
    expect(story.object("task", task).outcome).toEqual({ kind: "refunded", body: { at: 36n } });
    expect(story.balance(alice)).toBe(FUNDS - 3n * FEE);
  });
});
