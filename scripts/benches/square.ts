/** What it costs to extend data to a square, to commit to it, and to get it back. */
import { sha256 } from "#internal/crypto/mod.ts";
import { DataSquare, reconstruct, SQUARE_WIDTH, verifyShare } from "#internal/merkle/mod.ts";
import { type Bench, thousandth } from "./_bench.ts";

/** A quiet Pulse, one with five signed payments, and one with a full block. */
const SIZES_BYTES = [4096, 115_000, 1 << 20];
/** Each step runs so often and so long; the least time counts, since others share the machine. */
const RUNS = 15;
const RUNS_MS = 300;

export const square: Bench = {
  name: "square",
  brief: "extending, committing to and reconstructing data of three sizes, in ms",
  run: () => Promise.resolve({ unit: "ms", sizes: SIZES_BYTES.map(measure) }),
};

function measure(bytes: number): Readonly<Record<string, number>> {
  const data = Uint8Array.from({ length: bytes }, (_, i) => i * 31 + (i >> 8) * 7);
  const chain = sha256();
  const whole = DataSquare.of(data);
  const root = whole.root(chain);
  const proof = whole.prove(3, 9, "row");
  // The quarter farthest from the data: everything is to be made.
  const shares = Array.from(
    { length: SQUARE_WIDTH ** 2 / 4 },
    (_, i) => whole.proveInAxis(8 + (i >> 3), 8 + (i & 7), i % 2 === 0 ? "row" : "column"),
  );
  const extend_ms = least(() => DataSquare.of(data));
  const extend_and_commit_ms = least(() => DataSquare.of(data).root(chain));
  return {
    bytes,
    extend_ms,
    commit_ms: thousandth(extend_and_commit_ms - extend_ms),
    hash_data_ms: least(() => sha256(data)),
    prove_ms: least(() => whole.prove(5, 5, "column")),
    verify_share_ms: least(() => verifyShare(root, chain, proof)),
    reconstruct_ms: least(() => reconstruct(whole.commitment, shares)),
  };
}

function least(work: () => unknown): number {
  let leastMs = Infinity;
  const endMs = performance.now() + RUNS_MS;
  for (let run = 0; run < RUNS || performance.now() < endMs; run++) {
    const startMs = performance.now();
    work();
    leastMs = Math.min(leastMs, performance.now() - startMs);
  }
  return thousandth(leastMs);
}
