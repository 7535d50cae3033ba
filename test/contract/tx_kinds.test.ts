/** What every transaction kind owes, whichever it is: one suite over the registry. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decode,
  encode,
  fromHex,
  parseJson,
  SionError,
  stringifyJson,
  toHex,
} from "#internal/core/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { accountKey, createLedger, NO_NAMES } from "#internal/ledger/mod.ts";
import { fixedBy } from "../../internal/ledger/kind.ts";
import { scenarios } from "../ledger/_scenarios.ts";
import type { VectorFile } from "../ledger/_vectors.ts";
import { vectorsOf } from "../ledger/_vectors.ts";
import { accountOf, names } from "../ledger/_world.ts";

const ledger = createLedger();
const fileOf = (kind: string) => new URL(`../../fixtures/ledger/${kind}.json`, import.meta.url);

function vectorFile(kind: string): VectorFile {
  return parseJson(readFileSync(fileOf(kind), "utf8")) as unknown as VectorFile;
}

function scenarioOf(kind: string) {
  const scenario = scenarios[kind]?.();
  if (scenario === undefined) throw new Error(`${kind} has no scenario`);
  return scenario;
}

describe("transaction kinds", () => {
  test("transaction kinds each have a file of their own, a line in the registry and a vector file", () => {
    const files = readdirSync(new URL("../../internal/ledger/tx/", import.meta.url))
      .filter((file) => file.endsWith(".ts") && file !== "mod.ts" && !file.startsWith("_"))
      .map((file) => file.slice(0, -3));
    const kinds = ledger.kinds.map(({ name }) => name);
    expect(files.sort()).toEqual([...kinds].sort());
    expect(kinds.filter((kind) => !existsSync(fileOf(kind)))).toEqual([]);
  });

  test("transaction kinds name the version of the protocol that brought them [L-588 L-589]", () => {
    const protocol = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8");
    const [, version = ""] = /^Version (\d+\.\d+)\./m.exec(protocol) ?? [];
    const number = (text: string) => {
      const [major = "", minor = ""] = text.split(".");
      return 1000 * Number(major) + Number(minor);
    };
    expect(number(version)).toBeGreaterThan(0);
    for (const { name, since } of ledger.kinds) {
      expect([name, since]).toEqual([name, expect.stringMatching(/^\d+\.\d+$/)]);
      expect(number(since)).toBeLessThanOrEqual(number(version));
    }
  });

  test("transaction kinds keep their tags for ever", () => {
    const tags = Object.fromEntries(ledger.kinds.map(({ name, tag }) => [name, tag]));
    expect(tags).toMatchObject({
      pay: 1,
      faucet: 2,
      pay_memo: 3,
      agent_register: 16,
      agent_suspend: 17,
      agent_resume: 18,
      agent_revoke: 19,
      spawn_agents: 20,
      charter_create: 24,
      charter_narrow: 25,
      charter_revoke: 26,
      allotment_fund: 32,
      allotment_reclaim: 33,
      agent_pay: 40,
      rotate_key: 99,
      bond_post: 48,
      bond_top_up: 49,
      bond_release: 50,
      bond_reserve: 51,
      claim_issue: 56,
      claim_revoke: 57,
      claim_dispute: 58,
      claim_adjudicate: 59,
      task_post: 64,
      task_settle: 65,
      task_refund: 66,
      storage_post: 72,
      storage_accept: 73,
      storage_prove: 74,
      storage_close: 75,
      memory_open: 80,
      memory_commit: 81,
      stake_register: 100,
      stake_commission: 101,
      stake_leave: 102,
      stake_delegate: 103,
      stake_claim: 104,
      stake_undelegate: 105,
      stake_withdraw: 106,
      evidence: 107,
    });
  });
});

describe.each(ledger.kinds.map(({ name }) => name))("%s", (kind) => {
  const known = ledger.kinds.find(({ name }) => name === kind);
  const file = vectorFile(kind);

  test(`${kind} does what its vector file says, byte for byte [L-299]`, () => {
    const now = vectorsOf(kind, known?.tag ?? 0);
    expect(parseJson(stringifyJson(now))).toEqual(parseJson(stringifyJson(file)));
  });

  test(`${kind} has one encoding: what is read is written again as it was [L-299 L-300]`, () => {
    for (const { signed_unit, unit_digest, receipt } of [file.succeeds, file.fails]) {
      const bytes = fromHex(signed_unit);
      const signed = ledger.decodeSigned(bytes);
      expect(toHex(ledger.encodeSigned(signed))).toBe(signed_unit);
      expect(toHex(ledger.encodeSigned(structuredClone(signed)))).toBe(signed_unit);
      expect(ledger.unitDigest(structuredClone(signed.unit))).toBe(unit_digest);
      const codec = ledger.receiptCodec;
      expect(toHex(encode(codec, decode(codec, fromHex(receipt))))).toBe(receipt);
    }
  });

  test(`${kind} with any bit flipped is refused or another transaction [L-300]`, () => {
    const bytes = fromHex(file.succeeds.signed_unit);
    const size = ledger.encodeUnit(ledger.decodeSigned(bytes).unit).length;
    fc.assert(fc.property(fc.nat(size - 1), fc.nat(7), (at, bit) => {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      let signed: SignedUnit;
      try {
        signed = ledger.decodeSigned(changed);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SionError);
        return;
      }
      expect(ledger.unitDigest(signed.unit)).not.toBe(file.succeeds.unit_digest);
    }));
  });

  test(`${kind} says what it asks for and what it did [L-080 L-097]`, () => {
    const { world, by, succeeds } = scenarioOf(kind);
    const signed = world.unit(by, [succeeds]);
    const intent = world.ledger.intent(signed, NO_NAMES);
    expect(intent).toMatch(/^[A-Z].+[^.]\. Fee [0-9.]+ USD; valid until Pulse \d+\.$/);
    const [receipt] = world.execute([signed]).receipts;
    if (!receipt) throw new Error();
    const outcome = world.ledger.outcome(receipt, signed.unit.members[0], NO_NAMES);
    expect(outcome).toMatch(/^Done: .+; fee [0-9.]+ USD\.$/);
    expect(`${intent}${outcome}`).not.toMatch(/[0-9a-f]{9}|undefined|null|NaN|\[object/);
  });

  test(`${kind} says each of its events to who has no more than JSON of it`, () => {
    const { world, by, succeeds } = scenarioOf(kind);
    const { events } = world.execute([world.unit(by, [succeeds])]);
    expect(events.length).toBeGreaterThan(0);
    for (const { event } of events) {
      const told = world.ledger.event(parseJson(stringifyJson(event)), NO_NAMES);
      expect(told, stringifyJson(event)).toMatch(/^[a-z0-9].*[^.]$/);
      expect(told).not.toMatch(/[0-9a-f]{9}|undefined|null|NaN|\[object/);
      expect(world.ledger.event(event, names)).toBeDefined();
      const [name] = Object.keys(event as object);
      expect(world.ledger.event({ [name as string]: {} }, names)).toBeUndefined();
    }
  });

  test(`${kind} names parties that are known`, () => {
    const { world, by, succeeds } = scenarioOf(kind);
    const spoken = world.ledger.intent(world.unit(by, [succeeds]), names);
    for (const name of ["alice", "bob", "carol"]) {
      expect(spoken).not.toContain(accountOf(name).slice(0, 8));
    }
  });

  test(`${kind} keeps the supply, whether it succeeds or fails`, () => {
    for (const which of ["succeeds", "fails"] as const) {
      const scenario = scenarioOf(kind);
      // `execute` of the test world adds up all money after the Pulse and throws if any is amiss.
      const { receipts } = scenario.world.execute([
        scenario.world.unit(scenario.by, [scenario[which]]),
      ]);
      expect(receipts[0]?.outcome.kind).toBe(which === "succeeds" ? "success" : "failed");
    }
  });

  test(`${kind} changes nothing but fee and slot when it fails, and says why [L-079 L-082 L-083]`, () => {
    const { world, by, fails } = scenarioOf(kind);
    const before = world.state;
    const account = accountOf(by);
    const fee = 1100n;
    const { receipts, changed, knowledge } = world.execute([world.unit(by, [fails])]);
    expect(receipts[0]).toMatchObject({
      fee,
      events: [],
      made: [],
      outcome: {
        reason: expect.stringMatching(
          /^(charter caveat violated|invalid transaction|unauthorized): /,
        ),
      },
    });
    expect(knowledge).toEqual([]);
    expect([...changed.keys()].filter((id) => {
      const { kind: of } = world.state.at(id) ?? {};
      return id !== accountKey(account) && of !== "asset" && of !== "beacon";
    })).toEqual([]);
    const was = before.account(account)?.sequence ?? 0n;
    expect(world.sequence(account)).toBe(was + 1n);
  });

  test(`${kind} touches nothing shared when its certificate fixes its outcome`, () => {
    const { by, succeeds } = scenarioOf(kind);
    if (known === undefined) throw new Error();
    const shared = known.touches?.(succeeds.body, accountOf(by)).shared ?? [];
    expect(fixedBy(known, succeeds.body) === "outcome" && shared.length > 0).toBe(false);
  });

  test(`${kind} never takes more than its spend bound and fee`, () => {
    const { world, by, succeeds } = scenarioOf(kind);
    const signed = world.unit(by, [succeeds]);
    const context = { chain: signed.unit.chain, head: world.pulse, reservedOf: () => 0n };
    const votable = world.ledger.checkForVote(world.state, signed, context);
    const before = world.balance(accountOf(by));
    world.execute([signed]);
    if (!votable.ok) throw new Error(votable.reason);
    const bound = votable.spend.get(accountOf(by)) ?? 0n;
    expect(before - world.balance(accountOf(by))).toBeLessThanOrEqual(bound);
  });

  test(`${kind} leaves objects that have one encoding and a view of plain JSON`, () => {
    const { world, by, succeeds } = scenarioOf(kind);
    const { changed } = world.execute([world.unit(by, [succeeds])]);
    for (const [, bytes] of changed) {
      const object = world.ledger.decodeObject(bytes);
      expect(world.ledger.encodeObject(structuredClone(object))).toEqual(bytes);
      const view = world.ledger.viewObject(object, world);
      expect(parseJson(stringifyJson(view))).toMatchObject({ kind: object.kind });
      expect(Object.keys(view).every((key) => /^[a-z_]+$/.test(key))).toBe(true);
    }
  });
});
