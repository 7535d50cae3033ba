/** Random histories of a ledger with agents three deep, charters, allotments, memory logs. */
import fc from "fast-check";
import { idBytes } from "#internal/core/mod.ts";
import type { Action, Identity, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import {
  allotmentKind,
  charterKind,
  identityKind,
  memoryLogKind,
  NO_SALT,
  validatorKind,
} from "#internal/ledger/mod.ts";
import type { SomeCaveats } from "../ledger/_agents.ts";
import {
  charter,
  fund,
  narrow,
  reclaim,
  register,
  resume,
  revoke,
  revokeCharter,
  suspend,
} from "../ledger/_agents.ts";
import { idOf, keyOf, rotate } from "../ledger/_validators.ts";
import { commit, growing, openLog, SOME_ATOMS } from "../ledger/_memory.ts";
import { accountOf, CHAIN, payTo, policyOf, usd, World } from "../ledger/_world.ts";

/** Wallets that act; `poor` has less than a fee. */
const ACTORS = ["alice", "bob", "robot", "helper", "third", "poor"] as const;

/** What a draw chooses an action from. */
const KINDS_OF_ACTIONS = 26;

/** Numbers from which an action is chosen among what there is by then. */
export interface Draw {
  readonly who: number;
  readonly what: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly amount: bigint;
}

const draw: fc.Arbitrary<Draw> = fc.record({
  who: fc.nat(ACTORS.length - 1),
  what: fc.nat(KINDS_OF_ACTIONS - 1),
  a: fc.nat(60),
  b: fc.nat(60),
  c: fc.nat(60),
  amount: fc.oneof(
    fc.bigInt({ min: 1n, max: 30n }),
    fc.bigInt({ min: 1n, max: usd(40) }),
    fc.bigInt({ min: 1n, max: usd(20_000) }),
  ),
});

/** A Pulse's worth of draws and how long after the one before it is. */
export interface DrawnPulse {
  readonly advanceMs: bigint;
  /** It is its session's last. */
  readonly closesSession: boolean;
  readonly draws: readonly Draw[];
}

export const histories: fc.Arbitrary<DrawnPulse[]> = fc.array(
  fc.record({
    advanceMs: fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 100_000n })),
    closesSession: fc.nat(3).map((n) => n === 0),
    draws: fc.array(draw, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 10 },
);

function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}

/** Ids of a kind, the newest last; now and then one of nothing. */
function idsOf(world: World, kind: string, at: number): string[] {
  const found = [...world.state.entries()].filter(([, object]) => object.kind === kind);
  const ids = found.map(([id]) => id);
  return at % 13 === 0 || ids.length === 0 ? [...ids, "11".repeat(32)] : ids;
}

function someCaveats({ a, b, c, amount }: Draw, pulse: bigint): SomeCaveats {
  const payees = [accountOf(pick(ACTORS, a)), accountOf(pick(ACTORS, a + 1))];
  return {
    ...a % 3 === 0 && { payees: b % 7 === 0 ? [] : payees },
    ...b % 3 === 0 && { maxPayment: amount },
    ...c % 2 === 0 && {
      bucket: {
        capacity: amount * BigInt(1 + c % 3),
        refill: BigInt(a % 4) * amount / 3n,
        periodMs: BigInt(1 + (b % 5) * 7000),
      },
    },
    ...(a + b) % 4 === 0 &&
      { expires: pulse + BigInt(c % 9) - 1n < 0n ? 0n : pulse + BigInt(c % 9) - 1n },
    receipts: c % 3 === 0,
  };
}

/** A charter of the state, with one of its allotments if there is one. */
function chartered(world: World, { a, b, c }: Draw): { charter: string; allotment: string } {
  const allotment = pick(idsOf(world, allotmentKind.name, b), b);
  const known = world.read(allotmentKind, allotment);
  const some = pick(idsOf(world, charterKind.name, a), a);
  return { charter: known && c % 6 !== 0 ? known.charter : some, allotment };
}

function fundingOf(world: World, one: Draw): Action {
  const { a, b, c, amount } = one;
  const id = pick(idsOf(world, charterKind.name, a), a);
  const parent = world.read(charterKind, id)?.parent ?? null;
  const ids = idsOf(world, allotmentKind.name, b);
  const above = ids.filter((each) => world.read(allotmentKind, each)?.charter === parent);
  const same = ids.filter((each) => world.read(allotmentKind, each)?.charter === id);
  const source = parent !== null && c % 5 !== 0 || c % 7 === 0
    ? pick(above.length > 0 && c % 11 !== 0 ? above : ids, b)
    : undefined;
  const allotment = c % 2 === 0 ? pick(same.length > 0 ? same : ids, a) : undefined;
  return fund(id, amount, {
    ...allotment && { allotment },
    ...source && source !== allotment && { source },
  });
}

const grow = growing("", SOME_ATOMS);

/** A step of a log, with the wrong agent, from another head or along another proof now and then. */
function commitOf(world: World, { a, b, c }: Draw): Action {
  const log = pick(idsOf(world, memoryLogKind.name, a), a);
  const known = world.read(memoryLogKind, log);
  const size = b % 11 === 0 ? b % 5 : Number(known?.size ?? 0n);
  const to = Math.min(size + c % 4, SOME_ATOMS.length);
  const body = grow(size, to, to === size || c % 17 === 0);
  const proof = b % 13 === 0 ? body.proof.toReversed() : body.proof;
  const agent = c % 7 === 0 ? null : known?.agent ?? null;
  return commit({ ...body, log, agent, proof });
}

function actionOf(world: World, one: Draw): Action {
  const { what, a, b, c, amount } = one;
  const agent = () => pick(idsOf(world, identityKind.name, a), a);
  const someCharter = () => pick(idsOf(world, charterKind.name, a), a);
  const payee = accountOf(pick(ACTORS, b));
  if (what === 0) return payTo([payee, amount], [accountOf(pick(ACTORS, a)), 1n]);
  if (what === 1) return { kind: "faucet", body: { account: payee, amount } };
  if (what === 2) {
    const name = pick(ACTORS, c);
    const parent = a % 4 === 0 ? null : agent();
    if (b % 3 > 0) return register(name, parent);
    return { kind: "agent_register", body: { name, parent, account: null } };
  }
  if (what === 3) return suspend(agent());
  if (what === 4) return resume(agent());
  if (what === 5) return b % 6 === 0 ? revoke(agent()) : resume(agent());
  if (what <= 8) {
    const parent = b % 4 > 0 ? pick(idsOf(world, charterKind.name, b), b) : null;
    return charter(agent(), someCaveats(one, world.pulse), parent);
  }
  if (what === 9) {
    return narrow(someCharter(), { ...someCaveats(one, world.pulse), receipts: true });
  }
  if (what === 10) return narrow(someCharter(), { maxPayment: amount });
  if (what === 11) return b % 6 === 0 ? revokeCharter(someCharter()) : suspend(agent());
  if (what <= 14) return fundingOf(world, one);
  if (what === 15) {
    const allotment = pick(idsOf(world, allotmentKind.name, a), a);
    return reclaim(allotment, b % 3 === 0 ? null : amount);
  }
  if (what > 23) return rotate(idOf(a % 6), b % 7);
  if (what === 21) return openLog(a % 3 === 0 ? null : agent());
  if (what > 21) return commitOf(world, one);
  const names = { session: b % 2 === 0 ? "s1" : null, call: c % 2 === 0 ? "c1" : null };
  const body = { ...chartered(world, one), payee, amount, purpose: "data", ...names };
  return { kind: "agent_pay", body };
}

/** Who the action is for, so that it succeeds as often as not; else whom the draw names. */
function actorOf(world: World, action: Action, { who, c }: Draw): Acting {
  const { body } = action;
  const drawn = { name: pick(ACTORS, who), salt: NO_SALT };
  if (c % 6 === 0) return drawn;
  if (action.kind === "rotate_key") {
    const operator = world.read(validatorKind, action.body.validator)?.operator;
    return ownerOf(operator ?? "") ?? drawn;
  }
  const charterId = "charter" in body ? body.charter : undefined;
  const agent = "agent" in body ? body.agent : world.read(charterKind, charterId ?? "")?.agent;
  const identity = world.read(identityKind, agent ?? "");
  if (action.kind.startsWith("memory_")) {
    const log = world.read(memoryLogKind, "log" in body ? body.log : "");
    const wielder = identity && wielderOf(world, agent ?? "", identity);
    return wielder ?? ownerOf(log?.owner ?? "") ?? drawn;
  }
  if (!identity) return drawn;
  const up = identity.parent === null ? undefined : world.read(identityKind, identity.parent);
  if (action.kind === "agent_pay") return wielderOf(world, agent ?? "", identity) ?? drawn;
  if (up && c % 3 > 0) return wielderOf(world, identity.parent ?? "", up) ?? drawn;
  return ownerOf(identity.principal) ?? drawn;
}

/** A wallet and the salt under which it acts. */
interface Acting {
  readonly name: string;
  readonly salt: Uint8Array;
}

function ownerOf(account: string): Acting | undefined {
  const name = ACTORS.find((each) => accountOf(each) === account);
  return name && { name, salt: NO_SALT };
}

/** Who can act with an agent's account: its wallet, or any whose policy it is under. */
function wielderOf(world: World, agent: string, identity: Identity): Acting | undefined {
  if (!identity.keyless) return ownerOf(identity.account);
  const salt = idBytes(agent);
  const name = ACTORS.find((each) => accountOf(each, salt) === identity.account);
  return name && world.state.account(identity.account) ? { name, salt } : undefined;
}

/** Units and void slots of a Pulse, in lanes without gaps; batches now and then, of two accounts too. */
export function orderedOf(world: World, draws: readonly Draw[]): Ordered[] {
  const next = new Map<string, bigint>();
  const take = (account: string): bigint => {
    const sequence = next.get(account) ?? world.sequence(account);
    next.set(account, sequence + 1n);
    return sequence;
  };
  return draws.map((one): Ordered => {
    const action = actionOf(world, one);
    const acting = actorOf(world, action, one);
    const account = accountOf(acting.name, acting.salt);
    if (one.a === 7) return { type: "void", account, sequence: take(account) };
    const { name } = acting;
    const others: [Action, Acting][] = one.b % 4 > 0 ? [] : [
      [
        actionOf(world, { ...one, what: (one.what + one.c) % KINDS_OF_ACTIONS, a: one.a + 1 }),
        acting,
      ],
      [payTo([accountOf("bob"), one.amount % 1000n + 1n]), { name, salt: NO_SALT }],
    ];
    const members = [[action, acting] as const, ...others];
    const signed: SignedUnit = {
      unit: {
        chain: CHAIN,
        validUntil: world.pulse + 20n,
        maxFee: usd(1),
        members: members.map(([each, by]) => {
          const actor = accountOf(by.name, by.salt);
          return { account: actor, sequence: take(actor), ...each };
        }),
      },
      authorization: {
        policy: policyOf(name),
        salts: members.map(([, by]) => by.salt),
        signatures: [{ key: 0, signature: new Uint8Array(32) }],
      },
    };
    return { type: "unit", signed, forced: one.c % 2 === 0 };
  });
}

/** A world with agents, keyless and not, charters under charters, logs, and money in most places. */
export function busyWorld(shards: number): World {
  const world = new World({
    shards,
    validators: ["alice", "bob", "robot"].map((name, at) => {
      return { publicKey: keyOf(at), stake: usd(10 + at), operator: accountOf(name) };
    }),
    accounts: [["alice", usd(10_000)], ["bob", usd(10_000)], ["poor", 700n]].map((
      [name, amount],
    ) => [accountOf(name as string), amount as bigint] as const),
  });
  const robot = world.make("alice", register("robot"));
  const id = world.make("alice", charter(robot, { receipts: true }));
  const money = world.make("alice", fund(id, usd(1000)));
  const fees = ["robot", "helper", "third"].map((name) => [accountOf(name), usd(50)] as const);
  world.make("alice", payTo(...fees));
  const helper = world.make("robot", register("helper", robot));
  const below = world.make("robot", charter(helper, {}, id));
  world.make("robot", fund(below, usd(100), { source: money }));
  const ghost = world.make("alice", {
    kind: "agent_register",
    body: { name: "ghost", parent: null, account: null },
  });
  world.make("alice", payTo([accountOf("alice", idBytes(ghost)), usd(5)]));
  const third = world.make("helper", register("third", helper));
  world.make("helper", charter(third, {}, below));
  world.make("alice", rotate(idOf(0), 9));
  world.make("alice", openLog());
  world.make("helper", openLog(helper));
  return world;
}
