/** When a block is valid, apart from its signatures and roots, which are checked before. */
import { equalBytes, toHex } from "#internal/core/mod.ts";
import type { BlockHeader, Committee, Equivocation } from "#internal/proofs/mod.ts";
import { blockId, FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { Block } from "./block.ts";
import type { LocalView } from "./local_view.ts";
import type { StatementPlace } from "./history.ts";
import type { AnyStatementKind } from "./statement_kind.ts";

/** Parents other than the author's own lie at most this many rounds below a block. */
export const LINK_ROUNDS = 128;

/** What blocks of a session are checked against. */
export interface SessionFacts {
  readonly chain: Uint8Array;
  readonly session: number;
  /** The session's first round, whose blocks have no parents. */
  readonly firstRound: number;
  readonly committee: Committee;
}

/** What is wrong with a header by itself, else undefined. */
export function headerFault(header: BlockHeader, session: SessionFacts): string | undefined {
  const { committee, firstRound } = session;
  if (header.version !== FORMAT_VERSION) return "it has another format version";
  if (!equalBytes(header.chain, session.chain)) return "it is of another chain";
  if (header.session !== session.session) return "it is of another session";
  if (header.author >= committee.members.length) return "its author is no validator";
  if (header.round < firstRound) return "its round is before the session's first";
  return parentsFault(header, session);
}

function parentsFault(header: BlockHeader, session: SessionFacts): string | undefined {
  const { committee, firstRound } = session;
  const { round, author, parents } = header;
  if (round === firstRound) {
    return parents.length === 0 ? undefined : "a block of the first round has no parents";
  }
  let before = 0;
  const places = new Set<number>();
  for (const [at, parent] of parents.entries()) {
    if (parent.author >= committee.members.length) return "a parent's author is no validator";
    if (parent.round >= round || parent.round < firstRound) return "a parent's round is impossible";
    const place = parent.round * committee.members.length + parent.author;
    if (places.has(place)) return "it has two parents of one author and round";
    places.add(place);
    if (parent.author === author) {
      if (at !== 0) return "its author's own block is not its first parent";
    } else if (parent.round < round - LINK_ROUNDS) return "a parent is too old";
    if (parent.round === round - 1) before |= 1 << parent.author;
  }
  return committee.isQuorum(before) ? undefined : "its parents of the round before are no quorum";
}

/** What is wrong with a block's evidence, else undefined. */
export function evidenceFault(
  evidence: readonly Equivocation[],
  session: SessionFacts,
): string | undefined {
  const authors = new Set<number>();
  for (const { first, second } of evidence) {
    for (const { header } of [first, second]) {
      const fault = headerFault(header, session);
      if (fault !== undefined) return `its evidence is none: ${fault}`;
    }
    if (
      first.header.author !== second.header.author || first.header.round !== second.header.round
    ) {
      return "its evidence is of two places";
    }
    if (toHex(blockId(first.header)) >= toHex(blockId(second.header))) {
      return "its evidence is one header, or not in order";
    }
    if (authors.has(first.header.author)) return "its evidence names one validator twice";
    authors.add(first.header.author);
  }
  return undefined;
}

/** Notes a block's statements in its place. */
export function enterStatements(
  block: Pick<Block["body"], "statements">,
  place: StatementPlace,
  kinds: ReadonlyMap<string, AnyStatementKind>,
): void {
  for (const { kind, body } of block.statements) kinds.get(kind)?.enters?.(body, place);
}

/** What is wrong with a block's statements, given its history; else undefined. */
export function statementsFault(
  block: Pick<Block["body"], "statements">,
  place: StatementPlace,
  kinds: ReadonlyMap<string, AnyStatementKind>,
  view: LocalView,
): string | undefined {
  for (const { kind, body } of block.statements) {
    const fault = kinds.get(kind)?.fault?.(body, place, view);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
