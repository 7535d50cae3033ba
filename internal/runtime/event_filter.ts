/**
 * Server-sent events as their readers need them, by the WHATWG HTML standard, section 9.2.6: without
 * comments, which servers send to keep a connection and readers would collect, and with a bound for
 * one event, which readers hold whole.
 */
import { concatBytes } from "#internal/core/mod.ts";

const LF = 10;
const CR = 13;
const COLON = 58;

/** Takes a stream of events in pieces. */
export interface EventFilter {
  /**
   * What readers need of the next piece; may be empty.
   * @returns undefined once an event is larger than the bound
   */
  push(piece: Uint8Array): Uint8Array | undefined;
}

/** A filter at a stream's beginning. @param maxEventBytes bytes of one event */
export function createEventFilter(maxEventBytes: number): EventFilter {
  let atLineStart = true;
  let inComment = false;
  /** The last byte was a CR: an LF behind it ends the same line, and shares its fate. */
  let afterCr: "kept" | "left out" | undefined;
  let eventBytes = 0;
  return {
    push(piece) {
      const kept: Uint8Array[] = [];
      const ends = lineEnds(piece);
      let from = 0;
      const keep = (to: number): void => {
        if (to > from) kept.push(piece.subarray(from, to));
      };
      for (let at = 0; at < piece.length;) {
        const byte = piece[at];
        if (afterCr !== undefined) {
          if (byte === LF) {
            if (afterCr === "left out") from = at + 1;
            at++;
          }
          afterCr = undefined;
          continue;
        }
        if (atLineStart && byte === COLON) {
          keep(at);
          inComment = true;
        }
        const end = ends(at);
        const isEnded = end < piece.length;
        const next = isEnded ? end + 1 : end;
        if (inComment) from = next;
        else {
          eventBytes += next - at;
          if (eventBytes > maxEventBytes) return undefined;
          // An empty line ends the event.
          if (atLineStart && isEnded && end === at) eventBytes = 0;
        }
        if (isEnded && piece[end] === CR) afterCr = inComment ? "left out" : "kept";
        atLineStart = isEnded;
        if (isEnded) inComment = false;
        at = next;
      }
      keep(piece.length);
      return kept.length === 1 ? kept[0] : concatBytes(...kept);
    },
  };
}

/**
 * Where the line that goes on at a place ends; the piece's length when it does not end in it. Places only
 * go forward, so that the piece is looked through once.
 */
function lineEnds(piece: Uint8Array): (from: number) => number {
  const places = [LF, CR].map((byte) => ({ byte, at: -1 }));
  return (from) => {
    let end = piece.length;
    for (const place of places) {
      if (place.at < from) {
        const found = piece.indexOf(place.byte, from);
        place.at = found === -1 ? piece.length : found;
      }
      if (place.at < end) end = place.at;
    }
    return end;
  };
}
