/** Who executed which Pulse to which header: certificates form here, and differences show. */
import { fromHex, toHex } from "#internal/core/mod.ts";
import type { Committee, Header } from "#internal/proofs/mod.ts";
import type { DagNode } from "./dag.ts";

/** Votes are kept for this many Pulses after the newest certified one. */
const KEPT_PULSES = 4096;

/** Headers that one validator may vote for in one Pulse before it is not listened to any more. */
const MAX_DIFFERENT = 2;

/** One Pulse that was executed here. */
export interface ExecutedPulse {
  readonly header: Header;
  readonly digest: Uint8Array;
  /** It holds receipts: until it is certified, the validator is busy. */
  readonly full: boolean;
}

/** A block that says it, with its signature, which the block itself may lose before the certificate. */
export interface Voter {
  readonly node: DagNode;
  readonly signature: Uint8Array | undefined;
}

/** A Pulse that got its certificate. */
export interface Certified {
  readonly pulse: number;
  readonly facts: ExecutedPulse;
  /** Blocks of a quorum that voted for its header, by author. */
  readonly voters: readonly Voter[];
}

/** PulseVotes of Pulses that are not certified yet. */
export class PulseVotes {
  readonly #committee: Committee;
  /** Pulse, header digest, author: the block that said so. */
  readonly #votes = new Map<number, Map<string, Map<number, Voter>>>();
  readonly #executed = new Map<number, ExecutedPulse>();
  /** The newest certified Pulse. */
  certified = 0;

  constructor(committee: Committee) {
    this.#committee = committee;
  }

  add(pulse: bigint, digest: Uint8Array, node: DagNode): void {
    if (pulse <= BigInt(this.certified) || pulse > BigInt(this.certified + KEPT_PULSES)) return;
    const votes = this.#votes.get(Number(pulse)) ?? new Map<string, Map<number, Voter>>();
    this.#votes.set(Number(pulse), votes);
    const hex = toHex(digest);
    const said = [...votes].filter(([other, by]) => other !== hex && by.has(node.author)).length;
    if (said >= MAX_DIFFERENT) return;
    const byAuthor = votes.get(hex) ?? new Map<number, Voter>();
    votes.set(hex, byAuthor);
    if (!byAuthor.has(node.author)) byAuthor.set(node.author, { node, signature: node.signature });
  }

  /** A vote of an author for another header of the Pulse, as long as it has no certificate. */
  contradicted(
    pulse: bigint,
    header: Uint8Array,
    author: number,
  ): (Voter & { readonly header: Uint8Array }) | undefined {
    const own = toHex(header);
    for (const [hex, byAuthor] of this.#votes.get(Number(pulse)) ?? []) {
      const voter = hex === own ? undefined : byAuthor.get(author);
      if (voter !== undefined) return { ...voter, header: fromHex(hex) };
    }
    return undefined;
  }

  executed(pulse: number, facts: ExecutedPulse): void {
    if (pulse > this.certified) this.#executed.set(pulse, facts);
  }

  /** Executed Pulses without a certificate, ascending. */
  uncertified(): readonly (readonly [number, ExecutedPulse])[] {
    return [...this.#executed].sort(([a], [b]) => a - b);
  }
  get uncertifiedCount(): number {
    return this.#executed.size;
  }
  /** An executed Pulse with receipts has no certificate yet. */
  get hasFull(): boolean {
    for (const { full } of this.#executed.values()) if (full) return true;
    return false;
  }

  /** Executed Pulses whose header a quorum voted for, ascending, with the blocks that say so. */
  newCertificates(): Certified[] {
    const found: Certified[] = [];
    for (const [pulse, facts] of this.uncertified()) {
      const byAuthor = this.#votes.get(pulse)?.get(toHex(facts.digest));
      if (byAuthor === undefined || !this.#committee.isQuorum(maskOf(byAuthor))) continue;
      const voters = [...byAuthor.values()].sort((a, b) => a.node.author - b.node.author);
      found.push({ pulse, facts, voters });
    }
    return found;
  }

  /** The executed Pulse whose header over a third of the stake contradicts. */
  divergence(): number | undefined {
    for (const [pulse, { digest }] of this.#executed) {
      for (const [hex, byAuthor] of this.#votes.get(pulse) ?? []) {
        if (hex !== toHex(digest) && this.#committee.hasHonest(maskOf(byAuthor))) return pulse;
      }
    }
    return undefined;
  }

  /** A Pulse got its certificate: it and all before need no votes any more. */
  setCertified(pulse: number): void {
    this.certified = Math.max(this.certified, pulse);
    for (const map of [this.#votes, this.#executed]) {
      for (const number of map.keys()) if (number <= this.certified) map.delete(number);
    }
  }
}

function maskOf(byAuthor: ReadonlyMap<number, Voter>): number {
  let mask = 0;
  for (const author of byAuthor.keys()) mask |= 1 << author;
  return mask;
}
