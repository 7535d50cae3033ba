/** Signed units of commits that break one rule of their shape each, written by stack B's codec. */
import { encode, toHex } from "#internal/core/mod.ts";
import type { MemoryHead, MemoryNode } from "#internal/memory/mod.ts";
import { decodeUnit, signedUnitCodec } from "../../internal/proofs/world/stack_b/unit.ts";
import type { Commit } from "../ledger/_memory.ts";
import { commit, growing } from "../ledger/_memory.ts";
import { World } from "../ledger/_world.ts";
import { ASTRAL, MAX_ATOMS, scattered, WIDE } from "./_memory_stories.ts";

type Hull = MemoryNode["bounds"][number];
const AXES = [0, 1, 2, 3] as const;

const grow = growing("44".repeat(32), scattered(["a", "b", "c", "d", "a", "b", "c"]));

const world = new World();
const signed = decodeUnit(
  world.ledger.encodeSigned(world.unit("alice", [commit(grow(3, 7))])),
);

/** A signed unit of a commit, whether it is one or not. */
export function unitOfCommit(body: Commit): Uint8Array {
  const members = signed.unit.members.map((member) => ({ ...member, body: asInStackB(body) }));
  return encode(signedUnitCodec, { ...signed, unit: { ...signed.unit, members } });
}

/** The body as stack B has it, with axes by their names and hashes in digits. */
function asInStackB({ proof, ...body }: Commit): unknown {
  const corner = ([x, y, z, time]: Hull["min"]) => ({ x, y, z, time });
  const hull = ({ frame, min, max }: Hull) => ({ frame, min: corner(min), max: corner(max) });
  const nodes = proof.map(({ bounds, content }) => ({
    bounds: bounds.map(hull),
    content: toHex(content),
  }));
  return { ...body, proof: nodes };
}

/** Bodies of commits that are none. */
export function misshapenCommits(): readonly Commit[] {
  const fine = grow(3, 7);
  const other: MemoryHead = { size: 3n, root: "55".repeat(32) };
  const bounded = (...bounds: Hull[]): Commit => ({
    ...fine,
    proof: fine.proof.map((node, at) => at === 1 ? { ...node, bounds } : node),
  });
  const hull = (frame: string | null, flat?: 0 | 1 | 2 | 3): Hull => {
    const corner = (value: bigint) => AXES.map((axis) => axis === flat ? 1n : value) as never;
    return { frame, min: corner(1n), max: corner(2n) };
  };
  return [
    { ...fine, to: fine.from, proof: [] },
    { ...fine, to: other, proof: [] },
    { ...fine, to: other, proof: [], seal: true },
    { ...fine, from: fine.to, to: fine.from, proof: [], seal: true },
    { ...grow(0, 1), to: { ...other, size: MAX_ATOMS + 1n } },
    { ...fine, proof: fine.proof.slice(1) },
    { ...fine, proof: [...fine.proof, ...fine.proof.slice(0, 1)] },
    { ...grow(0, 1), proof: fine.proof.slice(0, 1) },
    { ...grow(3, 3, true), proof: fine.proof.slice(0, 1) },
    ...AXES.map((axis) => bounded(hull("a", axis))),
    bounded({ ...hull("a"), min: hull("a").max, max: hull("a").min }),
    bounded(hull("")),
    bounded(hull("b"), hull("a")),
    bounded(hull("a"), hull("a")),
    bounded(hull(ASTRAL), hull(WIDE)),
    bounded(hull(null), hull("a")),
    bounded(hull("a"), hull(null)),
    bounded(hull(null), hull(null)),
  ];
}
