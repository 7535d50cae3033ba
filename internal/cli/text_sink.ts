/** Streams of text, as commands see them. */

/** A stream that text goes to. */
export interface TextSink {
  readonly isTty: boolean;
  readonly columns: number;
  readonly colour: boolean;
  /** Text that comes after a failed write is dropped. */
  write(text: string): void;
  /** Aborted at the first failed write, with the system's code as reason (`EPIPE`, `ENOSPC`). */
  readonly broken?: AbortSignal;
  /** Resolves when all that was written is out, or lost. */
  flush?(): Promise<void>;
}
