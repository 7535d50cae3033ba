/**
 * Framing of the stdio transport: one message a line, UTF-8. Reading bounds what one line may take,
 * writing waits for a reader that is slow.
 */

/** The most bytes one line may have: far above a unit of 128 members as hex. */
export const MAX_LINE_BYTES = 4 << 20;

/** A line of the input, or why there is none. */
export type Line =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "too-long" }
  | { readonly type: "not-utf8" };

const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines. The last line needs no line feed. Of a line above `maxBytes` nothing is
 * kept; reading goes on behind its end.
 * @param maxBytes @default MAX_LINE_BYTES
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else pieces.length = 0;
      if (end === -1) break;
      yield lineOf(pieces, size, maxBytes);
      pieces.length = 0;
      size = 0;
      start = end + 1;
    }
  }
  if (size > 0) yield lineOf(pieces, size, maxBytes);
}

function lineOf(pieces: readonly Uint8Array[], size: number, maxBytes: number): Line {
  if (size > maxBytes) return { type: "too-long" };
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  try {
    return { type: "line", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { type: "not-utf8" };
  }
}

/** Where lines go. */
export interface LineSink {
  /** Queues one line; the line feed is added. Order is kept. */
  write(text: string): void;
  /** Resolves when little enough is queued that more may be produced, or the reader is gone. */
  ready(): Promise<void>;
  /** Resolves when everything queued has left the process, or the reader is gone. */
  flush(): Promise<void>;
  /** Aborted when the reader is gone: nobody will see another line. */
  readonly closed: AbortSignal;
}

/** The part of a Node writable stream that a sink uses. */
export interface WritableOutput {
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Bytes queued for a slow reader above which no further input is read. */
const HIGH_WATER_BYTES = 4 << 20;

/** A sink on a stream such as standard output; the stream stays open. */
export function streamSink(output: WritableOutput): LineSink {
  const closed = new AbortController();
  let last: Promise<void> = Promise.resolve();
  // Without a listener, a reader that went away (EPIPE) would end the process with a stack trace.
  output.on("error", () => closed.abort());
  return {
    closed: closed.signal,
    write(text) {
      if (closed.signal.aborted) return;
      last = new Promise((resolve) => {
        output.write(`${text}\n`, (error) => {
          if (error) closed.abort();
          resolve();
        });
      });
    },
    async ready() {
      if (output.writableLength > HIGH_WATER_BYTES) await last;
    },
    flush: () => last,
  };
}
