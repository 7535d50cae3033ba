/**
 * Where and when atoms held: half-open boxes in space and time, and what is known of many of them at
 * once. A place is in a frame of reference, whose coordinates say nothing about those of another.
 */
import type { Codec, CodecErrorCode } from "#internal/core/mod.ts";
import { compareBytes, i64, list, option, SionError, text, utf8 } from "#internal/core/mod.ts";

/** Bytes of the name of a frame. */
export const MAX_FRAME_BYTES = 64;
/** Frames that are told apart in the bounds of a subtree; with more, one hull stands for all. */
const MAX_FRAMES = 4;
/** The end of an interval without end: 2⁶³−1. */
export const OPEN_END: bigint = 2n ** 63n - 1n;

/** x, y and z in millimetres, then the time in seconds since the Unix epoch; signed 64-bit integers. */
export type Corner = readonly [x: bigint, y: bigint, z: bigint, time: bigint];

/**
 * A box that is not empty: on each axis from `min` up to, and without, `max`. `frame` is null where
 * it stands for places in frames that are not told apart.
 */
export interface Hull {
  readonly frame: string | null;
  readonly min: Corner;
  readonly max: Corner;
}

/** A box in one frame. */
export interface FramedHull extends Hull {
  readonly frame: string;
}

/**
 * The bounds of the atoms of a subtree: nothing where none has a place; one hull a frame, in strictly
 * ascending order of the frames' UTF-8, at most {@link MAX_FRAMES}; or one hull of any frame.
 */
export type Bounds = readonly Hull[];

const AXES = [0, 1, 2, 3] as const;

const cornerCodec: Codec<Corner> = {
  write(to, corner) {
    for (const axis of AXES) i64.write(to, corner[axis]);
  },
  read: (from) => [i64.read(from), i64.read(from), i64.read(from), i64.read(from)],
};

const frameCodec: Codec<string | null> = option(text(MAX_FRAME_BYTES));

const hullCodec: Codec<Hull> = {
  write(to, { frame, min, max }) {
    frameCodec.write(to, frame);
    cornerCodec.write(to, min);
    cornerCodec.write(to, max);
  },
  read: (from) => ({
    frame: frameCodec.read(from),
    min: cornerCodec.read(from),
    max: cornerCodec.read(from),
  }),
};

const hullsCodec: Codec<readonly Hull[]> = list(hullCodec, MAX_FRAMES);

/** The encoding of bounds; bytes that {@link boundsFault} finds a fault in are refused. */
export const boundsCodec: Codec<Bounds> = {
  write: (to, bounds) => hullsCodec.write(to, bounds),
  read(from) {
    const bounds = hullsCodec.read(from);
    const fault = boundsFault(bounds);
    if (fault === undefined) return bounds;
    throw new SionError<CodecErrorCode>("codec", `Cannot decode: ${fault}`);
  },
};

/** Why hulls are no bounds, else undefined. */
export function boundsFault(bounds: Bounds): string | undefined {
  for (const [at, hull] of bounds.entries()) {
    const fault = boxFault(hull);
    if (fault !== undefined) return fault;
    if (hull.frame === null && bounds.length > 1) return "a hull of any frame stands beside others";
    const before = bounds[at - 1]?.frame;
    if (before && hull.frame !== null && compareFrames(before, hull.frame) >= 0) {
      return "frames are not in strictly ascending order";
    }
  }
  return undefined;
}

/** Why a hull is no box, else undefined. */
export function boxFault({ frame, min, max }: Hull): string | undefined {
  if (frame === "") return "a frame has no name";
  return AXES.every((axis) => min[axis] < max[axis]) ? undefined : "a box is empty";
}

/** The bounds of all that is within either. */
export function joinBounds(a: Bounds, b: Bounds): Bounds {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const hulls = mergeFrames(a, b);
  if (hulls.length <= MAX_FRAMES && hulls.every(({ frame }) => frame !== null)) return hulls;
  return [hulls.reduce((all, hull) => ({ ...joinHulls(all, hull), frame: null }))];
}

/** One hull a frame, in the order of bounds; a hull of any frame is put first. */
function mergeFrames(a: Bounds, b: Bounds): Hull[] {
  const merged: Hull[] = [];
  let left = 0;
  let right = 0;
  for (;;) {
    const one = a[left];
    const other = b[right];
    if (one === undefined || other === undefined) break;
    const order = compareFrames(one.frame ?? "", other.frame ?? "");
    merged.push(order === 0 ? joinHulls(one, other) : order < 0 ? one : other);
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  return [...merged, ...a.slice(left), ...b.slice(right)];
}

function joinHulls(a: Hull, b: Hull): Hull {
  return {
    frame: a.frame,
    min: corner((axis) => a.min[axis] < b.min[axis] ? a.min[axis] : b.min[axis]),
    max: corner((axis) => a.max[axis] > b.max[axis] ? a.max[axis] : b.max[axis]),
  };
}

function corner(of: (axis: 0 | 1 | 2 | 3) => bigint): Corner {
  return [of(0), of(1), of(2), of(3)];
}

/** Whether something within the bounds may meet the box. */
export function meets(bounds: Bounds, box: FramedHull): boolean {
  return bounds.some((hull) =>
    (hull.frame === null || hull.frame === box.frame) &&
    AXES.every((axis) => hull.min[axis] < box.max[axis] && box.min[axis] < hull.max[axis])
  );
}

function compareFrames(a: string, b: string): number {
  return a === b ? 0 : compareBytes(utf8(a), utf8(b));
}
