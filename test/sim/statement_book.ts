/**
 * Everything that honest validators ever signed, held against what the protocol lets them say, and
 * what a client that sees all of it would believe to be final.
 */
import type { Block } from "#internal/consensus/mod.ts";
import { toHex } from "#internal/core/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";
import { firstRoundOf } from "#internal/proofs/mod.ts";
import type { Rules } from "./rules.ts";
import { Violation } from "./violation.ts";

/** A unit as its owner signed it. */
export interface KnownUnit {
  readonly digest: string;
  readonly validUntil: bigint;
  /** Its slots, as `account/sequence`. */
  readonly slots: readonly string[];
  /** Its certificate fixes that it succeeds, as with payments: once final, nothing may make it fail. */
  readonly isCertain: boolean;
  /** A charter or a memory log forbids it: nothing may make it succeed. */
  readonly isForbidden: boolean;
}

/** What a book is made with. */
export interface BookOptions {
  readonly committeeOf: (session: number) => Committee;
  readonly rules: Rules;
  /** The validator that lies: it is taken to have said whatever helps. */
  readonly liar: number | null;
  readonly unit: (digest: string) => KnownUnit | undefined;
  /** The round at which a session closes for statements, as far as that is set. */
  readonly closeRound: (session: number) => number;
  /** Rounds below it are below the close, whatever is executed from now on. */
  readonly openBelow: (session: number) => number;
  /** A unit is final: whoever holds these blocks may ship the goods. */
  readonly final: (unit: KnownUnit, session: number) => void;
}

interface Said {
  readonly unit: string;
  readonly bound: number;
}

/** Statements of one validator in one session. */
interface Page {
  /** Slot to the newest Vote, and to the newest Confirm. */
  readonly votes: Map<string, Said>;
  readonly confirms: Map<string, Said>;
  /** Slot to the unit that its Stop names. */
  readonly stops: Map<string, string | null>;
}

/** Names the slot as the oracles do. */
export function slotName(account: string, sequence: bigint): string {
  return `${account}/${sequence}`;
}

/** The book of a run. */
export class StatementBook {
  readonly #options: BookOptions;
  /** Author, session and round to the block's id. */
  readonly #blocks = new Map<string, string>();
  readonly #pages = new Map<string, Page>();
  readonly #pulseVotes = new Map<string, string>();
  /** Session and unit to the rounds in which each author said what makes final. */
  readonly #believed = new Map<string, { author: number; round: number }[]>();
  readonly #final = new Set<string>();
  /** Units with statements of which it is not known yet whether they are below the close. */
  readonly #unsure = new Map<string, { readonly unit: KnownUnit; readonly session: number }>();

  constructor(options: BookOptions) {
    this.#options = options;
  }

  /**
   * An honest validator lets a block out.
   * @throws {Violation} when it must not have.
   */
  signed(block: Block): void {
    const { author, session, round } = block.header;
    const place = `${author}/${session}/${round}`;
    const known = this.#blocks.get(place);
    if (known === block.id) return;
    if (known !== undefined) {
      throw new Violation(
        "equivocation",
        `validator ${author} signed ${known.slice(0, 8)} and ${
          block.id.slice(0, 8)
        } in round ${round}`,
      );
    }
    this.#blocks.set(place, block.id);
    const said = (kind: string): Record<string, unknown>[] =>
      block.body.statements.filter((statement) => statement.kind === kind)
        .map(({ body }) => body as Record<string, unknown>);
    for (const { unit } of said("vote")) this.#vote(block, unit as string);
    for (const { unit } of said("confirm")) this.#confirm(block, unit as string);
    for (const { account, sequence, named } of said("stop")) {
      const slot = slotName(account as string, sequence as bigint);
      this.#page(block).stops.set(slot, named as string | null);
    }
    for (const { pulse, header } of said("pulse_vote")) {
      this.#pulseVote(author, pulse as bigint, toHex(header as Uint8Array));
    }
  }

  #page({ header: { author, session } }: Block): Page {
    const at = `${author}/${session}`;
    const page = this.#pages.get(at) ?? { votes: new Map(), confirms: new Map(), stops: new Map() };
    this.#pages.set(at, page);
    return page;
  }

  #boundOf(unit: KnownUnit, session: number): number {
    const own = firstRoundOf(Number(unit.validUntil));
    return Math.min(own, this.#options.closeRound(session));
  }

  #unit(digest: string): KnownUnit {
    const unit = this.#options.unit(digest);
    if (unit === undefined) {
      throw new Violation("slashable", `a statement on ${digest.slice(0, 8)}, which nobody signed`);
    }
    return unit;
  }

  #vote(block: Block, digest: string): void {
    const { author, round, session } = block.header;
    const unit = this.#unit(digest);
    const bound = this.#boundOf(unit, session);
    const page = this.#page(block);
    for (const slot of unit.slots) {
      const earlier = page.votes.get(slot);
      if (earlier !== undefined && earlier.unit !== digest && round < earlier.bound) {
        throw slashable(author, "votes for two units", slot, round);
      }
      if (page.stops.has(slot)) throw slashable(author, "votes after its Stop", slot, round);
      page.votes.set(slot, { unit: digest, bound });
    }
    if (this.#options.rules.finalBy === "vote") this.#believe(block, unit, bound);
  }

  #confirm(block: Block, digest: string): void {
    const { author, round, session } = block.header;
    const unit = this.#unit(digest);
    const bound = this.#boundOf(unit, session);
    const page = this.#page(block);
    for (const slot of unit.slots) {
      const earlier = page.confirms.get(slot);
      if (earlier !== undefined && earlier.unit !== digest && round < earlier.bound) {
        throw slashable(author, "confirms two units", slot, round);
      }
      const named = page.stops.get(slot);
      if (named !== undefined && named !== digest) {
        throw slashable(author, "confirms against its Stop", slot, round);
      }
      page.confirms.set(slot, { unit: digest, bound });
    }
    if (this.#options.rules.finalBy === "confirm") this.#believe(block, unit, bound);
  }

  /** A Pulse was executed: more rounds are known to be below the close. */
  executed(): void {
    const unsure = [...this.#unsure.values()];
    this.#unsure.clear();
    for (const { unit, session } of unsure) {
      for (const { round } of this.#believed.get(`${session}/${unit.digest}`) ?? []) {
        this.#judge(unit, session, round);
      }
    }
  }

  #believe(block: Block, unit: KnownUnit, bound: number): void {
    const { author, round, session } = block.header;
    const key = `${session}/${unit.digest}`;
    if (this.#final.has(key) || (this.#options.rules.bounded && round >= bound)) return;
    this.#believed.set(key, [...this.#believed.get(key) ?? [], { author, round }]);
    this.#judge(unit, session, round);
  }

  /** A quorum, the liar counted, within the span and below the bound: a client ships the goods. */
  #judge(unit: KnownUnit, session: number, round: number): void {
    const { committeeOf, rules, liar, final, openBelow } = this.#options;
    const key = `${session}/${unit.digest}`;
    if (this.#final.has(key)) return;
    const bound = this.#boundOf(unit, session);
    const open = rules.bounded ? Math.min(bound, openBelow(session)) : Number.MAX_SAFE_INTEGER;
    if (round >= open) {
      if (round < bound) this.#unsure.set(key, { unit, session });
      return;
    }
    const committee = committeeOf(session);
    // Who was put out is counted no more.
    let mask = liar === null || liar >= committee.members.length ? 0 : 1 << liar;
    for (const other of this.#believed.get(key) ?? []) {
      const isNear = Math.abs(other.round - round) <= rules.reach.spanRounds;
      if (isNear && other.round < open) mask |= 1 << other.author;
    }
    if (!committee.isQuorum(mask)) return;
    this.#final.add(key);
    final(unit, session);
  }

  #pulseVote(author: number, pulse: bigint, header: string): void {
    const at = `${author}/${pulse}`;
    const known = this.#pulseVotes.get(at);
    if (known !== undefined && known !== header) {
      throw new Violation("slashable", `validator ${author} vouches for two headers of ${pulse}`);
    }
    this.#pulseVotes.set(at, header);
  }
}

function slashable(author: number, does: string, slot: string, round: number): Violation {
  const [account = "", sequence] = slot.split("/");
  return new Violation(
    "slashable",
    `validator ${author} ${does} on slot ${account.slice(0, 8)}/${sequence} in round ${round}`,
  );
}
