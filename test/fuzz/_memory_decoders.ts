/** Decoders of memory logs: atoms, nodes and bounds of proofs, proofs of recall. */
import type { Codec } from "#internal/core/mod.ts";
import { decode, encode } from "#internal/core/mod.ts";
import type { Atom, Bounds, MemoryNode } from "#internal/memory/mod.ts";
import {
  encodeAtom,
  joinBounds,
  memoryNodeCodec,
  memoryNodeHash,
  nodeOver,
  proveRecall,
  statementOf,
  verifyAtom,
  verifyRecall,
} from "#internal/memory/mod.ts";
import { atomCodec } from "../../internal/memory/atom.ts";
import { boundsCodec } from "../../internal/memory/bounds.ts";
import { SOME_ATOMS } from "../ledger/_memory.ts";
import { atomOf, box, indexOf } from "../memory/_atoms.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

const VALUES = [
  { kind: "boolean", body: true },
  { kind: "integer", body: -7n },
  { kind: "entity", body: "aisle-4" },
  { kind: "text", body: "as it stands" },
] as const;
const ATOMS: readonly Atom[] = [...VALUES.map((value) => atomOf({ value })), ...SOME_ATOMS];
const INDEX = indexOf(ATOMS);
const { head } = INDEX;
const ASKED = box([0, -50, -50], [900, 50, 50], 0, 1000);
const NODES: readonly MemoryNode[] = [1, 2, 8, ATOMS.length].map((n) => nodeOver(INDEX, 0, n));

function codec<T>(
  name: string,
  covers: readonly string[],
  of: Codec<T>,
  samples: readonly T[],
  use: (value: T) => unknown,
): Decoder {
  return decoder<T>({
    name,
    covers,
    samples: () => samples.map((value) => encode(of, value)),
    decode: (bytes) => decode(of, bytes),
    encode: (value) => encode(of, value),
    use,
  });
}

export const MEMORY_DECODERS: readonly Decoder[] = [
  codec("memory atom", ["atomCodec", "decodeAtom"], atomCodec, ATOMS, (atom) => {
    statementOf(atom);
    return verifyAtom(head, 0n, encodeAtom(atom), []);
  }),
  codec<Bounds>(
    "memory bounds",
    ["boundsCodec"],
    boundsCodec,
    NODES.map(({ bounds }) => bounds),
    (bounds) => joinBounds(bounds, NODES[3]?.bounds ?? []),
  ),
  codec(
    "memory node",
    ["memoryNodeCodec"],
    memoryNodeCodec,
    NODES,
    (node) => memoryNodeHash({ ...node, size: 4 }),
  ),
  decoder<Uint8Array>({
    name: "memory recall",
    covers: ["verifyRecall"],
    samples: () => [8, ATOMS.length].map((size) => proveRecall(INDEX, size, ASKED, 100)),
    decode: (bytes) => bytes,
    // Whatever it is, it is checked and answered with a fault.
    use: (proof) => verifyRecall(head, ASKED, proof),
  }),
];
