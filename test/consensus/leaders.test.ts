/** Who leads, and the hash chains behind the beacon. */
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { committeeOf, mixBeacon } from "#internal/proofs/mod.ts";
import { LEFT_OUT_PULSES, LinkBook } from "../../internal/consensus/beacon.ts";
import { drawLeader } from "../../internal/consensus/leaders.ts";
import {
  CHAIN_WINDOWS,
  continues,
  linkBefore,
  LinkChain,
} from "../../internal/consensus/link_chain.ts";

const seed = (text: string): Uint8Array => taggedHash(`test/${text}`);
const shown = (chain: LinkChain, window: number) => ({ window, ...chain.at(window) });

describe("drawLeader()", () => {
  const committee = committeeOf(
    [3n, 2n, 2n, 1n].map((stake, i) => ({ publicKey: Uint8Array.of(i), stake })),
  );

  it("draws by weight, and only who may lead [L-595]", () => {
    const counts = [0, 0, 0, 0];
    for (let round = 1; round <= 4000; round++) {
      const leader = drawLeader(committee, { seed: seed("a"), eligible: 0b1011 }, round);
      counts[leader] = (counts[leader] ?? 0) + 1;
    }
    const total = committee.weightOf(0b1011);
    expect(counts[2]).toBe(0);
    for (const author of [0, 1, 3]) {
      const expected = Number(committee.weightOf(1 << author)) / Number(total) * 4000;
      expect(Math.abs((counts[author] ?? 0) - expected)).toBeLessThan(150);
    }
  });

  it("draws anew under another seed", () => {
    const draw = (text: string) =>
      Array.from(
        { length: 64 },
        (_, round) => drawLeader(committee, { seed: seed(text), eligible: 0b1111 }, round),
      ).join("");
    expect(draw("a")).toBe(draw("a"));
    expect(draw("a")).not.toBe(draw("b"));
  });
});

describe("LinkChain.at()", () => {
  it("shows links backwards, across chains too", () => {
    const chain = new LinkChain(seed("chain"));
    const first = shown(chain, 5);
    expect(toHex(linkBefore(chain.at(9).value, 4))).toBe(toHex(first.value));
    expect(continues(first, shown(chain, 9))).toBe(true);
    expect(continues(first, shown(chain, CHAIN_WINDOWS + 3))).toBe(true);
    expect(continues(shown(chain, 9), first)).toBe(false);
  });

  it("cannot be continued with another seed's links", () => {
    const first = shown(new LinkChain(seed("chain")), 5);
    const other = new LinkChain(seed("other"));
    expect(continues(first, shown(other, 9))).toBe(false);
    expect(continues(first, shown(other, CHAIN_WINDOWS))).toBe(false);
    expect(continues(first, { ...shown(new LinkChain(seed("chain")), 9), next: seed("x") }))
      .toBe(false);
  });
});

describe("LinkBook.draw()", () => {
  const mix = (book: LinkBook, pulse: number) =>
    mixBeacon(new Uint8Array(32), pulse, book.draw(pulse));

  it("depends on each validator's link of the window before [L-110]", () => {
    const mixed = (texts: string[]) => {
      const book = new LinkBook(2);
      texts.forEach((text, author) => {
        const chain = new LinkChain(seed(text));
        book.show(author, shown(chain, 1));
        book.show(author, shown(chain, 3));
      });
      return toHex(mix(book, 4));
    };
    expect(mixed(["a", "b"])).toBe(mixed(["a", "b"]));
    expect(mixed(["a", "b"])).not.toBe(mixed(["a", "c"]));
    expect(mixed(["a", "b"])).not.toBe(mixed(["c", "b"]));
  });

  it("takes the same link from a later one", () => {
    const chain = new LinkChain(seed("a"));
    const early = new LinkBook(1);
    const late = new LinkBook(1);
    for (const book of [early, late]) book.show(0, shown(chain, 1));
    early.show(0, shown(chain, 3));
    late.show(0, shown(chain, 7));
    expect(toHex(mix(late, 4))).toBe(toHex(mix(early, 4)));
  });

  it("leaves out for 64 Pulses who showed no link for a window", () => {
    const book = new LinkBook(1);
    const chain = new LinkChain(seed("a"));
    book.show(0, shown(chain, 1));
    const missing = mix(book, 4);
    expect(book.leftOutUntil).toEqual([4 + LEFT_OUT_PULSES]);
    book.show(0, shown(chain, 60));
    const without = new LinkBook(1);
    expect(toHex(missing)).toBe(toHex(mix(without, 4)));
    expect(toHex(mix(book, 60))).toBe(toHex(mix(without, 60)));
    expect(toHex(mix(book, 61))).toBe(toHex(mix(without, 61)));
    book.show(0, shown(chain, 70));
    expect(toHex(mix(book, 69))).not.toBe(toHex(mix(without, 69)));
  });
});
