import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode, fromHex, idBytes, SionError, toHex } from "#internal/core/mod.ts";
import type { AnyTxKind, Receipt, View } from "#internal/ledger/mod.ts";
import { createLedger, defineTxKind, NO_SALT } from "#internal/ledger/mod.ts";
import { executeByStackB, worldInputCodec } from "#internal/proofs/mod.ts";
import { decodeUnit, signedUnitCodec } from "../../internal/proofs/world/stack_b/unit.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  narrow,
  reclaim,
  register,
  resume,
  robotOf,
  suspend,
} from "../ledger/_agents.ts";
import { scenarios } from "../ledger/_scenarios.ts";
import type { AnyAction } from "../ledger/_world.ts";
import { accountOf, CHAIN, payTo, policyOf, reasonOf, usd, World } from "../ledger/_world.ts";
import { bodies, unitAround } from "./_bodies.ts";
import type { DrawnPulse } from "./_histories.ts";
import { busyWorld, histories, orderedOf } from "./_histories.ts";
import type { Compared } from "./_two_stacks.ts";
import { executeByBoth } from "./_two_stacks.ts";

const bob = accountOf("bob");

/** One transaction by both stacks, which must agree. */
function agreed(
  world: World,
  name: string,
  action: AnyAction,
  options: { keyless?: string; advanceMs?: bigint } = {},
): Receipt {
  const compared = executeByBoth(world, [world.unit(name, [action], options)], {
    ...options.advanceMs !== undefined && { advanceMs: options.advanceMs },
  });
  expect(compared.differences).toEqual([]);
  return compared.a.receipts[0] as Receipt;
}

/** Plays a history; what both stacks said of each Pulse. */
function* play(world: World, pulses: readonly DrawnPulse[]): Generator<Compared> {
  for (const { draws, advanceMs, closesSession } of pulses) {
    yield executeByBoth(world, orderedOf(world, draws), { advanceMs, closesSession });
  }
}

describe("both stacks over random histories", () => {
  it("executeByStackA() and executeByStackB() come to every root and count, from what was touched", () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 5 }), (pulses, shards) => {
        for (const { a, again, b, differences } of play(busyWorld(shards), pulses)) {
          expect(differences).toEqual([]);
          expect(again).toEqual(b.output);
          expect(b.output.receipts).toBe(a.receipts.length);
          for (const receipt of a.receipts) {
            const reason = reasonOf(receipt)?.replace(/[0-9a-f]{8}|[0-9.,]+ USD/g, "…");
            outcomes.add(`${receipt.kind}: ${reason ?? receipt.outcome.kind}`);
          }
        }
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
    // What was compared: every kind's success, and most of the ways in which it can fail.
    expect([...outcomes].filter((one) => one.endsWith(": success")).length).toBe(15);
    expect(outcomes).toContain("void: void");
    expect(outcomes.size).toBeGreaterThan(75);
  });

  it("worldInputCodec carries a Pulse to another reader, who comes to the same", () => {
    fc.assert(
      fc.property(histories, (pulses) => {
        for (const { input, b } of play(busyWorld(2), pulses.slice(0, 2))) {
          const carried = decode(worldInputCodec, encode(worldInputCodec, input));
          expect(executeByStackB(carried).output).toEqual(b.output);
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe("both stacks where histories seldom come", () => {
  it.each(Object.keys(scenarios))("they agree on the published scenarios of %s", (kind) => {
    for (const which of ["succeeds", "fails"] as const) {
      const scenario = scenarios[kind]?.();
      if (!scenario) throw new Error(kind);
      const outcome = agreed(scenario.world, scenario.by, scenario[which]).outcome.kind;
      expect(outcome).toBe(which === "succeeds" ? "success" : "failed");
    }
  });

  it("agents are at most eight deep", () => {
    const world = new World();
    const names = Array.from({ length: 10 }, (_, at) => `deep${at}`);
    world.make("alice", payTo(...names.map((name) => [accountOf(name), usd(1)] as const)));
    let parent = world.make("alice", register("deep0"));
    for (let at = 1; at < 8; at++) {
      const receipt = agreed(world, `deep${at - 1}`, register(`deep${at}`, parent));
      parent = receipt.made[0] ?? "";
    }
    expect(reasonOf(agreed(world, "deep7", register("deep8", parent)))).toMatch(/^invalid/);
    expect(agreed(world, "alice", suspend(parent)).outcome.kind).toBe("success");
    expect(reasonOf(agreed(world, "deep3", resume(parent)))).toMatch(/^unauthorized/);
  });

  it("a chain without a faucet mints nothing", () => {
    const action = { kind: "faucet", body: { account: bob, amount: 1n } };
    const reason = reasonOf(agreed(new World({ faucet: false }), "alice", action));
    expect(reason).toBe("invalid transaction: this chain has no faucet");
  });

  it("a keyless agent acts, registers, and may itself be a parent", () => {
    const world = new World();
    const keyless = (parent: string | null) => ({
      kind: "agent_register",
      body: { name: "ghost", parent, account: null },
    });
    const top = agreed(world, "alice", keyless(null)).made[0] ?? "";
    world.make("alice", payTo([accountOf("alice", idBytes(top)), usd(1)]));
    const below = agreed(world, "alice", keyless(top), { keyless: top }).made[0] ?? "";
    expect(below).not.toBe("");
    expect(agreed(world, "alice", suspend(below), { keyless: top }).outcome.kind).toBe("success");
    expect(agreed(world, "alice", resume(below)).outcome.kind).toBe("success");
  });

  it("a fee that is there without what comes beyond it fails", () => {
    const world = new World();
    const robot = robotOf(world);
    const rest = world.balance(accountOf("robot")) - 1100n - 1150n;
    world.make("robot", payTo([bob, rest]));
    const named = agentPay(robot, bob, 1n, { session: "s", call: "c" });
    const receipt = agreed(world, "robot", named);
    expect([receipt.outcome.kind, receipt.fee]).toEqual(["failed", 1100n]);
    expect(agreed(world, "robot", named).fee).toBe(50n);
    expect(agreed(world, "robot", named).fee).toBe(0n);
  });

  it("an account that nothing ever happened to can lose a slot", () => {
    const world = new World();
    const account = accountOf("nobody");
    const slot = { type: "void", account, sequence: 0n } as const;
    const { differences } = executeByBoth(world, [slot]);
    expect(differences).toEqual([]);
    const unit = world.unit("nobody", [payTo([bob, 1n])]);
    const forced = { type: "unit", signed: unit, forced: true } as const;
    expect(executeByBoth(world, [forced]).differences).toEqual([]);
  });

  it("narrowing meets every caveat with every other", () => {
    const some = fc.record({
      payees: fc.option(fc.subarray(["alice", "bob", "carol"].map((name) => accountOf(name)))),
      maxPayment: fc.option(fc.bigInt({ min: 1n, max: 3n })),
      bucket: fc.option(fc.record({
        capacity: fc.bigInt({ min: 1n, max: 40n }),
        refill: fc.bigInt({ min: 0n, max: 6n }),
        periodMs: fc.bigInt({ min: 1n, max: 6n }),
      })),
      expires: fc.option(fc.bigInt({ min: 8n, max: 14n })),
      receipts: fc.boolean(),
    });
    const steps = fc.array(
      fc.record({ more: some, amount: fc.bigInt({ min: 1n, max: 9n }), ms: fc.bigInt(0n, 9n) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(some, steps, (first, list) => {
        const world = new World();
        const robot = robotOf(world, first);
        const helper = helperOf(world, robot, { receipts: false });
        for (const { more, amount, ms } of list) {
          agreed(world, "helper", agentPay(helper, bob, amount), { advanceMs: ms });
          const action = narrow(robot.charter, { ...more, receipts: more.receipts || amount > 4n });
          const { caveats } = action.body as { caveats: object };
          if (Object.values(caveats).every((one) => one === null || one === false)) continue;
          agreed(world, "alice", action, { advanceMs: ms });
        }
      }),
      { numRuns: 25 },
    );
  });

  it("one account that is two agents gives charters as the agent above only", () => {
    const world = new World();
    const first = robotOf(world);
    const second = world.make("alice", register("robot"));
    const helper = world.make("robot", register("helper", first.agent));
    const other = world.make("alice", charter(second, {}));
    expect(reasonOf(agreed(world, "robot", charter(helper, {}, other)))).toMatch(/^unauthorized/);
    const own = agreed(world, "robot", charter(helper, {}, first.charter)).made[0] ?? "";
    const source = first.allotment;
    const given = agreed(world, "robot", fund(own, usd(2), { source })).made[0] ?? "";
    agreed(world, "alice", suspend(first.agent));
    expect(reasonOf(agreed(world, "robot", reclaim(given)))).toMatch(/^unauthorized/);
    expect(agreed(world, "alice", reclaim(given)).outcome.kind).toBe("success");
  });

  it("a unit of two accounts waits in both lanes for what waits in one", () => {
    const world = new World();
    const ghost = world.make("alice", {
      kind: "agent_register",
      body: { name: "ghost", parent: null, account: null },
    });
    const account = accountOf("alice", idBytes(ghost));
    world.make("alice", payTo([account, usd(1)]));
    const next = world.sequence(accountOf("alice"));
    const both = {
      unit: {
        chain: CHAIN,
        validUntil: 90n,
        maxFee: usd(1),
        members: [
          { account: accountOf("alice"), sequence: next + 1n, ...payTo([bob, 1n]) },
          { account, sequence: 0n, ...payTo([bob, 2n]) },
        ],
      },
      authorization: {
        policy: policyOf("alice"),
        salts: [NO_SALT, idBytes(ghost)],
        signatures: [{ key: 0, signature: new Uint8Array(32) }],
      },
    };
    const shared = world.unit("alice", [{ kind: "faucet", body: { account: bob, amount: 1n } }]);
    const slot = { type: "void", account, sequence: 1n } as const;
    const { differences, a } = executeByBoth(world, [shared, both, slot]);
    expect(differences).toEqual([]);
    expect(a.receipts.map((one) => one.outcome.kind)).toEqual([
      "success",
      "success",
      "success",
      "void",
    ]);
  });
});

describe("both stacks' decoders", () => {
  const kinds = Object.keys(scenarios);
  const units = kinds.map((kind) => {
    const file = JSON.parse(readFileSync(`fixtures/ledger/${kind}.json`, "utf8"));
    return fromHex((file as { succeeds: { signed_unit: string } }).succeeds.signed_unit);
  });
  const ledger = createLedger({});

  function verdicts(bytes: Uint8Array): [string, string] {
    const of = (read: () => Uint8Array): string => {
      try {
        return toHex(read());
      } catch (error) {
        expect(error).toBeInstanceOf(SionError);
        return "refused";
      }
    };
    return [
      of(() => ledger.encodeSigned(ledger.decodeSigned(bytes))),
      of(() => encode(signedUnitCodec, decodeUnit(bytes))),
    ];
  }

  it("accept and refuse the same of every unit with a byte changed, added or taken", () => {
    let accepted = 0;
    const change = fc.record({ unit: fc.nat(units.length - 1), at: fc.nat(400), to: fc.nat(255) });
    fc.assert(
      fc.property(change, fc.constantFrom("set", "add", "take"), ({ unit, at, to }, how) => {
        const bytes = [...units[unit] as Uint8Array];
        const place = at % bytes.length;
        if (how === "set") bytes[place] = to;
        else bytes.splice(place, how === "take" ? 1 : 0, ...how === "take" ? [] : [to]);
        const [a, b] = verdicts(Uint8Array.from(bytes));
        expect(b).toBe(a);
        if (a !== "refused") accepted++;
      }),
      { numRuns: 2500 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  it("accept and refuse the same of bodies at their bounds", () => {
    let accepted = 0;
    fc.assert(
      fc.property(bodies, (one) => {
        const [a, b] = verdicts(unitAround(one));
        expect(b).toBe(a);
        if (a !== "refused") accepted++;
      }),
      { numRuns: 4000 },
    );
    expect(accepted).toBeGreaterThan(800);
  });
});

describe("a rule of the production executor that is changed", () => {
  const product = createLedger({}).kinds;
  const changed = (name: string, change: (kind: AnyTxKind) => Partial<AnyTxKind>) =>
    product.map((kind): AnyTxKind =>
      kind.name === name ? defineTxKind({ ...kind, ...change(kind) }) : kind
    );

  /** Whether stack B notices in the kind's own scenarios. */
  function noticed(name: string, kinds: readonly AnyTxKind[]): boolean {
    return (["succeeds", "fails"] as const).some((which) => {
      const scenario = scenarios[name]?.();
      if (!scenario) throw new Error(name);
      const { world, by } = scenario;
      const other = Object.assign(new World({ kinds }), {
        state: world.state,
        pulse: world.pulse,
        timeMs: world.timeMs,
      });
      const units = [other.unit(by, [scenario[which]])];
      return executeByBoth(other, units, { witness: "whole" }).differences.length > 0;
    });
  }

  it.each(product.map((kind) => kind.name))("in %s is noticed by stack B", (name) => {
    expect(noticed(name, product)).toBe(false);
    const dearer = changed(name, (kind) => ({
      beyondFloor: (body, unit) => (kind.beyondFloor?.(body, unit) ?? 0n) + 1n,
    }));
    expect(noticed(name, dearer)).toBe(true);
    const silent = changed(name, (kind) => ({
      apply: (view, body) => kind.apply(silenced(view), body),
    }));
    // Of a claim's issue nothing is told until the Pulse closes.
    expect(noticed(name, silent)).toBe(name !== "claim_issue");
    const idle = changed(name, () => ({ apply: () => {} }));
    expect(noticed(name, idle)).toBe(true);
  });

  /** A view that records no event. */
  function silenced(view: View): View {
    return new Proxy(view, {
      get(target, key) {
        if (key === "emit") return () => {};
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }
});
