/** What the stand-in for providers of models is told to answer. */

/** What the model says in one turn. */
export interface Said {
  readonly think?: string;
  readonly say?: string;
  /** `json` is sent as it stands; so it can be cut or wrong. */
  readonly calls?: readonly { readonly tool: string; readonly json: string }[];
  /** @default it ended, or calls */
  readonly stop?: "length" | "refusal" | "filter";
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
}

/** How one request is answered. */
export type Plan =
  | {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  }
  | (Said & {
    /** Bytes a piece. @default all at once */
    readonly split?: number;
    /** Comments and pings between the events. */
    readonly pings?: boolean;
    /** Bytes after which the stream is cut, and how. @default not at all */
    readonly cut?: Cut;
    /** Sent instead of the events of `say` and the others. */
    readonly raw?: string;
  });

/** Bytes that are sent, and what happens then. */
export type Cut = { readonly after: number; readonly how: "end" | "reset" | "hang" };

/** Words in pieces, as they come from a model. */
export function pieces(text: string, least = 7): string[] {
  const length = Math.max(least, Math.ceil(text.length / 1_000));
  const out: string[] = [];
  for (let at = 0; at < text.length; at += length) out.push(text.slice(at, at + length));
  return out;
}
