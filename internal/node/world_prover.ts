/**
 * Checks Pulses' World Proofs as light clients do, from what the store serves them: both stacks, in
 * time that nothing else needs.
 */
import type { Logger } from "#internal/core/mod.ts";
import { decode, messageOf } from "#internal/core/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import {
  headerCodec,
  orderedOf,
  pulseDataCodec,
  sessionConfigCodec,
  worldVerifier,
} from "#internal/proofs/mod.ts";
import type { Header, ParameterFields, SessionConfig } from "#internal/proofs/mod.ts";
import { createAlarm } from "#internal/runtime/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";

/** Time left to others for each millisecond of checking: a twentieth of a thread at most. */
const REST = 19;
/** The same while the validator has work to do, when checks would be at the cost of payments. */
const BUSY_REST = 199;
/** How long a Pulse is left alone at first, ms: its certificate comes before anything else. */
const SETTLE_MS = 50;
/**
 * A Pulse with more transactions is left to light clients: both stacks take some 0.15 ms for each, and
 * for a busy chain's thousands they would hold the threads of all its validators up at once, for half
 * a second and more. How much is read before that is known, and of the witness, is bounded too.
 */
const MAX_TRANSACTIONS = 256;
const MAX_DATA_BYTES = 1 << 22;
const MAX_WITNESS_BYTES = 1 << 16;

/** What a prover works with. It owns none of it. */
export interface WorldProverOptions {
  readonly ledger: Ledger;
  readonly store: NodeState;
  readonly parameters: ParameterFields;
  /** Header of Pulse 0. */
  readonly first: Header;
  readonly logger: Logger;
  /** Milliseconds, for measuring only. */
  readonly nowMs: () => number;
  /** True while the validator has work to do. */
  readonly busy: () => boolean;
}

/** A running prover. */
export interface WorldProver {
  /** The newest Pulse that both stacks came to the header of; 0 before the first. */
  proven(): number;
  /** A Pulse, from 1, is in the store. Of several that wait only the newest is checked. */
  executed(number: number): void;
  stop(): void;
}

/** A prover that waits for Pulses. */
export function createWorldProver(options: WorldProverOptions): WorldProver {
  const { ledger, store, parameters, logger, nowMs } = options;
  const verify = worldVerifier(ledger);
  const alarm = createAlarm(() => check());
  let proven = 0;
  let newest = 0;
  /** No check begins before. */
  let rested = 0;
  let isWaiting = false;
  let stopped = false;

  const waitMs = (ms: number): void => {
    if (stopped) return;
    isWaiting = true;
    alarm.set(ms);
  };

  const headerOf = (number: number): Header | undefined => {
    if (number === 0) return options.first;
    const bytes = store.header(number);
    return bytes && decode(headerCodec, bytes);
  };

  /** Transactions of all Pulses up to one. */
  const executedUpTo = (number: number): number => {
    const { succeeded = 0, failed = 0, void: voided = 0 } = store.pulse(number)?.executed ?? {};
    return succeeded + failed + voided;
  };

  const nextOf = ({ session }: Header): SessionConfig | undefined => {
    const bytes = store.endOfSession(session)?.next;
    return bytes && decode(sessionConfigCodec, bytes);
  };

  const prove = async (number: number): Promise<boolean> => {
    if (executedUpTo(number) - executedUpTo(number - 1) > MAX_TRANSACTIONS) return false;
    const [header, before] = [headerOf(number), headerOf(number - 1)];
    const data = store.published(number)?.data;
    const witness = store.witness(number);
    if (!header || !before || !data || !witness) return false;
    if (data.length > MAX_DATA_BYTES || witness.length > MAX_WITNESS_BYTES) return false;
    const ordered = orderedOf(decode(pulseDataCodec, data)) ?? [];
    const verdict = await verify({
      header,
      before,
      ordered,
      parameters,
      next: nextOf(header),
      witness,
    });
    if (verdict.ok) return true;
    logger.log("error", `The World Proof of Pulse ${number} does not hold: ${verdict.reason}`);
    return false;
  };

  // No signature is verified again here, so that a check ends in the turn in which it began.
  const check = (): void => {
    isWaiting = false;
    const number = newest;
    const began = nowMs();
    prove(number).then(
      (holds) => {
        if (holds) proven = number;
        rested = nowMs() + (options.busy() ? BUSY_REST : REST) * (nowMs() - began);
      },
      (error: unknown) =>
        logger.log("error", `Cannot check the World Proof of Pulse ${number}: ${messageOf(error)}`),
    );
  };
  return {
    proven: () => proven,
    executed(number) {
      if (number < 1) return;
      newest = number;
      if (!isWaiting) waitMs(Math.max(SETTLE_MS, rested - nowMs()));
    },
    stop() {
      stopped = true;
      alarm.clear();
    },
  };
}
