/** Bodies of every kind whose fields are as often as not at a bound, and units around them. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { encode, fromHex } from "#internal/core/mod.ts";
import type { Atom, Formula } from "../../internal/proofs/world/stack_b/formula.ts";
import { kindOfTag } from "../../internal/proofs/world/stack_b/kinds/mod.ts";
import { decodeUnit, signedUnitCodec } from "../../internal/proofs/world/stack_b/unit.ts";
import { accountOf } from "../ledger/_world.ts";

/** A kind's tag, and a body that its codec can write. */
export interface TaggedBody {
  readonly tag: number;
  readonly body: unknown;
}

type Fields = Record<string, fc.Arbitrary<unknown>>;

const bob = accountOf("bob");
const id = fc.constantFrom(bob, "11".repeat(32), "00".repeat(32));
const u64 = fc.constantFrom(0n, 1n, 1_000_000_000_000n, 1_000_000_000_001n, 2n ** 64n - 1n);
const TEXTS = ["", "a", "-a", "a b", "é", "\u0000", "A_-9", "a\n"];
const text = (max: number): fc.Arbitrary<string> =>
  fc.constantFrom(...TEXTS, "0".repeat(Math.min(64, max)), "z".repeat(max));
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);

/** Mostly the first, so that most bodies have one fault at the most. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, {
    weight: 3,
    arbitrary: fc.constantFrom(...others),
  });

function ofAgents(): [number, Fields][] {
  const bucket = fc.record({
    capacity: u64.filter((value) => value > 0n),
    refill: u64,
    periodMs: u64.filter((value) => value > 0n),
  });
  const caveats = fc.record({
    payees: maybe(fc.constantFrom([], [bob], ["00".repeat(32), bob])),
    maxPayment: maybe(u64),
    bucket: maybe(bucket),
    expires: maybe(u64),
    receipts: fc.boolean(),
  });
  const outputs = fc.array(fc.record({ account: id, amount: u64 }), { maxLength: 3 });
  const names = { session: maybe(text(128)), call: maybe(text(128)) };
  return [
    [1, { asset: id, outputs }],
    [2, { account: id, amount: u64 }],
    [3, { asset: id, payee: id, amount: u64, memo: id }],
    [16, { name: text(64), parent: maybe(id), account: maybe(id) }],
    [17, { agent: id }],
    [24, { agent: id, parent: maybe(id), caveats }],
    [25, { charter: id, caveats }],
    [26, { charter: id }],
    [32, { charter: id, allotment: maybe(id), source: maybe(id), amount: u64 }],
    [33, { allotment: id, amount: maybe(u64) }],
    [40, { charter: id, allotment: id, payee: id, amount: u64, purpose: text(1024), ...names }],
  ];
}

const atom = (body: Atom): Formula => ({ kind: "atom", body });
const family = (of: number): Formula => atom({ kind: "signature", body: { family: of } });
const group = (needed: number, ...parts: Formula[]): Formula => ({
  kind: "group",
  body: { needed, parts },
});
const times = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));
const bond = (label: string, kind: "bond" | "adjudicator" = "bond"): Formula =>
  atom({ kind, body: { account: bob, label } });
const nested = (groups: number): Formula =>
  groups === 0 ? family(1) : group(2, family(0), nested(groups - 1));

const LABELS = ["", "a", "-a", "_a", "9", "a b", "é", "a\n", "A_-9", "z".repeat(32)];

const FORMULAS: readonly Formula[] = [
  ...[0, 1, 2, 255].map(family),
  ...LABELS.flatMap((label) => [bond(label), bond(label, "adjudicator")]),
  ...["", " ", "ledger:execution"].map((name) => atom({ kind: "assumption", body: { name } })),
  group(1, atom({ kind: "claim", body: { claim: bob } }), family(2)),
  ...[0, 1, 2, 3].map((needed) => group(needed, family(0), family(0))),
  ...[0, 1].map((parts) => group(parts, ...times(parts, () => family(0)))),
  group(1, family(0), group(1, family(0))),
  group(1, family(0), group(3, family(0), family(1))),
  ...[31, 32].map((n) => group(1, family(0), group(n, ...times(n, () => family(1))))),
  group(32, ...times(32, () => family(0))),
  ...[8, 9].map((n) => group(1, ...times(n, (i) => bond(`b${i}`)))),
  group(1, ...times(16, (i) => bond(`b${i % 8}`))),
  group(1, ...times(9, (i) => bond(`b${i}`, "adjudicator"))),
  ...[3, 4, 5].map(nested),
];

function ofClaims(): [number, Fields][] {
  const label = mostly("tests", ...LABELS);
  const amount = mostly(1n, 0n, 2n ** 64n - 1n);
  const some = mostly<bigint | null>(1n, 0n, null, 2n ** 64n - 1n);
  const pulses = mostly(1n, 0n, 100_000n, 100_001n);
  const formula = fc.oneof(fc.constant(family(0)), fc.constantFrom(...FORMULAS));
  const adjudicator = fc.oneof(fc.constant(null), fc.record({ account: id, label }));
  const reason = text(1024);
  const schemas = ["", "a/b_c-d.e", ".a", "/", "-", "é", "a b", "a\n", "9"];
  return [
    [48, { label, amount }],
    [49, { label, amount }],
    [50, { label, amount: some }],
    [51, { claim: id, account: id, amount, pulses }],
    ...Array.from({ length: 4 }, (): [number, Fields] => [56, {
      schema: mostly("note/v1", ...schemas, "z".repeat(64)),
      subject: mostly("paid", "", "é", "z".repeat(1024)),
      formula,
      adjudicator,
      detection: mostly(1000, 0, 1, 1001),
      validFor: mostly<bigint | null>(null, 0n, 1n, 1_000_000_000n, 1_000_000_001n),
    }]),
    [57, { claim: id }],
    [58, { claim: id, reason }],
    [59, { claim: id, isFalse: fc.boolean(), reason }],
  ];
}

function ofTasks(): [number, Fields][] {
  const [first, second] = ["00".repeat(32), "11".repeat(32)] as const;
  const account = fc.constantFrom(bob, first);
  const rule = fc.record({
    requires: mostly<readonly string[]>([], [bob], [bob, first], [first, bob, first], [bob, bob]),
    verifiers: mostly<readonly string[]>(
      [],
      [first],
      [first, second],
      [second, first],
      [second, second],
    ),
    adjudicator: fc.oneof(
      fc.constant(null),
      fc.record({ account, label: mostly("judge", ...LABELS) }),
    ),
    kappa: mostly(1n, 0n, 1_000_000_000_000n, 1_000_000_000_001n),
    detection: mostly(1000, 0, 1, 1001),
    reliance: mostly(1n, 0n, 100_000n, 100_001n),
  });
  const post = {
    budget: maybe(fc.record({ charter: id, allotment: id })),
    worker: mostly<string | null>(null, bob, first),
    amount: mostly(1n, 0n, 2n ** 64n - 1n),
    spec: maybe(id),
    rule,
    pulses: mostly(1n, 0n, 1_000_000_000n, 1_000_000_001n),
  };
  const attestations = mostly<readonly string[]>([], [bob], [first, bob], [bob, first, bob]);
  return [
    ...Array.from({ length: 3 }, (): [number, Fields] => [64, post]),
    [65, { task: id, result: mostly(second, bob, first), attestations }],
    [66, { task: id }],
  ];
}

function ofSpawns(): [number, Fields][] {
  const caveats = fc.record({
    payees: fc.constant(null),
    maxPayment: mostly<bigint | null>(null, 0n, 1n),
    bucket: fc.constant(null),
    expires: mostly<bigint | null>(null, 0n),
    receipts: fc.boolean(),
  });
  const amount = mostly(1n, 0n, 2n ** 64n - 1n, 2n ** 64n - 2n);
  const spawn = fc.record({
    name: mostly("robot", ...TEXTS, "0".repeat(64), "z".repeat(64)),
    account: maybe(id),
    budget: fc.option(fc.record({ caveats, amount }), { freq: 2 }),
  });
  const either = fc.constantFrom(null, bob);
  const origin = { parent: either, charter: either, source: either };
  const few = fc.array(spawn, { maxLength: 3 });
  const many = spawn.map((one) => times(32, () => one));
  return [
    ...times(4, (): [number, Fields] => [20, { ...origin, agents: few }]),
    [20, { ...origin, agents: many }],
  ];
}

const LOCATORS = [
  "file:///",
  "https://",
  "http://a",
  "HTTPS://a",
  "file://a",
  "",
  " https://a",
  "https://a b",
  "https://\u007f",
  "https://\u0000",
  "https://é",
  "https://a\n",
];

function ofStorage(): [number, Fields][] {
  const amount = mostly(1n, 0n, 2n ** 64n - 1n);
  const provider = fc.constantFrom(null, null, bob);
  const post: [number, Fields] = [72, {
    provider,
    size: mostly(1n, 0n, 2n ** 50n, 2n ** 50n + 1n),
    root: id,
    locator: mostly<string | null>("https://a", null, "file:///!", "https://~/", ...LOCATORS),
    price: mostly(1n, 0n, 2n ** 32n, 2n ** 64n / 1_000_000n + 1n),
    rounds: mostly(1n, 0n, 1_000_000n, 1_000_001n, 2n ** 32n),
    length: mostly(8n, 0n, 1n, 4n, 12n, 100_000n, 100_004n, 100_008n),
    challenges: mostly(1, 0, 16, 17),
    collateral: amount,
    acceptBy: u64,
  }];
  const bytes = (n: number) => new Uint8Array(n);
  const paths = [1, 40].map((n) => new Array<string>(n).fill(bob));
  const leaf = fc.record({
    data: mostly(bytes(1), bytes(0), bytes(1024)),
    path: mostly<readonly string[]>([], ...paths),
  });
  return [
    ...new Array<[number, Fields]>(4).fill(post),
    [73, { deal: id, collateral: amount }],
    [74, {
      deal: id,
      round: mostly(1n, 0n, 1_000_000n, 1_000_001n),
      leaves: fc.oneof(
        fc.array(leaf, { maxLength: 2 }),
        leaf.map((one) => new Array<unknown>(16).fill(one)),
      ),
    }],
    [75, { deal: id }],
  ];
}

/** Bodies of every kind. */
export const bodies: fc.Arbitrary<TaggedBody> = fc.oneof(
  ...[...ofAgents(), ...ofSpawns(), ...ofClaims(), ...ofTasks(), ...ofStorage()].map((
    [tag, fields],
  ) => fc.record({ tag: fc.constant(tag), body: fc.record(fields) })),
);

/** The bytes of a published unit with another body in it. */
export function unitAround({ tag, body }: TaggedBody): Uint8Array {
  const kind = kindOfTag(tag);
  const [member] = PUBLISHED.unit.members;
  if (!kind || !member) throw new TypeError(`no kind ${tag}`);
  const unit = { ...PUBLISHED.unit, members: [{ ...member, kind, body }] };
  return encode(signedUnitCodec, { ...PUBLISHED, unit });
}

const PUBLISHED = (() => {
  const file: unknown = JSON.parse(readFileSync("fixtures/ledger/pay.json", "utf8"));
  return decodeUnit(fromHex((file as { succeeds: { signed_unit: string } }).succeeds.signed_unit));
})();
