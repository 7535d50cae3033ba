/** The tree over a memory log's atoms, and how it is shown to have grown. docs/protocol/memory.md. */
import type { ValueOf } from "#internal/core/mod.ts";
import {
  compareBytes,
  encode,
  i64,
  id,
  idBytes,
  list,
  option,
  struct,
  text,
  toHex,
  u64,
  utf8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { leftSize } from "./log.ts";
import { checked } from "./objects.ts";

/** Hulls that bounds have at most. */
const MAX_HULLS = 4;
const AXES = ["x", "y", "z", "time"] as const;

const cornerCodec = struct({ x: i64, y: i64, z: i64, time: i64 });
const hullCodec = struct({ frame: option(text(64)), min: cornerCodec, max: cornerCodec });
type Corner = ValueOf<typeof cornerCodec>;
type Hull = ValueOf<typeof hullCodec>;
type Bounds = readonly Hull[];

const boundsCodec = checked(list(hullCodec, MAX_HULLS), areBounds, "bounds are none");

export const headCodec = struct({ size: u64, root: id });
export const nodeCodec = struct({ bounds: boundsCodec, content: id });
export type Head = ValueOf<typeof headCodec>;
export type Node = ValueOf<typeof nodeCodec>;

/** The root of a log without atoms. */
export const EMPTY_ROOT: string = toHex(taggedHash("sion/memory/v1", encode(u64, 0n)));

/** A node at its place, hence with its size. */
interface Placed extends Node {
  /** Atoms below it. */
  readonly size: bigint;
}

function inOrder(before: string, after: string): boolean {
  return compareBytes(utf8(before), utf8(after)) < 0;
}

/** Nothing, or hulls of named frames in order, or a single one without a frame. */
function areBounds(hulls: Bounds): boolean {
  return hulls.every(({ frame, min, max }, at) => {
    if (AXES.some((axis) => min[axis] >= max[axis])) return false;
    if (frame === null) return hulls.length === 1;
    const before = hulls[at - 1]?.frame ?? "";
    return inOrder(before, frame);
  });
}

/** The corner that takes of each axis what `pick` takes of two. */
function corner(a: Corner, b: Corner, pick: (a: bigint, b: bigint) => bigint): Corner {
  const { x, y, z, time } = a;
  return { x: pick(x, b.x), y: pick(y, b.y), z: pick(z, b.z), time: pick(time, b.time) };
}

/** The hull over two, with the frame of the first. */
function over(a: Hull, b: Hull): Hull {
  return {
    frame: a.frame,
    min: corner(a.min, b.min, (one, other) => one < other ? one : other),
    max: corner(a.max, b.max, (one, other) => one > other ? one : other),
  };
}

function joined(a: Bounds, b: Bounds): Bounds {
  const all = [...a, ...b];
  const ofFrame = new Map<string | null, Hull>();
  for (const hull of all) {
    const known = ofFrame.get(hull.frame);
    ofFrame.set(hull.frame, known === undefined ? hull : over(known, hull));
  }
  if (ofFrame.has(null) || ofFrame.size > MAX_HULLS) {
    return [{ ...all.reduce(over), frame: null }];
  }
  return [...ofFrame.values()].sort((one, other) =>
    inOrder(one.frame ?? "", other.frame ?? "") ? -1 : 1
  );
}

function hashOf({ size, bounds, content }: Placed): Uint8Array {
  const fields = [encode(u64, size), encode(boundsCodec, bounds), idBytes(content)];
  return taggedHash("sion/memory/v1", ...fields);
}

function parentOf(left: Placed, right: Placed): Placed {
  return {
    size: left.size + right.size,
    bounds: joined(left.bounds, right.bounds),
    content: toHex(taggedHash("sion/memory-pair/v1", hashOf(left), hashOf(right))),
  };
}

/** How many nodes show that a log of `older` atoms grew to `newer`, not fewer. */
export function growthLength(older: bigint, newer: bigint): number {
  return older === 0n || older === newer ? 0 : 1 + noted(older, newer);
}

/** Nodes beside the way down from the root over `newer` atoms to where the first `older` end. */
function noted(older: bigint, newer: bigint): number {
  if (older === newer) return 0;
  const left = leftSize(newer);
  return 1 + (older <= left ? noted(older, left) : noted(older - left, newer - left));
}

/** A tree as it was and as it is. */
interface Both {
  readonly was: Placed;
  readonly is: Placed;
}

/**
 * The tree over `newer` atoms, and that over the first `older` of them: the nodes stand in the order
 * in which they are joined.
 */
function rebuild(nodes: Iterator<Node>, older: bigint, newer: bigint): Both {
  const take = (size: bigint): Placed => ({ ...nodes.next().value as Node, size });
  if (older === newer) {
    const node = take(older);
    return { was: node, is: node };
  }
  const left = leftSize(newer);
  if (older <= left) {
    const { was, is } = rebuild(nodes, older, left);
    return { was, is: parentOf(is, take(newer - left)) };
  }
  const { was, is } = rebuild(nodes, older - left, newer - left);
  const beside = take(left);
  return { was: parentOf(beside, was), is: parentOf(beside, is) };
}

/**
 * Whether a proof shows that a log with one head became one with the other.
 * @param proof as many nodes as {@link growthLength} says.
 */
export function showsGrowth(from: Head, to: Head, proof: readonly Node[]): boolean {
  if (from.size === to.size) return from.root === to.root;
  if (from.size === 0n) return from.root === EMPTY_ROOT;
  const { was, is } = rebuild(proof.values(), from.size, to.size);
  return toHex(hashOf(was)) === from.root && toHex(hashOf(is)) === to.root;
}
