/** Evidence made by hand, by stack B's own reading of the protocol. */
import { encode, idBytes, toHex, u64 } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";
import type { Offence } from "../../internal/proofs/world/stack_b/evidence.ts";

type Pair = Extract<Offence, { kind: "blocks" }>["body"];
type Signed = Pair["first"];
type Shown = Extract<Offence, { kind: "pulse_votes" }>["body"]["first"];

/** What tells a block from others. */
export interface Place {
  readonly session?: number;
  readonly round?: number;
  readonly timeMs?: bigint;
}

/** RFC 6962: the root over hashes of leaves. */
function rootOver(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length <= 1) return hashes[0] ?? sha256();
  const left = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return sha256(
    Uint8Array.of(1),
    rootOver(hashes.slice(0, left)),
    rootOver(hashes.slice(left)),
  );
}

/** RFC 6962: hashes beside the way from a leaf up. */
function pathIn(hashes: readonly Uint8Array[], index: number): Uint8Array[] {
  if (hashes.length <= 1) return [];
  const left = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  const [here, beside] = [hashes.slice(0, left), hashes.slice(left)];
  return index < left
    ? [...pathIn(here, index), rootOver(beside)]
    : [...pathIn(beside, index - left), rootOver(here)];
}

/** A block's signed header. */
export function signed(
  { session = 0, round = 7, timeMs = 0n }: Place = {},
  statementsRoot: Uint8Array = sha256(),
  signature: Uint8Array = taggedHash("test/block-signature"),
): Signed {
  const zeros = "00".repeat(32);
  const header = {
    version: 3,
    session,
    round,
    author: 0,
    parents: [{ round: 6, author: 1, id: "22".repeat(32) }],
    timeMs,
    link: [zeros, zeros] as [string, string],
    bodyRoot: zeros,
    statementsRoot: toHex(statementsRoot),
  };
  return { header, signature };
}

/** A statement among others of its block. */
export function shown(statement: Uint8Array, place: Place = {}, index = 1, count = 3): Shown {
  const hashes = Array.from({ length: count }, (_, at) => {
    const said = at === index ? statement : Uint8Array.of(at);
    return sha256(Uint8Array.of(0), taggedHash("sion/statement/v1", said));
  });
  const path = pathIn(hashes, index).map(toHex);
  return { ...signed(place, rootOver(hashes)), index, count, path };
}

function digestOf(unit: Uint8Array): Uint8Array {
  return taggedHash("sion/unit/v1", unit);
}

/** A statement on a unit. @param tag 1 a vote, 2 a confirmation. */
export function onUnit(tag: number, unit: Uint8Array): Uint8Array {
  return Uint8Array.of(tag, ...digestOf(unit));
}

/** Two blocks of one round. */
export function blocks(first: Place = {}, second: Place = { ...first, timeMs: 1n }): Offence {
  return { kind: "blocks", body: { first: signed(first), second: signed(second) } };
}

/** Votes or confirmations on two units. */
export function onUnits(
  kind: "votes" | "confirms",
  [firstUnit, secondUnit]: readonly [Uint8Array, Uint8Array],
  [first, second]: readonly [Place, Place] = [{ round: 7 }, { round: 8 }],
): Extract<Offence, { kind: "votes" | "confirms" }> {
  const tag = kind === "votes" ? 1 : 2;
  const body = {
    first: shown(onUnit(tag, firstUnit), first),
    firstUnit,
    second: shown(onUnit(tag, secondUnit), second, 0, 2),
    secondUnit,
  };
  return { kind, body };
}

/** A slot that is stopped, and in favour of which unit. */
export interface Stop {
  readonly account: string;
  readonly sequence: bigint;
  readonly named: string | null;
}

/** The statement of a stop. */
export function stopping({ account, sequence, named }: Stop): Uint8Array {
  const inFavour = named === null ? [0] : [1, ...idBytes(named)];
  return Uint8Array.of(3, ...idBytes(account), ...encode(u64, sequence), ...inFavour);
}

/** A confirmation of a unit against a stop. */
export function againstStop(
  unit: Uint8Array,
  stopped: Stop,
  [stop, confirm]: readonly [Place, Place] = [{ round: 7 }, { round: 8 }],
): Extract<Offence, { kind: "stopped" }> {
  const body = {
    ...stopped,
    stop: shown(stopping(stopped), stop, 4, 5),
    confirm: shown(onUnit(2, unit), confirm, 0, 1),
    unit,
  };
  return { kind: "stopped", body };
}

/** Votes on two headers of a Pulse. */
export function pulseVotes(
  [firstHeader, secondHeader]: readonly [string, string] = ["11".repeat(32), "22".repeat(32)],
  [first, second]: readonly [Place, Place] = [{ round: 9 }, { round: 7 }],
): Extract<Offence, { kind: "pulse_votes" }> {
  const pulse = 2n;
  const on = (header: string) => Uint8Array.of(4, ...encode(u64, pulse), ...idBytes(header));
  const body = {
    pulse,
    first: shown(on(firstHeader), first),
    firstHeader,
    second: shown(on(secondHeader), second, 2, 3),
    secondHeader,
  };
  return { kind: "pulse_votes", body };
}

/** The digest of a unit's bytes, in digits. */
export function unitId(unit: Uint8Array): string {
  return toHex(digestOf(unit));
}
