/** Streams of text, as commands see them. */

/** A stream that text goes to. */
export interface TextSink {
  readonly isTty: boolean;
  readonly columns: number;
  readonly colour: boolean;
  write(text: string): void;
}
