/** What checking a Pulse costs a light client that has all of its data, beside its signatures alone. */
import { toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend, sha256 } from "#internal/crypto/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { LightSource } from "#internal/proofs/mod.ts";
import { verifyPulse, worldVerifier } from "#internal/proofs/mod.ts";

const RUNS = 5;

/** What was found of one Pulse. */
export type PulseCheck = {
  readonly pulse: number;
  /** The least of several runs, ms. */
  readonly checkMs: number;
  /** Different signatures that a check verifies; one that is met twice counts once. */
  readonly signatures: number;
};

/** Checks a Pulse again and again, with everything that the node serves of it at hand. */
export async function checkPulse(node: string, home: string, pulse: number): Promise<PulseCheck> {
  using client = openClient({ node, home, env: {} });
  const source = remembering(await client.proofSource());
  const ledger = createLedger();
  const met = new Set<string>();
  const counted = counting(await loadDualBackend(), met);
  // What the sample depends on is the same each time, or the next run would ask for other shares.
  const seed = sha256(new Uint8Array([pulse & 0xff]));
  let checkMs = Infinity;
  for (let run = 0; run <= RUNS; run += 1) {
    const startMs = performance.now();
    const { verified, report } = await verifyPulse({
      source,
      number: pulse,
      ledger,
      seed,
      world: worldVerifier(ledger),
      backend: run === 0 ? () => Promise.resolve(counted) : () => loadDualBackend(),
    });
    if (!verified) throw new Error(`Pulse ${pulse} does not hold: ${report.join("; ")}`);
    if (run > 0) checkMs = Math.min(checkMs, performance.now() - startMs);
  }
  return { pulse, checkMs, signatures: met.size };
}

/** A source that asks once for each thing. */
function remembering(source: LightSource): LightSource {
  const answers = new Map<string, unknown>();
  return new Proxy(source, {
    get: (target, name: keyof LightSource) => (...args: unknown[]) => {
      const key = `${name} ${JSON.stringify(args, (_, value: unknown) => String(value))}`;
      if (!answers.has(key)) {
        answers.set(key, (target[name] as (...args: unknown[]) => unknown)(...args));
      }
      return answers.get(key);
    },
  });
}

/** A backend that notes what it verifies. */
function counting(backend: DualBackend, met: Set<string>): DualBackend {
  return {
    ...backend,
    verify(publicKey, message, signature) {
      met.add(toHex(sha256(publicKey)) + toHex(message) + toHex(sha256(signature)));
      return backend.verify(publicKey, message, signature);
    },
  };
}
