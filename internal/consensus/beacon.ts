/** The beacon: public randomness that each Pulse with an anchor renews from the validators' links. */
import type { Committee, MixedLink } from "#internal/proofs/mod.ts";
import type { ShownLink } from "./link_chain.ts";
import { chainPlace, continues, linkBefore } from "./link_chain.ts";

/** Pulses that a validator is left out for after it showed no link for a window. */
export const LEFT_OUT_PULSES = 64;

/** What the order knows of one validator's chain. */
export interface LinkRecord {
  /** The newest link shown that continues the ones before. */
  readonly shown: ShownLink;
  /** The newest of the chain before that of `shown`. */
  readonly earlier: ShownLink | null;
  /** Links count for windows after this one, in which the chain was first shown. */
  readonly since: number;
}

/** The links that were ordered, and who is left out. */
export class LinkBook {
  readonly #records: (LinkRecord | undefined)[];
  /** The Pulse from which each validator counts again. */
  readonly #leftOutUntil: number[];

  constructor(validators: number) {
    this.#records = new Array(validators).fill(undefined);
    this.#leftOutUntil = new Array(validators).fill(0);
  }

  get records(): readonly (LinkRecord | undefined)[] {
    return this.#records;
  }
  get leftOutUntil(): readonly number[] {
    return this.#leftOutUntil;
  }

  /** A walked block shows a link. One that continues nothing is passed over. */
  show(author: number, link: ShownLink): void {
    const known = this.#records[author];
    if (known !== undefined && link.window <= known.shown.window) return;
    if (!continues(known?.shown, link)) return;
    const now = chainPlace(link.window).chain;
    const before = known === undefined ? undefined : chainPlace(known.shown.window).chain;
    this.#records[author] = known === undefined || before === undefined || now > before + 1
      ? { shown: link, earlier: null, since: link.window }
      : { shown: link, earlier: now > before ? known.shown : known.earlier, since: known.since };
  }

  /**
   * What the beacon of a Pulse that has an anchor is mixed with: the links of the window before, by
   * author. Who has shown none is left out from now on.
   */
  draw(pulse: number): MixedLink[] {
    const window = pulse - 1;
    const links: MixedLink[] = [];
    this.#records.forEach((record, author) => {
      if (record === undefined || window <= record.since) return;
      const link = linkOf(record, window);
      if (link === undefined) this.#leftOutUntil[author] = pulse + LEFT_OUT_PULSES;
      else if (pulse >= (this.#leftOutUntil[author] ?? 0)) links.push({ author, link });
    });
    return links;
  }

  /** Takes over what the session before knew of those who are in both with the same key. */
  inherit(before: LinkBook, from: Committee, to: Committee): void {
    to.members.forEach(({ id }, author) => {
      const place = from.members.findIndex((member) => member.id === id);
      if (place < 0) return;
      this.#records[author] = before.records[place];
      this.#leftOutUntil[author] = before.leftOutUntil[place] ?? 0;
    });
  }

  restore(
    records: readonly (LinkRecord | null | undefined)[],
    leftOutUntil: readonly number[],
  ): void {
    records.forEach((record, author) => {
      this.#records[author] = record ?? undefined;
      this.#leftOutUntil[author] = leftOutUntil[author] ?? 0;
    });
  }
}

function linkOf({ shown, earlier }: LinkRecord, window: number): Uint8Array | undefined {
  for (const known of [shown, earlier]) {
    if (known === null || chainPlace(known.window).chain !== chainPlace(window).chain) continue;
    return known.window < window ? undefined : linkBefore(known.value, known.window - window);
  }
  return undefined;
}
