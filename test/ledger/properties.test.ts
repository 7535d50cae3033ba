/** Random histories: whatever is done in whatever order, money and rules hold. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Action, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import {
  accountKey,
  allotmentKind,
  assetKind,
  beaconKind,
  charterKind,
  identityKind,
  restoreState,
  USD,
} from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  narrow,
  reclaim,
  register,
  resume,
  revoke,
  revokeCharter,
  spawn,
  suspend,
} from "./_agents.ts";
import { accountOf, NAMED, payMemo, payTo, usd, World } from "./_world.ts";

const ACTORS = [...NAMED, "robot", "helper"] as const;

/** Numbers from which an action is chosen among what exists by then. */
interface Draw {
  readonly who: number;
  readonly what: number;
  readonly a: number;
  readonly b: number;
  readonly amount: number;
}

const draw: fc.Arbitrary<Draw> = fc.record({
  who: fc.nat(ACTORS.length - 1),
  what: fc.nat(12),
  a: fc.nat(50),
  b: fc.nat(50),
  amount: fc.oneof(fc.nat(20), fc.nat(20_000)),
});

/** Ids of a kind, and one of nothing. */
function idsOf(world: World, kind: string): string[] {
  const found = [...world.state.entries()].filter(([, object]) => object.kind === kind);
  return [...found.map(([id]) => id), "11".repeat(32)];
}

function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}

function actionOf(world: World, { who, what, a, b, amount }: Draw): Action {
  const agents = () => pick(idsOf(world, identityKind.name), a);
  const charters = () => pick(idsOf(world, charterKind.name), a);
  const allotments = (at = b) => pick(idsOf(world, allotmentKind.name), at);
  const payee = accountOf(pick(ACTORS, b));
  const micro = usd(amount + 1);
  const maybe = <T>(value: T) => (a + b + who) % 3 === 0 ? value : null;
  switch (what) {
    case 0:
      return a % 3 === 0
        ? payMemo(payee, micro, accountOf(pick(ACTORS, a)))
        : payTo([payee, micro], [accountOf(pick(ACTORS, a)), 1n]);
    case 1:
      return { kind: "faucet", body: { account: payee, amount: micro } };
    case 2:
      return register(pick(["robot", "helper", "third"], b), maybe(agents()));
    case 3:
      return suspend(agents());
    case 4:
      return resume(agents());
    case 5:
      return a % 5 === 0 ? revoke(agents()) : resume(agents());
    case 6:
      return charter(agents(), {
        payees: maybe([payee]),
        maxPayment: maybe(micro),
        bucket: maybe({ capacity: micro, refill: BigInt(b), periodMs: BigInt(a + 1) }),
        receipts: a % 2 === 0,
      }, maybe(pick(idsOf(world, charterKind.name), b)));
    case 7:
      return narrow(charters(), { maxPayment: micro });
    case 8:
      return a % 5 === 0 ? revokeCharter(charters()) : narrow(charters(), { receipts: true });
    case 9: {
      const allotment = maybe(allotments());
      const source = b % 2 === 0 ? allotments(a) : null;
      return fund(charters(), micro, {
        ...allotment !== null && { allotment },
        ...source !== null && source !== allotment && { source },
      });
    }
    case 10:
      return reclaim(allotments(), maybe(micro));
    case 11: {
      const place = { parent: agents(), charter: charters(), source: allotments() };
      return spawn(who < 4 ? {} : place, [
        { name: "first", amount: micro, caveats: { maxPayment: maybe(micro) } },
        { name: "second", ...(a % 2 === 0 ? {} : { account: payee }) },
        { name: "third", amount: usd(b + 1) },
      ]);
    }
    default:
      return agentPay(
        { agent: "", charter: charters(), allotment: allotments() },
        payee,
        usd((amount % 50) + 1),
      );
  }
}

/** The unit that a draw comes to, or a void slot now and then; at most one a lane and Pulse. */
function orderedOf(world: World, draws: readonly Draw[]): (SignedUnit | Ordered)[] {
  const ordered = new Map<string, SignedUnit | Ordered>();
  for (const one of draws) {
    const who = pick(ACTORS, one.who);
    const account = accountOf(who);
    if (ordered.has(account)) continue;
    ordered.set(
      account,
      one.amount === 13
        ? { type: "void", account, sequence: world.sequence(account) }
        : world.unit(who, [actionOf(world, one), actionOf(world, { ...one, b: one.b + 1 })]),
    );
  }
  return [...ordered.values()];
}

/** A world in which there is something to do: two agents with charters and money. */
function busyWorld(): World {
  const world = new World();
  const robot = world.make("alice", register("robot"));
  const id = world.make("alice", charter(robot, { receipts: true }));
  world.make("alice", fund(id, usd(1000)));
  world.make("alice", payTo([accountOf("robot"), usd(50)], [accountOf("helper"), usd(50)]));
  const helper = world.make("robot", register("helper", robot));
  world.make("robot", charter(helper, {}, id));
  return world;
}

const history = fc.array(fc.array(draw, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 12,
});

describe("Ledger.execute() over random histories", () => {
  test("Ledger.execute() makes and loses no money, whatever is done [L-082]", () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(history, (pulses) => {
        const world = busyWorld();
        for (const draws of pulses) {
          // `execute` of the test world adds up all money after every Pulse.
          const { receipts } = world.execute(orderedOf(world, draws));
          for (const { kind, outcome } of receipts) outcomes.add(`${kind} ${outcome.kind}`);
        }
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
    const succeeded = [...outcomes].filter((one) => one.endsWith(" success"));
    expect(succeeded.length).toBeGreaterThan(9);
    expect(outcomes).toContain("void void");
  });

  test("Ledger.execute() of the same history comes to the same roots, from a restored state too", () => {
    fc.assert(
      fc.property(history, (pulses) => {
        const [one, two] = [busyWorld(), busyWorld()];
        for (const draws of pulses) {
          const ordered = orderedOf(one, draws);
          const before = two.state;
          two.state = restoreState(two.ledger, {
            shards: 2,
            objects: [...before.entries()].map((
              [id],
            ) => [id, before.bytes(id) ?? new Uint8Array()]),
            knowledge: before.knowledge,
          });
          const bytes = (item: SignedUnit | Ordered) =>
            "unit" in item ? two.ledger.decodeSigned(one.ledger.encodeSigned(item)) : item;
          const second = two.execute(ordered.map(bytes));
          const first = one.execute(ordered);
          expect(second.roots).toEqual(first.roots);
          expect(second.receipts).toEqual(first.receipts);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("Ledger.execute() changes nothing but fee and slot for what fails [L-082 L-083]", () => {
    fc.assert(
      fc.property(fc.array(draw, { minLength: 1, maxLength: 20 }), (draws) => {
        const world = busyWorld();
        for (const one of draws) {
          const who = pick(ACTORS, one.who);
          const before = world.state;
          const receipt = world.do(who, actionOf(world, one));
          if (receipt.outcome.kind !== "failed") continue;
          const changed = [...world.last?.changed.keys() ?? []]
            .filter((key) => world.state.at(key)?.kind !== beaconKind.name).sort();
          expect(changed).toEqual(
            [accountKey(accountOf(who)), ...receipt.fee > 0n ? [USD] : []].sort(),
          );
          const account = (state: typeof before) => state.account(accountOf(who));
          const was = account(before) as ReturnType<typeof accountValue> | undefined;
          const now = accountValue(world, who);
          expect(now?.sequence).toBe((was?.sequence ?? 0n) + 1n);
          expect((was?.balances.get(USD) ?? 0n) - (now?.balances.get(USD) ?? 0n)).toBe(receipt.fee);
          const fees = (state: typeof before) => state.get(USD)?.value as { fees: bigint };
          expect(fees(world.state).fees - fees(before).fees).toBe(receipt.fee);
          expect(world.state.knowledge).toEqual(before.knowledge);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("Ledger.execute() gives one state for payments in any order across lanes", () => {
    const order = fc.shuffledSubarray(Array.from({ length: 8 }, (_, at) => at), {
      minLength: 8,
      maxLength: 8,
    });
    const accounts = Array.from({ length: 8 }, (_, at) => `w${at}`);
    fc.assert(
      fc.property(order, fc.array(fc.nat(7), { minLength: 8, maxLength: 8 }), (places, to) => {
        const world = new World({ accounts: accounts.map((name) => [accountOf(name), usd(10)]) });
        const units = accounts.map((name, at) =>
          world.unit(name, [
            payTo([accountOf(pick(accounts, to[at] ?? 0)), usd(at + 1)]),
            payTo([accountOf(pick(accounts, at)), usd(9)]),
          ])
        );
        const input = { pulse: 1n, timeMs: 1n, beacon: new Uint8Array(32) };
        const run = (list: readonly SignedUnit[]) =>
          world.ledger.execute(world.state, {
            ...input,
            ordered: list.map((signed) => ({ type: "unit", signed, forced: false })),
          });
        const plain = run(units);
        const shuffled = run(places.map((at) => pick(units, at)));
        expect(shuffled.roots.state).toEqual(plain.roots.state);
        const digests = (of: typeof plain) =>
          of.receipts.map(({ digest, outcome }) => digest + outcome.kind).sort();
        expect(digests(shuffled)).toEqual(digests(plain));
      }),
      { numRuns: 30 },
    );
  });

  test("Ledger.execute() never lets an agent's bucket, limit or payees be exceeded [L-219..L-221]", () => {
    const payment = fc.record({
      payee: fc.constantFrom("bob", "carol"),
      micro: fc.bigInt({ min: 1n, max: usd(8) }),
      waitMs: fc.bigInt({ min: 0n, max: 20_000n }),
    });
    fc.assert(
      fc.property(fc.array(payment, { maxLength: 25 }), (payments) => {
        const world = new World();
        const agent = world.make("alice", register("robot"));
        const bucket = { capacity: usd(10), refill: usd(1), periodMs: 7000n };
        const id = world.make(
          "alice",
          charter(agent, {
            payees: [accountOf("bob")],
            maxPayment: usd(5),
            bucket,
          }),
        );
        const allotment = world.make("alice", fund(id, usd(100)));
        world.make("alice", payTo([accountOf("robot"), usd(1)]));
        const start = world.timeMs;
        let paid = 0n;
        for (const { payee, micro, waitMs } of payments) {
          const receipt = world.do(
            "robot",
            agentPay({ agent, charter: id, allotment }, accountOf(payee), micro),
            { advanceMs: waitMs },
          );
          if (receipt.outcome.kind === "success") paid += micro;
          if (payee !== "bob" || micro > usd(5)) expect(receipt.outcome.kind).toBe("failed");
          const most = bucket.capacity +
            bucket.refill * (world.timeMs - start + 2000n) / bucket.periodMs;
          expect(paid <= most).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });
});

function accountValue(world: World, who: string) {
  return world.state.account(accountOf(who));
}

test("World.execute() would notice a lost micro-USD", () => {
  const world = new World();
  const asset = world.read(assetKind, USD);
  if (!asset) throw new Error();
  const object = { kind: assetKind.name, value: { ...asset, fees: 1n } };
  const bytes = world.ledger.encodeObject(object);
  world.state = world.state.with(new Map([[USD, { object, bytes }]]), world.state.knowledge);
  expect(() => world.execute([])).toThrow(/1 more micro-units/);
  expect(toHex(taggedHash("sion/state/v1", bytes))).toMatch(/^[0-9a-f]{64}$/);
});
