/** When sessions end and epochs with them: what every header's `session`, `sessionEnd` and `epoch` follow from. */
import { ROTATION_PULSES } from "#internal/ledger/mod.ts";
import type { Header } from "./header.ts";

/** True for the last header of its session: due, and with an anchor. */
export function isLastOfSession({ number, sessionEnd, anchors }: Header): boolean {
  return sessionEnd !== null && number >= sessionEnd && anchors.length > 0;
}

/** When a session is due to end after a Pulse in which a transaction changed a validator. */
export function sessionEndAfterChange(sessionEnd: bigint | null, pulse: bigint): bigint {
  const end = pulse + ROTATION_PULSES;
  return sessionEnd !== null && sessionEnd < end ? sessionEnd : end;
}
