/** How long clients of an HTTP server may take to ask. */

/** How often overdue requests are looked for, ms: the runtime's own 30 s would treble their time. */
const CHECK_MS = 2_000;

/** The options of Node's HTTP server for the time that requests may take to arrive. */
export interface ArrivalLimits {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly connectionsCheckingInterval: number;
}

/**
 * Options for `createServer`, so that nobody holds a connection without asking something. It is up to
 * 2 s more before an overdue request is noticed.
 * @param requestMs time for a request's head and body to arrive, ms
 * @param headMs time for its head alone, ms. @default requestMs
 */
export function arrivalLimits(requestMs: number, headMs = requestMs): ArrivalLimits {
  return {
    requestTimeout: requestMs,
    headersTimeout: headMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
  };
}
