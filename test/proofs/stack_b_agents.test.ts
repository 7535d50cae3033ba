import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { idBytes, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { accountOf } from "../../internal/proofs/world/stack_b/policy.ts";
import type { Wallet } from "./_stack_b.ts";
import { rootOfOne, USD, walletOf } from "./_stack_b.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";

const names = ["alice", "bob", "robot", "helper", "mallory"] as const;
let wallets: Record<(typeof names)[number], Wallet>;

beforeAll(async () => {
  const made = await Promise.all(names.map(async (name) => [name, await walletOf(name)] as const));
  wallets = Object.fromEntries(made) as typeof wallets;
});

const NO_CAVEATS = {
  payees: null,
  maxPayment: null,
  bucket: null,
  expires: null,
  receipts: false,
};

let story: Story;
beforeEach(() => {
  story = new Story(Object.values(wallets));
});

const register = (name: string, parent: string | null, account: string | null) => ({
  name,
  parent,
  account,
});

/** An agent of alice's with a charter and an allotment of 100 USD. */
async function robotUnder(caveats: object): Promise<{
  agent: string;
  charter: string;
  allotment: string;
}> {
  const { alice, robot } = wallets;
  const agent = await story.does(alice, 16, register("robot", null, robot.account));
  const charter = await story.does(alice, 24, {
    agent,
    parent: null,
    caveats: { ...NO_CAVEATS, ...caveats },
  });
  const funding = { charter, allotment: null, source: null, amount: 100_000_000n };
  return { agent, charter, allotment: await story.does(alice, 32, funding) };
}

const payment = (
  on: { charter: string; allotment: string },
  payee: Wallet,
  amount: bigint,
  named = false,
) => ({
  charter: on.charter,
  allotment: on.allotment,
  payee: payee.account,
  amount,
  purpose: "one forecast",
  session: named ? "s1" : null,
  call: named ? "c1" : null,
});

describe("executeByStackB() on identities", () => {
  it("an agent below an agent is one deeper, with the same principal", async () => {
    const { alice, robot, helper } = wallets;
    const top = await story.does(alice, 16, register("robot", null, robot.account));
    const below = await story.does(robot, 16, register("helper", top, helper.account));
    expect(story.object("identity", below)).toMatchObject({
      principal: alice.account,
      parent: top,
      account: helper.account,
      depth: 2,
      keyless: false,
    });
    const circular = await story.act(helper, 16, register("loop", below, robot.account));
    expect(circular.reason).toMatch(/^invalid transaction: /);
    const stranger = await story.act(wallets.mallory, 16, register("x", top, null));
    expect(stranger.reason).toMatch(/^unauthorized: /);
  });

  it("a keyless agent's account is the acting policy's with the identity as salt", async () => {
    const { alice } = wallets;
    const agent = await story.does(alice, 16, register("ghost", null, null));
    const identity = story.object("identity", agent);
    expect(identity.keyless).toBe(true);
    expect(identity.account).toBe(accountOf(alice.policy, idBytes(agent)));
    const pay = { asset: USD, outputs: [{ account: identity.account, amount: 5000n }] };
    await story.does(alice, 1, pay);
    const acts = { account: identity.account, salt: idBytes(agent) };
    const { reason } = await story.act(alice, 16, register("child", agent, null), acts);
    expect(reason).toBeNull();
  });

  it("only who set a suspension, or stands above it, lifts it", async () => {
    const { alice, robot, helper } = wallets;
    const top = await story.does(alice, 16, register("robot", null, robot.account));
    const below = await story.does(robot, 16, register("helper", top, helper.account));
    await story.does(robot, 17, { agent: below });
    await story.does(alice, 17, { agent: below });
    expect(story.object("identity", below).suspensions.map((one) => one.level)).toEqual([0, 1]);
    const { receipt } = await story.act(robot, 18, { agent: below });
    const event = { agent: below, by: robot.account, suspended_above: true };
    expect(receipt.events).toEqual([{ AgentResumed: event }]);
    expect((await story.act(robot, 18, { agent: below })).reason).toMatch(/^unauthorized: /);
    await story.does(alice, 18, { agent: below });
    expect(story.object("identity", below).suspensions).toEqual([]);
  });

  it("a suspended agent no longer stands above the agents below it", async () => {
    const { alice, robot, helper } = wallets;
    const top = await story.does(alice, 16, register("robot", null, robot.account));
    const below = await story.does(robot, 16, register("helper", top, helper.account));
    await story.does(alice, 17, { agent: top });
    expect((await story.act(robot, 17, { agent: below })).reason).toMatch(/^unauthorized: /);
    await story.does(alice, 19, { agent: below });
    expect((await story.act(alice, 19, { agent: below })).reason).not.toBeNull();
  });
});

describe("executeByStackB() on charters and allotments", () => {
  it("a payment within the charter moves money and issues its claim", async () => {
    const { robot, bob } = wallets;
    const on = await robotUnder({ payees: [bob.account], receipts: true });
    const { receipt, reason } = await story.act(robot, 40, payment(on, bob, 200_000n, true));
    expect(reason).toBeNull();
    expect(receipt.fee).toBe(1200n);
    expect(story.balance(bob)).toBe(FUNDS + 200_000n);
    expect(story.object("allotment", on.allotment)).toMatchObject({
      balance: 99_800_000n,
      spent: 200_000n,
    });
    const [claim] = receipt.made;
    expect(story.knowledge.size).toBe(1n);
    expect(story.knowledge.root).toEqual(rootOfOne(idBytes(claim ?? "")));
    expect(story.object("claim", claim ?? "").issuer).toBe(robot.account);
  });

  it("the first caveat that does not hold is the reason", async () => {
    const { alice, robot, bob, mallory } = wallets;
    const on = await robotUnder({
      payees: [bob.account],
      maxPayment: 5_000_000n,
      bucket: { capacity: 1_500_000n, refill: 10_000_000n, periodMs: 86_400_000n },
      expires: 20n,
    });
    const reasonOf = async (who: Wallet, payee: Wallet, amount: bigint) =>
      (await story.act(who, 40, payment(on, payee, amount))).reason;
    const violated = "charter caveat violated:";
    expect(await reasonOf(mallory, bob, 1n)).toBe(
      "unauthorized: only the charter's agent may pay under it",
    );
    expect(await reasonOf(robot, mallory, 9_000_000n)).toBe(`${violated} payee not allowed`);
    expect(await reasonOf(robot, bob, 5_000_001n)).toBe(`${violated} over the per-payment limit`);
    expect(await reasonOf(robot, bob, 1_500_001n)).toBe(`${violated} bucket holds only 1.5 USD`);
    expect(await reasonOf(robot, bob, 1_500_000n)).toBeNull();
    story.timeMs += 8_640_000n;
    expect(await reasonOf(robot, bob, 1_000_001n)).toBe(`${violated} bucket holds only 1 USD`);
    await story.does(alice, 17, { agent: on.agent });
    expect(await reasonOf(robot, bob, 1n)).toBe(`${violated} agent suspended`);
    await story.does(alice, 18, { agent: on.agent });
    story.pulse = 20n;
    expect(await reasonOf(robot, bob, 1n)).toBe(`${violated} expired`);
    await story.does(alice, 26, { charter: on.charter });
    expect(await reasonOf(robot, bob, 1n)).toBe(`${violated} revoked`);
  });

  it("a bucket loses nothing to how often it is touched", async () => {
    const { robot, bob } = wallets;
    const bucket = { capacity: 100n, refill: 1n, periodMs: 7n };
    const on = await robotUnder({ bucket });
    await story.does(robot, 40, payment(on, bob, 100n));
    for (let i = 0; i < 6; i++) {
      story.timeMs += 3n;
      await story.act(robot, 40, payment(on, bob, 1n));
    }
    const { level } = story.object("charter", on.charter).bucket ?? { level: -1n };
    // 18 ms at one in seven: two whole ones, whatever was spent of them in between.
    expect(level + story.object("allotment", on.allotment).spent - 100n).toBe(2n);
  });

  it("charters above bind with their buckets, all or none", async () => {
    const { robot, helper, bob } = wallets;
    const bucket = { capacity: 10n, refill: 0n, periodMs: 1n };
    const on = await robotUnder({ bucket });
    const below = await story.does(robot, 16, register("helper", on.agent, helper.account));
    const given = { agent: below, parent: on.charter, caveats: NO_CAVEATS };
    const charter = await story.does(robot, 24, given);
    const funding = { charter, allotment: null, source: on.allotment, amount: 50n };
    const allotment = await story.does(robot, 32, funding);
    const under = { charter, allotment };
    expect((await story.act(helper, 40, payment(under, bob, 11n))).reason).toBe(
      "charter caveat violated: narrowed above: bucket holds only 0.00001 USD",
    );
    await story.does(helper, 40, payment(under, bob, 4n));
    expect(story.object("charter", on.charter).bucket?.level).toBe(6n);
    expect((await story.act(helper, 40, payment(under, bob, 7n))).reason).toContain("0.000006");
    expect(story.object("charter", on.charter).bucket?.level).toBe(6n);
  });

  it("narrowing takes what meets both and cuts the level", async () => {
    const { alice, bob, mallory } = wallets;
    const bucket = { capacity: 100n, refill: 10n, periodMs: 1000n };
    const payees = [bob.account, mallory.account].sort();
    const { charter } = await robotUnder({ payees, maxPayment: 50n, bucket, expires: 90n });
    const narrower = {
      payees: [bob.account],
      maxPayment: 80n,
      bucket: { capacity: 60n, refill: 1n, periodMs: 10n },
      expires: 80n,
      receipts: true,
    };
    await story.does(alice, 25, { charter, caveats: narrower });
    expect(story.object("charter", charter)).toMatchObject({
      caveats: {
        payees: [bob.account],
        maxPayment: 50n,
        bucket: { capacity: 60n, refill: 10n, periodMs: 1000n },
        expires: 80n,
        receipts: true,
      },
      bucket: { level: 60n, carry: 0n },
    });
    const again = await story.act(alice, 25, { charter, caveats: narrower });
    expect(again.reason).toMatch(/^invalid transaction: /);
  });

  it("what is reclaimed goes back to where it came from", async () => {
    const { alice, robot, helper, mallory } = wallets;
    const on = await robotUnder({});
    const below = await story.does(robot, 16, register("helper", on.agent, helper.account));
    const given = { agent: below, parent: on.charter, caveats: NO_CAVEATS };
    const charter = await story.does(robot, 24, given);
    const funding = { charter, allotment: null, source: on.allotment, amount: 500n };
    const allotment = await story.does(robot, 32, funding);
    expect((await story.act(mallory, 33, { allotment, amount: 1n })).reason).toMatch(
      /^unauthorized: /,
    );
    expect((await story.act(helper, 33, { allotment, amount: 1n })).reason).toMatch(
      /^unauthorized: /,
    );
    await story.does(alice, 33, { allotment, amount: 200n });
    expect(story.object("allotment", on.allotment).balance).toBe(100_000_000n - 300n);
    await story.does(robot, 33, { allotment, amount: null });
    expect(story.object("allotment", allotment).balance).toBe(0n);
    expect((await story.act(robot, 33, { allotment, amount: null })).reason).not.toBeNull();
    const before = story.balance(alice);
    await story.does(alice, 33, { allotment: on.allotment, amount: null });
    expect(story.balance(alice)).toBe(before + 100_000_000n - 1100n);
  });

  it("an id that names no object of its kind is a reason of its own", async () => {
    const { alice } = wallets;
    const none = "11".repeat(32);
    const reasonOf = async (tag: number, body: unknown) =>
      (await story.act(alice, tag, body)).reason;
    const noIdentity = "invalid transaction: there is no identity 11111111";
    for (const tag of [17, 18, 19]) expect(await reasonOf(tag, { agent: none })).toBe(noIdentity);
    expect(await reasonOf(26, { charter: none })).toBe(
      "invalid transaction: there is no charter 11111111",
    );
    expect(await reasonOf(33, { allotment: none, amount: null })).toBe(
      "invalid transaction: there is no allotment 11111111",
    );
    expect(toHex(taggedHash("sion/asset/v1", new TextEncoder().encode("USD")))).toBe(USD);
  });
});
