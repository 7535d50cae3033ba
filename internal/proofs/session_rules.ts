/** When sessions end and epochs with them: what every header's `session`, `sessionEnd` and `epoch` follow from. */
import { ROTATION_PULSES } from "#internal/ledger/mod.ts";
import type { Header } from "./header.ts";

/** True for the last header of its session: due, and with an anchor. */
export function isLastOfSession({ number, sessionEnd, anchors }: Header): boolean {
  return sessionEnd !== null && number >= sessionEnd && anchors.length > 0;
}

/**
 * The Pulse at which the epoch of a session ends, null for never.
 * @param after the last Pulse of the session before, 0 for the first.
 * @param epochPulses Pulses of an epoch, null for one without end.
 */
export function epochEndAfter(after: bigint, epochPulses: bigint | null): bigint | null {
  return epochPulses === null ? null : (after / epochPulses + 1n) * epochPulses;
}

/** When a session is due to end after a Pulse in which a transaction changed a validator. */
export function sessionEndAfterChange(sessionEnd: bigint | null, pulse: bigint): bigint {
  const end = pulse + ROTATION_PULSES;
  return sessionEnd !== null && sessionEnd < end ? sessionEnd : end;
}
