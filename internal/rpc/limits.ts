/** Limits of the contract. A request beyond one is refused before anything is read or kept. */
import { MAX_SIGNED_UNIT_BYTES } from "#internal/core/mod.ts";

/** Largest body of a request, in bytes: the hex of the largest unit, and room for what is around. */
export const MAX_BODY_BYTES: number = 2 * MAX_SIGNED_UNIT_BYTES + 4096;
/** Most items of one page of a list. */
export const MAX_PAGE = 200;
/** Bytes of one page of proofs, unless its first item alone has more. */
export const MAX_PAGE_BYTES = 1 << 20;
/** Most shares asked for at once. */
export const MAX_SHARES = 64;
/** Longest wait of a long poll, in milliseconds. */
export const MAX_WAIT_MS = 30_000;
/** Events listed unless `limit` says otherwise. */
export const DEFAULT_EVENTS = 50;
/** Pulses looked back for events unless `from` says otherwise. */
export const DEFAULT_EVENT_PULSES = 20;
