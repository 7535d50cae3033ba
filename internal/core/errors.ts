/** The base of every error that a caller handles: a stable code, a sentence, typed data. */

/**
 * An error with a stable `code`. Messages are in sentence case without a full stop, the action
 * first, then the state. A unit declares its own codes as a string union.
 */
export class SionError<Code extends string = string> extends Error {
  readonly code: Code;
  /** Typed facts about the failure, for programs; shape documented beside the code. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: Code,
    message: string,
    options: { cause?: unknown; data?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SionError";
    this.code = code;
    this.data = options.data ?? {};
  }
}

/**
 * What went wrong first: an error of giving something back, thrown on top of another, hides it. On a
 * full disk neither the work nor what ends it can be written.
 */
export function firstThrown(thrown: unknown): unknown {
  let at = thrown;
  while (at instanceof SuppressedError) at = at.suppressed;
  return at;
}

/** The text of anything thrown: an Error's message, else its string form. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Marks a branch that the types rule out; throws `TypeError` when a value slips through. */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected variant: ${JSON.stringify(value)}`);
}
