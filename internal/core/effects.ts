/** The effects that pure code gets handed: time, randomness, a log. */

/** A source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** A source of randomness: `n` fresh bytes. */
export type Random = (n: number) => Uint8Array;

/** How grave a log line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where a program says what it did. Fields never hold secrets. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** A logger that says nothing. */
export const silentLogger: Logger = { log() {} };
