/** How much of a provider's answer is taken. */

/** Bytes of a stream, and of an error. A turn has less: `turn_builder.ts`. */
export const ANSWER_BOUNDS = { maxBytes: 128 << 20, maxErrorBytes: 1 << 20 } as const;
