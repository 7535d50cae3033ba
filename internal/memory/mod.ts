/** Memory logs: atoms, the append-only tree with their bounds, its proofs. docs/protocol/memory.md. */
export type { Atom, AtomValue, Place, Point } from "./atom.ts";
export {
  ATOM_KINDS,
  atomFault,
  atomId,
  boxOf,
  decodeAtom,
  encodeAtom,
  MAX_ATOM_BYTES,
  MAX_CONFIDENCE,
  parseAtomValue,
  statementOf,
} from "./atom.ts";
export type { Bounds, FramedHull, Hull } from "./bounds.ts";
export { boundsFault, joinBounds, meets, OPEN_END } from "./bounds.ts";
export { growthProofLength, proveGrowth, verifyGrowth } from "./growth.ts";
export { proveAtom, verifyAtom } from "./inclusion.ts";
export { MemoryIndex } from "./memory_index.ts";
export type { MemoryHead, MemoryNode, SizedNode } from "./node.ts";
export {
  EMPTY_MEMORY_HEAD,
  headOf,
  joinNodes,
  MAX_LOG_ATOMS,
  MAX_PATH,
  memoryLeaf,
  memoryNodeCodec,
  memoryNodeHash,
} from "./node.ts";
export type { CompletedNode, MemoryPeaks } from "./peaks.ts";
export { appendLeaf, peaksHead } from "./peaks.ts";
export type { RecalledAtom, RecallErrorCode, RecallVerdict } from "./recall.ts";
export { proveRecall, verifyRecall } from "./recall.ts";
export type { MemorySource } from "./source.ts";
export { nodeOver } from "./source.ts";
