/** Stake in tests: worlds with epochs, what operators and delegators do, and evidence made by hand. */
import { idBytes } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type {
  Action,
  BodyOf,
  ChainlessHeader,
  ShownStatement,
  SignedBlock,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import {
  encodeStatement,
  FORMAT_VERSION,
  pulseStatementCodec,
  STATEMENT_TAGS,
  statementLeaf,
  statementsRoot,
  stopStatementCodec,
  unitStatementCodec,
} from "#internal/ledger/mod.ts";
import { logInclusionProof } from "#internal/merkle/mod.ts";
import type { evidence } from "../../internal/ledger/tx/evidence.ts";
import { unitBytesDigest } from "../../internal/ledger/unit_codec.ts";
import { idOf, keyOf, validatorWorld } from "./_validators.ts";
import type { World } from "./_world.ts";
import { payTo, usd } from "./_world.ts";

/** Pulses of an epoch in a {@link stakeWorld}. */
export const EPOCH = 10n;

/** Four validators with 100,000 USD each, of alice, bob, carol and dana; epochs of ten Pulses. */
export function stakeWorld(stakes?: readonly number[]): World {
  return validatorWorld(stakes, { epochPulses: EPOCH });
}

/** Lets Pulses pass in which nothing happens, up to a Pulse before the one given. */
export function passTo(world: World, pulse: bigint): void {
  if (world.pulse < pulse - 1n) world.pulse = pulse - 1n;
}

/** Ends the epoch with a Pulse of nothing; its event's fields. */
export function endEpoch(world: World): { epoch: bigint; shared: bigint; treasury: bigint } {
  passTo(world, (world.pulse / EPOCH + 1n) * EPOCH);
  const { events } = world.execute([], 1000n, true);
  const { event } = events.at(-1) ?? {};
  return (event as { EpochEnded: ReturnType<typeof endEpoch> }).EpochEnded;
}

/** A {@link stakeWorld} in its second epoch, in which bob's 5,000 USD at alice's validator earned. */
export function earningWorld(): { readonly world: World; readonly delegation: string } {
  const world = stakeWorld();
  const delegation = world.make("bob", delegate(usd(5000)));
  endEpoch(world);
  payFees(world, 5);
  endEpoch(world);
  return { world, delegation };
}

/** Pays so many fees, 1100 micro-USD each. */
export function payFees(world: World, times: number, name = "alice"): void {
  for (let i = 0; i < times; i++) world.make(name, payTo(["11".repeat(32), 1n]));
}

export const registerValidator = (
  key: number,
  { stake = usd(1000), commission = 0 }: { stake?: bigint; commission?: number } = {},
): Action => ({
  kind: "stake_register",
  body: { key: keyOf(key), stake, commission, consent: taggedHash("test/consent") },
});

export const setCommission = (commission: number, validator = idOf(0)): Action => ({
  kind: "stake_commission",
  body: { validator, commission },
});

export const leave = (validator: string = idOf(0)): Action => ({
  kind: "stake_leave",
  body: { validator },
});

export const delegate = (amount: bigint, validator: string = idOf(0)): Action => ({
  kind: "stake_delegate",
  body: { validator, amount },
});

export const claimRewards = (delegation: string): Action => ({
  kind: "stake_claim",
  body: { of: { kind: "delegation", body: { delegation } } },
});

export const claimEarned = (validator: string = idOf(0)): Action => ({
  kind: "stake_claim",
  body: { of: { kind: "validator", body: { validator } } },
});

export const undelegate = (delegation: string): Action => ({
  kind: "stake_undelegate",
  body: { delegation },
});

export const withdraw = (delegation: string): Action => ({
  kind: "stake_withdraw",
  body: { of: { kind: "delegation", body: { delegation } } },
});

export const withdrawOwn = (validator: string = idOf(0)): Action => ({
  kind: "stake_withdraw",
  body: { of: { kind: "validator", body: { validator } } },
});

/** What evidence shows, of all sorts. */
export type Offence = BodyOf<typeof evidence>["offence"];

/** Evidence against the key of a number. */
export const showing = (offence: Offence, key = 0): Action => ({
  kind: "evidence",
  body: { key: keyOf(key), offence },
});

/** Where a block stands, and what tells it from others there. */
export interface Place {
  readonly session?: number;
  readonly round?: number;
  readonly mark?: number;
}

const SIGNATURE = taggedHash("test/block-signature");
const NOTHING = new Uint8Array(32);

/** A header as its author signed it, of a block with these statements. */
function headerAt(
  { session = 0, round = 7, mark = 0 }: Place,
  statements: readonly Uint8Array[],
): ChainlessHeader {
  return {
    version: FORMAT_VERSION,
    session,
    round,
    author: 0,
    parents: [],
    timeMs: BigInt(mark),
    link: { value: NOTHING, next: NOTHING },
    bodyRoot: NOTHING,
    statementsRoot: statementsRoot(statements),
  };
}

/** A block without statements. */
export function block(place: Place = {}): SignedBlock {
  return { header: headerAt(place, []), signature: SIGNATURE };
}

/** A statement that a block makes among two others. */
function shown(place: Place, statement: Uint8Array): ShownStatement {
  const statements = [Uint8Array.of(0), statement, Uint8Array.of(9)];
  const leaves = statements.map(statementLeaf);
  return {
    header: headerAt(place, statements),
    signature: SIGNATURE,
    index: 1,
    count: 3,
    path: logInclusionProof(leaves, 1),
  };
}

const onUnit = (tag: number, unit: string): Uint8Array =>
  encodeStatement(tag, unitStatementCodec, { unit });

/** Two different headers of a round. */
export function twoBlocks(first: Place = {}, second: Place = { ...first, mark: 1 }): Offence {
  return { kind: "blocks", body: { first: block(first), second: block(second) } };
}

/** A unit, or bytes that stand where one should. */
type UnitOrBytes = SignedUnit | Uint8Array;

function bytesOf({ ledger }: World, unit: UnitOrBytes): Uint8Array {
  return unit instanceof Uint8Array ? unit : ledger.encodeUnit(unit.unit);
}

/** Votes or confirmations on two units. */
export function onTwoUnits(
  world: World,
  kind: "votes" | "confirms",
  [one, other]: readonly [UnitOrBytes, UnitOrBytes],
  [first, second]: readonly [Place, Place] = [{ round: 7 }, { round: 8 }],
): Extract<Offence, { kind: "votes" | "confirms" }> {
  const tag = kind === "votes" ? STATEMENT_TAGS.vote : STATEMENT_TAGS.confirm;
  const [firstUnit, secondUnit] = [bytesOf(world, one), bytesOf(world, other)];
  return {
    kind,
    body: {
      first: shown(first, onUnit(tag, unitBytesDigest(firstUnit))),
      firstUnit,
      second: shown(second, onUnit(tag, unitBytesDigest(secondUnit))),
      secondUnit,
    },
  };
}

/** A confirmation of a unit against a stop of a slot. */
export function againstStop(
  world: World,
  { unit }: SignedUnit,
  stopped: {
    readonly slot?: { readonly account: string; readonly sequence: bigint };
    readonly named?: string | null;
    readonly rounds?: readonly [number, number];
    readonly session?: number;
  } = {},
): Offence {
  const { named = null, rounds = [7, 8], session = 0 } = stopped;
  const { account, sequence } = stopped.slot ?? unit.members[0] ?? { account: "", sequence: 0n };
  const stop = encodeStatement(STATEMENT_TAGS.stop, stopStatementCodec, {
    account,
    sequence,
    named,
  });
  const confirm = onUnit(STATEMENT_TAGS.confirm, world.ledger.unitDigest(unit));
  return {
    kind: "stopped",
    body: {
      stop: shown({ session, round: rounds[0] }, stop),
      account,
      sequence,
      named,
      confirm: shown({ session, round: rounds[1] }, confirm),
      unit: world.ledger.encodeUnit(unit),
    },
  };
}

/** PulseVotes on two headers of a Pulse. */
export function twoPulseVotes(
  headers: readonly [string, string] = ["11".repeat(32), "22".repeat(32)],
  places: readonly [Place, Place] = [{ round: 7 }, { round: 9 }],
): Offence {
  const [firstHeader, secondHeader] = headers.map(idBytes) as [Uint8Array, Uint8Array];
  const pulse = 2n;
  const vote = (header: Uint8Array): Uint8Array =>
    encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, { pulse, header });
  return {
    kind: "pulse_votes",
    body: {
      pulse,
      first: shown(places[0], vote(firstHeader)),
      firstHeader,
      second: shown(places[1], vote(secondHeader)),
      secondHeader,
    },
  };
}
