/**
 * Statements of one validator that contradict each other, seen when the later of their blocks is taken
 * in, as long as the earlier one and its units are held with their bytes: two votes, or two
 * confirmations, for units that share a slot, and votes for two headers of a Pulse. Confirmations
 * against a stop are not looked for: whose Stop stands in which block is nothing that ordering keeps.
 */
import type { Offence, ShownStatement } from "#internal/ledger/mod.ts";
import type { PulseStatement, UnitStatement } from "#internal/proofs/mod.ts";
import {
  encodeStatement,
  pulseStatementCodec,
  STATEMENT_TAGS,
  unitStatementCodec,
} from "#internal/proofs/mod.ts";
import { certificateItem } from "./certificates.ts";
import type { DagNode } from "./dag.ts";
import type { LocalView, UnitRecord } from "./local_view.ts";

/** An offence, and how it is told. */
export interface Contradiction {
  readonly author: number;
  readonly offence: Offence;
  /** What the validator did. */
  readonly text: string;
}

/** What a block that was just taken in contradicts; the first that is found. */
export function contradictionIn(node: DagNode, view: LocalView): Contradiction | undefined {
  const { author } = node;
  for (const { kind, body } of node.statements) {
    const found = kind === "pulse_vote"
      ? onPulses(node, body as PulseStatement, view)
      : kind === "vote" || kind === "confirm"
      ? onUnits(node, kind, body as UnitStatement, view)
      : undefined;
    if (found !== undefined) return { author, ...found };
  }
  return undefined;
}

type Found = Omit<Contradiction, "author">;

function onUnits(
  node: DagNode,
  kind: "vote" | "confirm",
  { unit }: UnitStatement,
  view: LocalView,
): Found | undefined {
  // Mostly there is no slot that two units want.
  const record = view.rivalSlots.size === 0 ? undefined : view.unit(unit);
  for (const key of record?.facts.keys ?? []) {
    if (record === undefined || !view.rivalSlots.has(key)) continue;
    for (const rival of view.on(key)) {
      if (rival === record) continue;
      for (const other of kind === "vote" ? rival.votes : rival.confirms) {
        if (other.author !== node.author) continue;
        const said = [[other, rival], [node, record]] as const;
        const [first, second] = other.round <= node.round ? said : [said[1], said[0]];
        const found = offenceOf(kind, first, second, view);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

type Said = readonly [node: DagNode, record: UnitRecord];

/** Undefined if the earlier unit's time was over, or what would show it is not held any more. */
function offenceOf(
  kind: "vote" | "confirm",
  [first, firstOn]: Said,
  [second, secondOn]: Said,
  view: LocalView,
): Found | undefined {
  if (second.round >= firstOn.facts.bound) return undefined;
  const tag = STATEMENT_TAGS[kind];
  const show = (node: DagNode, unit: string): ShownStatement | undefined =>
    shown(node, encodeStatement(tag, unitStatementCodec, { unit }));
  const [one, other] = [show(first, firstOn.facts.digest), show(second, secondOn.facts.digest)];
  const [firstUnit, secondUnit] = [firstOn, secondOn].map((record) => bytesOf(record, view));
  if (!one || !other || !firstUnit || !secondUnit) return undefined;
  const body = { first: one, firstUnit, second: other, secondUnit };
  return kind === "vote"
    ? { offence: { kind: "votes", body }, text: "voted for two units on one slot" }
    : { offence: { kind: "confirms", body }, text: "confirmed two units on one slot" };
}

/** Canonical bytes of a unit that is held whole. */
function bytesOf(
  { facts }: UnitRecord,
  { context: { ledger } }: LocalView,
): Uint8Array | undefined {
  const { signed: { unit }, digest } = facts;
  // Of a decided unit only a part is kept.
  return unit.members.length > 0 && ledger.unitDigest(unit) === digest
    ? ledger.encodeUnit(unit)
    : undefined;
}

function onPulses(
  node: DagNode,
  { pulse, header }: PulseStatement,
  { pulseVotes }: LocalView,
): Found | undefined {
  const other = pulseVotes.contradicted(pulse, header, node.author);
  if (other === undefined) return undefined;
  const show = (of: DagNode, header: Uint8Array, signature = of.signature) =>
    shown(
      of,
      encodeStatement(STATEMENT_TAGS.pulseVote, pulseStatementCodec, { pulse, header }),
      signature,
    );
  const first = show(other.node, other.header, other.signature);
  const second = show(node, header);
  if (first === undefined || second === undefined) return undefined;
  const body = { pulse, first, firstHeader: other.header, second, secondHeader: header };
  return {
    offence: { kind: "pulse_votes", body },
    text: `voted for two headers of Pulse ${pulse}`,
  };
}

function shown(
  node: DagNode,
  statement: Uint8Array,
  signature: Uint8Array | undefined = node.signature,
): ShownStatement | undefined {
  const item = certificateItem(node, statement, signature);
  if (item === undefined) return undefined;
  const { header: { chain: _, ...header }, ...place } = item;
  return { header, ...place };
}
