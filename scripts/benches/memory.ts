/** `memory`: a log of a million atoms in its file: appending, recalling, proving, against log n + k. */
import { join } from "node:path";
import process from "node:process";
import {
  boxOf,
  encodeAtom,
  headOf,
  nodeOver,
  proveGrowth,
  proveRecall,
  verifyRecall,
} from "#internal/memory/mod.ts";
import type { Atom, FramedHull } from "#internal/memory/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";
import { type Bench, progress, spread, tenth } from "./_bench.ts";
import { freshPlace } from "./_folder.ts";

const LOG = "5b".repeat(32);
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const QUICK_SIZES = [100, 1_000];
/** Atoms of one transaction: as when a robot writes down what it saw since the last one. */
const BATCH = 1_000;
/** Questions a row, spread over the log. */
const QUESTIONS = 40;
const MOST = 100_000;
const MB = 1 << 20;

/** A robot drives through a hall in rows and sees something a second, for ten seconds each. */
function seen(n: number): Atom {
  const [x, y] = [BigInt(n % 1000) * 50n, BigInt(Math.floor(n / 1000) % 1000) * 50n];
  return {
    kind: "observation",
    subject: `pallet-${n % 9973}`,
    predicate: "at",
    value: { kind: "entity", body: `aisle-${n % 40}` },
    confidence: 900,
    from: BigInt(n),
    until: BigInt(n + 10),
    place: { frame: "hall", min: [x, y, 0n], max: [x + 600n, y + 600n, 500n] },
  };
}

/** All that was seen anywhere for so many seconds from a moment on: about as many atoms, and ten. */
function moment(from: number, seconds: number): FramedHull {
  const hall = {
    frame: "hall",
    min: [0n, 0n, 0n] as const,
    max: [1n << 20n, 1n << 20n, 1000n] as const,
  };
  return boxOf(hall, BigInt(from), BigInt(from + seconds));
}

/** All that was ever seen at one spot: the robot comes by once in a million seconds. */
function spot(n: number): FramedHull {
  const { place } = seen(n);
  return place === null ? moment(n, 1) : boxOf(place, 0n, 1n << 40n);
}

export const memory: Bench = {
  name: "memory",
  brief: "a memory log of 10⁶ atoms: appending, recall time and proof size against log n + k",
  run({ quick }) {
    using place = freshPlace();
    using store = openMemoryStores(join(place.folder, "home")).open(LOG);
    const rows: Record<string, unknown>[] = [];
    const startRss = process.memoryUsage().rss;
    let appendMs = 0;
    let appendCpuMs = 0;
    for (const size of quick ? QUICK_SIZES : SIZES) {
      const from = store.size;
      const startMs = performance.now();
      const startCpu = process.cpuUsage();
      for (let at = from; at < size; at += BATCH) {
        const count = Math.min(BATCH, size - at);
        store.append(Array.from({ length: count }, (_, i) => encodeAtom(seen(at + i))));
      }
      appendMs += performance.now() - startMs;
      const { user, system } = process.cpuUsage(startCpu);
      appendCpuMs += (user + system) / 1000;
      progress(`${size} atoms`);
      const questions = { moment_1: 1, moment_100: 100, moment_1000: 1000 };
      for (const [name, seconds] of Object.entries(questions)) {
        if (seconds < size) rows.push(ask(store, size, name, (n) => moment(n, seconds)));
      }
      rows.push(ask(store, size, "spot", spot));
    }
    const startMs = performance.now();
    const size = store.size;
    const growth = proveGrowth(store, Math.floor(size / 3), size);
    return Promise.resolve({
      atoms: size,
      append_s: tenth(appendMs / 1000),
      append_cpu_s: tenth(appendCpuMs / 1000),
      appended_per_s: Math.round(size / (appendMs / 1000)),
      growth_nodes: growth.length,
      growth_ms: tenth(performance.now() - startMs),
      rss_grown_mb: Math.round((process.memoryUsage().rss - startRss) / MB),
      rows,
    });
  },
  show(result) {
    const { rows, ...all } = result as { readonly rows: readonly Record<string, unknown>[] };
    return [JSON.stringify(all), ...rows.map((row) => JSON.stringify(row))];
  },
};

/** Medians of questions spread over the log: what is found, and what it costs both sides. */
function ask(
  store: Parameters<typeof proveRecall>[0],
  size: number,
  question: string,
  boxAt: (n: number) => FramedHull,
): Record<string, unknown> {
  const head = headOf(nodeOver(store, 0, size));
  const took: { recall: number; verify: number; bytes: number; found: number }[] = [];
  for (let q = 0; q < QUESTIONS; q++) {
    const box = boxAt(Math.floor((q + 0.5) * size / QUESTIONS));
    const startMs = performance.now();
    const proof = proveRecall(store, size, box, MOST);
    const provenMs = performance.now();
    const verdict = verifyRecall(head, box, proof);
    const endMs = performance.now();
    if (!verdict.ok) throw new Error(`a recall does not verify: ${verdict.fault}`);
    took.push({
      recall: provenMs - startMs,
      verify: endMs - provenMs,
      bytes: proof.length,
      found: verdict.atoms.length,
    });
  }
  const found = spread(took.map((one) => one.found)).median;
  const bytes = spread(took.map((one) => one.bytes)).median;
  return {
    atoms: size,
    question,
    found,
    log_n_plus_k: tenth(Math.log2(size) + found),
    recall_ms: spread(took.map((one) => one.recall)).median,
    verify_ms: spread(took.map((one) => one.verify)).median,
    proof_bytes: bytes,
    bytes_per_log_n_plus_k: tenth(bytes / (Math.log2(size) + found)),
  };
}
