/** Bounds of an answer that is read while it comes. */
import { SionError } from "#internal/core/mod.ts";
import { createEventFilter } from "./event_filter.ts";

/** The bounds of one answer, bytes after decompression. */
export interface FetchBounds {
  /** Of an answer with a 2xx status. */
  readonly maxBytes: number;
  /** Of any other: it holds a message. */
  readonly maxErrorBytes: number;
  /**
   * Given where answers with a 2xx status are server-sent events: bytes of one event. Comments are
   * left out. @default they are something else
   */
  readonly maxEventBytes?: number;
  /** Called for each piece of a body. */
  readonly onBytes?: () => void;
}

/** `answer-too-large`: more bytes came, or in one event, than are taken; the connection was closed. */
export type FetchErrorCode = "answer-too-large";

/**
 * Takes the pieces of one body and returns what is kept of each, which may be nothing.
 * @param ok whether the answer has a 2xx status
 * @throws {SionError} `answer-too-large`
 */
export function createBodyBounds(
  { maxBytes, maxErrorBytes, maxEventBytes, onBytes }: FetchBounds,
  ok: boolean,
): (piece: Uint8Array) => Uint8Array {
  const most = ok ? maxBytes : maxErrorBytes;
  const filter = ok && maxEventBytes !== undefined ? createEventFilter(maxEventBytes) : undefined;
  let size = 0;
  return (piece) => {
    onBytes?.();
    size += piece.length;
    if (size > most) throw tooLarge(`the answer has more than ${most} bytes`);
    const kept = filter === undefined ? piece : filter.push(piece);
    if (kept !== undefined) return kept;
    throw tooLarge(`an event of the answer has more than ${maxEventBytes} bytes`);
  };
}

function tooLarge(what: string): SionError<FetchErrorCode> {
  return new SionError("answer-too-large", what);
}
