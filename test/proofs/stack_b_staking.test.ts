import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, idBytes, toHex, u64 } from "#internal/core/mod.ts";
import { loadDualBackend, sha256, taggedHash } from "#internal/crypto/mod.ts";
import type { DualKeys } from "#internal/crypto/mod.ts";
import { executeByStackB, verifySignatures } from "#internal/proofs/mod.ts";
import { weightsOf } from "../../internal/proofs/world/stack_b/epoch.ts";
import { blockId, signedIn } from "../../internal/proofs/world/stack_b/evidence.ts";
import { leadsTo, rootOfList } from "../../internal/proofs/world/stack_b/log.ts";
import type { StateObject } from "../../internal/proofs/world/stack_b/objects.ts";
import { keyId } from "../../internal/proofs/world/stack_b/objects.ts";
import { blocks, shown } from "./_shown.ts";
import type { Wallet } from "./_stack_b.ts";
import { CHAIN, inputOf, ordered, paying, unitOf, USD, walletOf } from "./_stack_b.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";
import { tellOfStaking } from "./_staking_stories.ts";
import type { Execute } from "./_story.ts";
import { executeByBoth } from "./_two_stacks.ts";
import { tellOfUnbonding } from "./_unbonding_stories.ts";

const [REGISTER, COMMISSION, LEAVE, DELEGATE, CLAIM] = [100, 101, 102, 103, 104] as const;
const [UNDELEGATE, WITHDRAW, EVIDENCE, ROTATE] = [105, 106, 107, 99] as const;
const [ACTIVE, LEFT, JOINING, SLASHED] = [0, 1, 2, 3] as const;
/** What a transaction alone in its unit costs, micro-USD. */
const FEE = 1100n;
/** A hundred USD. */
const HUNDRED = 100_000_000n;
const EMPTY_POOL = { stake: 0n, shares: 0n, pending: 0n, earning: 0n, perShare: 0n, rewards: 0n };

const SET = toHex(taggedHash("sion/validators/v1"));
const STAKING = toHex(taggedHash("sion/staking/v1"));

/** A key that nothing is signed with, and the id of the validator whose first it is. */
const keyOf = (number: number): Uint8Array => Uint8Array.of(1, number);
const idOf = (number: number): string => keyId(keyOf(number));

let wallets: readonly Wallet[];
let alice: Wallet, bob: Wallet, carol: Wallet, dana: Wallet;
let story: Story;

beforeAll(async () => {
  const names = ["alice", "bob", "carol", "dana"];
  wallets = await Promise.all(names.map(walletOf));
  [alice, bob, carol, dana] = wallets as [Wallet, Wallet, Wallet, Wallet];
});

/** Each of the four operates a validator with 100 USD; epochs of ten Pulses. */
beforeEach(() => {
  const more = new Map<string, StateObject>();
  for (const [at, { account: operator }] of wallets.entries()) {
    const body = {
      operator,
      key: keyOf(at),
      next: null,
      stake: HUNDRED,
      status: ACTIVE,
      registered: 0n,
      due: null,
      commission: 0,
      nextCommission: null,
      earned: 0n,
      pool: EMPTY_POOL,
      slashed: [],
    };
    more.set(idOf(at), { kind: "validator", body });
  }
  const committee = wallets.map(({ account: operator }, at) => {
    return { validator: idOf(at), operator, key: keyOf(at), stake: HUNDRED };
  });
  const registered = wallets.map((_, at) => idOf(at));
  more.set(SET, { kind: "validator_set", body: { registered, committee, before: [] } });
  const ends = { epochPulses: 10n, epoch: 0n, epochEnd: 10n };
  const sums = { active: 4, validators: 4, bonded: 4n * HUNDRED };
  more.set(STAKING, { kind: "staking", body: { ...ends, ...sums } });
  story = new Story(wallets, more);
});

const validator = (number = 0) => story.object("validator", idOf(number));
const staking = () => story.object("staking", STAKING);
const asset = () => story.object("asset", USD);
const ofDelegation = (delegation: string) => ({
  of: { kind: "delegation", body: { delegation } },
});
const ofValidator = (number: number) => ({
  of: { kind: "validator", body: { validator: idOf(number) } },
});

/** Delegates to alice's validator. */
const delegate = (wallet: Wallet, amount: bigint): Promise<string> =>
  story.does(wallet, DELEGATE, { validator: idOf(0), amount });

/** Ends the epoch, and with it the session, in its last Pulse. */
function endEpoch(): void {
  story.pulse = (story.pulse / 10n + 1n) * 10n - 1n;
  story.execute([], true);
}

/** bob's 60 and carol's 40 USD at alice's validator earn, of which she has a tenth. */
async function earning(): Promise<readonly [string, string]> {
  const bobs = await delegate(bob, 60_000_000n);
  const carols = await delegate(carol, 40_000_000n);
  await story.does(alice, COMMISSION, { validator: idOf(0), commission: 1000 });
  endEpoch();
  return [bobs, carols];
}

describe("executeByStackB() on stake", () => {
  it("makes a validator that joins at the epoch's end, with the next committee", async () => {
    const body = { key: keyOf(9), stake: 1_000_000_000n - FEE, commission: 250 };
    const consent = new Uint8Array(3);
    const few = await story.act(dana, REGISTER, { ...body, consent });
    expect(few.reason).toBe("invalid transaction: a validator's own stake must be at least 1,000");
    await story.does(alice, 1, paying([dana.account, 900_000_000n]).body);
    const stake = 1_000_000_000n;
    const { receipt } = await story.act(dana, REGISTER, { ...body, stake, consent });
    const operator = dana.account;
    const made = { commission: 250n, operator, stake, validator: idOf(9) };
    expect(receipt).toMatchObject({ events: [{ ValidatorRegistered: made }], made: [idOf(9)] });
    expect(story.object("validator", idOf(9))).toEqual({
      operator,
      key: keyOf(9),
      next: null,
      stake,
      status: JOINING,
      registered: 3n,
      due: null,
      commission: 250,
      nextCommission: null,
      earned: 0n,
      pool: EMPTY_POOL,
      slashed: [],
    });
    expect(staking()).toMatchObject({ active: 4, validators: 5, bonded: 4n * HUNDRED + stake });
    story.execute([], true);
    expect(story.object("validator_set", SET).registered.at(-1)).toBe(idOf(9));
    expect(story.object("validator_set", SET).committee).toHaveLength(4);
    endEpoch();
    expect(staking()).toMatchObject({ active: 5, validators: 5, epoch: 1n, epochEnd: 20n });
    const { committee } = story.object("validator_set", SET);
    const member = { validator: idOf(9), operator, key: keyOf(9), stake };
    expect(committee).toEqual([...committee.slice(0, 4), member]);
  });

  it("shares an epoch's fees by weight, own stake and commission, and the rest with the treasury", async () => {
    const [bobs] = await earning();
    // Three fees among four equals, before any delegation earned.
    expect(validator()).toMatchObject({ earned: 825n, commission: 1000, nextCommission: null });
    expect(validator().pool).toMatchObject({ pending: 0n, earning: HUNDRED, perShare: 0n });
    const mark = toHex(taggedHash("sion/reward-mark/v1", idBytes(idOf(0)), encode(u64, 0n)));
    expect(story.object("reward_mark", mark)).toEqual({
      validator: idOf(0),
      epoch: 0n,
      perShare: 0n,
      pulse: 10n,
    });
    for (const wallet of [alice, dana]) await story.does(wallet, 1, paying([bob.account, 1n]).body);
    endEpoch();
    // Of 200 USD beside three times 100 only 149.999999 weigh: 2200 come to 733 and three times 488.
    expect([0, 1, 2, 3].map((at) => validator(at).earned)).toEqual([
      825n + 733n - 329n,
      825n + 488n,
      825n + 488n,
      825n + 488n,
    ]);
    // Half of 733 is 366 of the pool, of which 37 are commission.
    const perShare = 329n * 2n ** 64n / HUNDRED;
    expect(validator().pool).toMatchObject({ rewards: 329n, perShare });
    expect(asset()).toMatchObject({ fees: 0n, treasury: 3n });
    const before = story.balance(bob);
    const { receipt } = await story.act(bob, CLAIM, ofDelegation(bobs));
    const paid = { amount: 197n, delegation: bobs, owner: bob.account, validator: idOf(0) };
    expect(receipt.events).toEqual([{ RewardsClaimed: paid }]);
    expect(story.balance(bob)).toBe(before - FEE + 197n);
    expect(story.object("delegation", bobs).paid).toBe(perShare);
    const own = await story.act(alice, CLAIM, ofValidator(0));
    const earned = { amount: 1229n, delegation: null, owner: alice.account, validator: idOf(0) };
    expect(own.receipt.events).toEqual([{ RewardsClaimed: earned }]);
  });

  it("stops delegations earning, slashes what is unbonding, and gives back what is left", async () => {
    const [bobs, carols] = await earning();
    for (const wallet of [alice, dana]) await story.does(wallet, 1, paying([bob.account, 1n]).body);
    endEpoch();
    const { receipt } = await story.act(carol, UNDELEGATE, { delegation: carols });
    const gone = { delegation: carols, due: 1030n, owner: carol.account, validator: idOf(0) };
    expect(receipt.events).toEqual([{ Undelegated: { ...gone, rewards: 131n } }]);
    expect(staking().bonded).toBe(4n * HUNDRED + 60_000_000n);
    await story.does(bob, UNDELEGATE, { delegation: bobs });
    // One micro-USD is nobody's, beside three that no weight came to.
    expect(validator().pool).toMatchObject({ rewards: 0n, earning: 0n, shares: HUNDRED });
    expect(asset().treasury).toBe(4n);
    const offence = blocks({ session: 5 });
    const slashing = await story.act(dana, EVIDENCE, { key: keyOf(0), offence });
    const tenth = 10_000_000n;
    expect(slashing.receipt.events).toEqual([{
      ValidatorSlashed: {
        by: dana.account,
        offence: "blocks",
        own: tenth,
        pool: tenth,
        session: 5n,
        validator: idOf(0),
      },
    }]);
    expect(story.told.at(-1)?.output.endsSession).toBe(true);
    expect(asset().treasury).toBe(4n + 2n * tenth);
    expect(validator()).toMatchObject({ status: SLASHED, stake: 9n * tenth, slashed: [5] });
    expect(staking()).toMatchObject({ active: 3, validators: 3, bonded: 3n * HUNDRED });
    story.pulse = 1028n;
    const early = await story.act(bob, WITHDRAW, ofDelegation(bobs));
    expect(early.reason).toBe(
      `invalid transaction: delegation ${bobs.slice(0, 8)} can be withdrawn at Pulse 1030`,
    );
    for (const [wallet, id, amount] of [[bob, bobs, 54n], [carol, carols, 36n]] as const) {
      const before = story.balance(wallet);
      await story.does(wallet, WITHDRAW, ofDelegation(id));
      expect(story.balance(wallet)).toBe(before - FEE + amount * 1_000_000n);
    }
    expect(validator().pool).toMatchObject({ stake: 0n, shares: 0n });
  });

  it("lets a slashed validator join again with another key, and one that left take its stake", async () => {
    await story.act(dana, EVIDENCE, { key: keyOf(0), offence: blocks() });
    await story.does(alice, ROTATE, {
      validator: idOf(0),
      key: keyOf(9),
      consent: new Uint8Array(1),
    });
    expect(validator()).toMatchObject({ status: JOINING, stake: 90_000_000n });
    expect(staking()).toMatchObject({ active: 3, validators: 4, bonded: 390_000_000n });
    endEpoch();
    expect(validator()).toMatchObject({ status: ACTIVE, key: keyOf(9) });
    const left = await story.act(alice, LEAVE, { validator: idOf(9) });
    const due = story.pulse + 1007n;
    expect(left.receipt.events).toEqual([{ ValidatorLeft: { due, validator: idOf(0) } }]);
    story.pulse = due - 1n;
    await story.does(alice, WITHDRAW, ofValidator(0));
    expect(validator()).toMatchObject({ status: LEFT, stake: 0n });
    expect(story.balance(alice)).toBe(FUNDS + 90_000_000n - 3n * FEE);
    story.execute([], true);
    expect(story.object("validator_set", SET).registered).toEqual([1, 2, 3].map(idOf));
  });
});

describe("verifySignatures() on stake", () => {
  let keys: DualKeys;
  const sign = async (message: Uint8Array): Promise<Uint8Array> => {
    const backend = await loadDualBackend("insecure");
    return backend.sign(keys, message, (n) => new Uint8Array(n));
  };
  /** Whether it holds of a unit of dana's, in her slot 5. */
  const holds = async (tag: number, body: unknown): Promise<boolean> => {
    const unit = await unitOf(dana, 5n, [{ tag, body }]);
    const backend = await loadDualBackend("insecure");
    return verifySignatures(inputOf([{ type: "empty" }], [ordered(unit)]), backend).then(
      () => true,
      () => false,
    );
  };
  beforeAll(async () => {
    keys = await (await loadDualBackend("insecure")).keysFromSeed(taggedHash("test/validator"));
  });

  it("wants the new key's consent to register, for this slot of this account alone", async () => {
    const consentOf = (account: string, sequence: bigint, domain = "sion/register/v1") =>
      sign(taggedHash(domain, idBytes(CHAIN), idBytes(account), encode(u64, sequence)));
    const body = { key: keys.publicKey, stake: 1n, commission: 0 };
    const verdicts = await Promise.all([
      consentOf(dana.account, 5n),
      consentOf(dana.account, 6n),
      consentOf(bob.account, 5n),
      consentOf(dana.account, 5n, "sion/rotate/v1"),
    ].map(async (consent) => holds(REGISTER, { ...body, consent: await consent })));
    expect(verdicts).toEqual([true, false, false, false]);
  });

  it("wants the key's own signatures of both blocks of this chain", async () => {
    const shownBlocks = signedIn(blocks());
    const [first, second] = await Promise.all(shownBlocks.map(async (one) => {
      return { ...one, signature: await sign(blockId(CHAIN, one)) };
    })) as [typeof shownBlocks[0], typeof shownBlocks[1]];
    const elsewhere = { ...first, signature: await sign(blockId("11".repeat(32), first)) };
    const swapped = { ...second, signature: first.signature };
    const verdicts = await Promise.all(
      [[first, second], [elsewhere, second], [first, swapped]].map(([one, other]) => {
        const offence = { kind: "blocks", body: { first: one, second: other } };
        return holds(EVIDENCE, { key: keys.publicKey, offence });
      }),
    );
    expect(verdicts).toEqual([true, false, false]);
  });
});

describe("stack B's reading of stake", () => {
  it("weightsOf() cuts stakes to the largest weight under a third of all, from four on", () => {
    const stakes = fc.array(fc.bigInt(1n, 60n), { minLength: 1, maxLength: 16 });
    fc.assert(fc.property(stakes, (all) => {
      const cut = (most: bigint) => all.map((one) => one < most ? one : most);
      let largest = 0n;
      for (let c = 1n; c <= 400n; c++) {
        if (3n * c < cut(c).reduce((sum, one) => sum + one, 0n)) largest = c;
      }
      expect(weightsOf(all)).toEqual(all.length < 4 ? all : cut(largest));
    }));
    const most = 2n ** 64n - 1n;
    expect(weightsOf(new Array<bigint>(16).fill(most))).toEqual(new Array(16).fill(most));
    expect(weightsOf([most, 1n, 1n, 1n])).toEqual([1n, 1n, 1n, 1n]);
  });

  it("leadsTo() follows a path to the root over as many entries, from its place alone", () => {
    for (let count = 1; count <= 20; count++) {
      for (let index = 0; index < count; index++) {
        const statement = Uint8Array.of(200);
        const { path, header } = shown(statement, {}, index, count);
        const entries = Array.from(
          { length: count },
          (_, at) => taggedHash("sion/statement/v1", at === index ? statement : Uint8Array.of(at)),
        );
        const root = rootOfList(entries);
        expect(toHex(root)).toBe(header.statementsRoot);
        const leads = (at: number, of: number, along = path.map(idBytes)) =>
          leadsTo(root, entries[index] as Uint8Array, { index: at, count: of }, along);
        expect(leads(index, count)).toBe(true);
        const others = Array.from({ length: count + 1 }, (_, at) => at).filter((at) =>
          at !== index
        );
        for (const other of others) expect(leads(other, count)).toBe(false);
        expect(leads(index, count, [...path.map(idBytes), sha256()])).toBe(false);
        expect(leads(index, count, path.slice(1).map(idBytes))).toBe(count === 1);
      }
    }
  });

  it("the stories reach every reason that the protocol names", () => {
    const reasons = new Set<string>();
    const note: Execute = (world, units, advanceMs, closesSession = false) => {
      const { input } = executeByBoth(world, units, { advanceMs, closesSession });
      for (const { kind, outcome } of executeByStackB(input).receipts) {
        if (kind < REGISTER || kind > EVIDENCE || outcome.kind !== "failed") continue;
        reasons.add(
          outcome.body.replace(/[0-9a-f]{8}\b/g, "…").replace(/(Pulse|session) \d+/, "$1 n"),
        );
      }
    };
    tellOfStaking(note);
    tellOfUnbonding(note);
    // None reaches a state with validators and without `staking`, since none has been made.
    expect([...reasons].sort()).toEqual([
      "invalid transaction: a delegation must be at least 1",
      "invalid transaction: a unit of the evidence cannot be read",
      "invalid transaction: a validator has or had this key",
      "invalid transaction: a validator's own stake must be at least 1,000",
      "invalid transaction: delegation … can be withdrawn at Pulse n",
      "invalid transaction: delegation … is not unbonding",
      "invalid transaction: delegation … is unbonding already",
      "invalid transaction: delegation … was withdrawn already",
      "invalid transaction: more than the ledger can hold",
      "invalid transaction: nothing is owed to delegation …",
      "invalid transaction: nothing is owed to validator …",
      "invalid transaction: nothing of the own stake of validator … is left",
      "invalid transaction: nothing of validator … is left to slash",
      "invalid transaction: the balance is too low",
      "invalid transaction: the last active validator cannot leave",
      "invalid transaction: the later statement is not below the bound of the earlier unit",
      "invalid transaction: the unit of the evidence does not have the slot that was stopped",
      "invalid transaction: the units of the evidence share no slot",
      "invalid transaction: there are 64 validators already",
      "invalid transaction: there is no delegation …",
      "invalid transaction: there is no validator …",
      "invalid transaction: there is no validator_set …",
      "invalid transaction: validator … can be withdrawn at Pulse n",
      "invalid transaction: validator … has left already",
      "invalid transaction: validator … has not left",
      "invalid transaction: validator … is not active",
      "invalid transaction: validator … takes no more stake",
      "invalid transaction: validator … was slashed for session n already",
      "invalid transaction: validator … would have more than twice an equal share of the bonded stake",
      "unauthorized: only the operator of validator … may claim its rewards",
      "unauthorized: only the operator of validator … may set its commission",
      "unauthorized: only the operator of validator … may take it out",
      "unauthorized: only the operator of validator … may withdraw its stake",
      "unauthorized: only the owner of delegation … may claim its rewards",
      "unauthorized: only the owner of delegation … may undelegate it",
      "unauthorized: only the owner of delegation … may withdraw it",
    ]);
  });
});
