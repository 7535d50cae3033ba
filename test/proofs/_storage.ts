/** Storage deals for tests of both stacks: actions, files, what a round asks for. */
import { encode, idBytes, toHex, u64, u8 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import { leafHash, logSplit, nodeHash } from "#internal/merkle/mod.ts";

type BodyOf<K extends Action["kind"]> = Extract<Action, { kind: K }>["body"];

/** What a deal is posted with. */
export type Terms = BodyOf<"storage_post">;
/** A leaf as a proof shows it. */
export type ShownLeaf = BodyOf<"storage_prove">["leaves"][number];

export const LEAF_BYTES = 1024;

/** A file as far as a deal needs it. */
export interface KeptFile {
  readonly size: bigint;
  readonly root: string;
  /** The leaf at an index from 0, with its path. */
  leaf(index: number): ShownLeaf;
}

/** What else a file is than leaves that all differ, as long as they should be. */
interface FileOptions {
  /** Every byte is 0, so that a file may have 2⁴⁰ leaves. */
  readonly zeros?: boolean;
  /** Bytes of a leaf, where they are not those that its place asks for. */
  readonly lengths?: Readonly<Record<number, number>>;
}

/** A file of a size, of leaves made up. */
export function fileOf(size: number, { zeros = false, lengths = {} }: FileOptions = {}): KeptFile {
  const count = Math.ceil(size / LEAF_BYTES);
  const data = (index: number): Uint8Array => {
    const usual = index < count - 1 ? LEAF_BYTES : size - index * LEAF_BYTES;
    return new Uint8Array(lengths[index] ?? usual).fill(zeros ? 0 : index + 1);
  };
  const ofZeros = new Map<number, Uint8Array>();
  const rootOf = (from: number, leaves: number): Uint8Array => {
    if (leaves === 1) return leafHash(data(from));
    // Trees of as many whole leaves of zeros are all the same.
    const same = zeros && from + leaves < count;
    const known = same ? ofZeros.get(leaves) : undefined;
    if (known !== undefined) return known;
    const left = logSplit(leaves);
    const root = nodeHash(rootOf(from, left), rootOf(from + left, leaves - left));
    if (same) ofZeros.set(leaves, root);
    return root;
  };
  const pathOf = (at: number, from: number, leaves: number): Uint8Array[] => {
    if (leaves === 1) return [];
    const left = logSplit(leaves);
    return at < from + left
      ? [...pathOf(at, from, left), rootOf(from + left, leaves - left)]
      : [...pathOf(at, from + left, leaves - left), rootOf(from, left)];
  };
  return {
    size: BigInt(size),
    root: toHex(rootOf(0, count)),
    leaf: (index) => ({ data: data(index), path: pathOf(index, 0, count).map(toHex) }),
  };
}

/** A round of a deal that was accepted. */
export interface RoundOf {
  readonly file: KeptFile;
  readonly deal: string;
  readonly round: bigint;
  readonly challenges: number;
  /** That of the round's first Pulse. */
  readonly beacon: Uint8Array;
}

/** Indices of the leaves that a round asks for, as docs/protocol/storage.md draws them. */
export function challengedIn({ file, deal, round, challenges, beacon }: RoundOf): number[] {
  const leaves = (file.size + 1023n) / 1024n;
  const all = Array.from({ length: challenges }, (_, i) => {
    const fields = [beacon, idBytes(deal), encode(u64, round), encode(u8, i)];
    const first = toHex(taggedHash("sion/challenge/v1", ...fields)).slice(0, 32);
    return Number(BigInt(`0x${first}`) % leaves);
  });
  return all.filter((index, at) => all.indexOf(index) === at).sort((a, b) => a - b);
}

/** The leaves that a round asks for. */
export function challengedLeaves(of: RoundOf): ShownLeaf[] {
  return challengedIn(of).map(of.file.leaf);
}

/** A deal about a file that anybody may accept through Pulse 90: 5 rounds of 8 Pulses. */
export function post(file: Pick<KeptFile, "size" | "root">, terms: Partial<Terms> = {}): Action {
  const usual: Terms = {
    provider: null,
    size: file.size,
    root: file.root,
    locator: "https://example.com/a.bin",
    price: 30n,
    rounds: 5n,
    length: 8n,
    challenges: 4,
    collateral: 100n,
    acceptBy: 90n,
  };
  return { kind: "storage_post", body: { ...usual, ...terms } };
}

export function accept(deal: string, collateral: bigint = 100n): Action {
  return { kind: "storage_accept", body: { deal, collateral } };
}

export function prove(deal: string, round: bigint, leaves: readonly ShownLeaf[]): Action {
  return { kind: "storage_prove", body: { deal, round, leaves } };
}

export function close(deal: string): Action {
  return { kind: "storage_close", body: { deal } };
}

/** The first Pulse of round 1 of a deal that is accepted in a Pulse. */
export function startOf(accepted: bigint): bigint {
  return accepted - accepted % 8n + 8n;
}
