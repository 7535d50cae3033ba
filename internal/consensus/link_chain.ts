/**
 * Hash chains behind the beacon. A validator commits to the end of a chain and shows it backwards,
 * one link a window (the four rounds of a Pulse): a later link yields all earlier ones, so nothing is
 * gained by holding one back but being left out. A chain lasts {@link CHAIN_WINDOWS} windows; every
 * block also names the end of the next one.
 */
import { encode, struct, u32 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { ChainLink } from "#internal/proofs/mod.ts";

/** Windows of one chain. */
export const CHAIN_WINDOWS = 1024;

const LINK_TAG = "sion/link/v1";
const CHAIN_SEED_TAG = "sion/chain-seed/v1";

/** The link before a link. */
function earlierLink(link: Uint8Array): Uint8Array {
  return taggedHash(LINK_TAG, link);
}

/** The link `steps` windows before a link. */
export function linkBefore(link: Uint8Array, steps: number): Uint8Array {
  let value = link;
  for (let i = 0; i < steps; i++) value = earlierLink(value);
  return value;
}

/** Which chain a window belongs to, and the window's place in it, from 0. */
export function chainPlace(window: number): { readonly chain: number; readonly place: number } {
  const chain = Math.floor(window / CHAIN_WINDOWS);
  return { chain, place: window - chain * CHAIN_WINDOWS };
}

/** A validator's own chains, from its secret seed. */
export class LinkChain {
  readonly #seed: Uint8Array;
  #chain = -1;
  /** Links of the current chain by place. */
  #links: Uint8Array[] = [];
  #next: Uint8Array = new Uint8Array(32);

  constructor(seed: Uint8Array) {
    if (seed.length !== 32) throw new TypeError("Cannot make links: the seed is not 32 bytes");
    this.#seed = seed;
  }

  /** What a block of the window carries. */
  at(window: number): ChainLink {
    const { chain, place } = chainPlace(window);
    if (chain !== this.#chain) {
      this.#links = this.#whole(chain);
      this.#next = earlierLink(this.#whole(chain + 1)[0] as Uint8Array);
      this.#chain = chain;
    }
    return { value: this.#links[place] as Uint8Array, next: this.#next };
  }

  #whole(chain: number): Uint8Array[] {
    const links = new Array<Uint8Array>(CHAIN_WINDOWS);
    let value = taggedHash(CHAIN_SEED_TAG, this.#seed, encode(struct({ chain: u32 }), { chain }));
    for (let place = CHAIN_WINDOWS - 1; place >= 0; place--) {
      links[place] = value;
      value = earlierLink(value);
    }
    return links;
  }
}

/** What the order knows of a validator's links. */
export interface ShownLink {
  readonly window: number;
  readonly value: Uint8Array;
  /** Commitment to the chain after the one of `window`. */
  readonly next: Uint8Array;
}

/**
 * True when a link continues what its author showed before. Nothing was shown before, or not for a
 * whole chain: then it is taken as the commitment for the windows to come.
 */
export function continues(known: ShownLink | undefined, shown: ShownLink): boolean {
  if (known === undefined) return true;
  const before = chainPlace(known.window);
  const now = chainPlace(shown.window);
  if (now.chain === before.chain) {
    const steps = shown.window - known.window;
    return steps >= 0 && same(linkBefore(shown.value, steps), known.value) &&
      same(shown.next, known.next);
  }
  if (now.chain === before.chain + 1) {
    return same(linkBefore(shown.value, now.place + 1), known.next);
  }
  return now.chain > before.chain;
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, i) => byte === b[i]);
}
