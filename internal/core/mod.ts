/** Errors, bytes, amounts, ids, exact JSON, the BCS codec, interfaces of effects. Imports nothing. */
export * from "./amounts.ts";
export type { Assumption } from "./assumptions.ts";
export { ASSUMPTIONS } from "./assumptions.ts";
export * from "./bytes.ts";
export * from "./closest.ts";
export * from "./codec.ts";
export * from "./effects.ts";
export * from "./errors.ts";
export * from "./escape.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./limits.ts";
export * from "./redaction.ts";
export * from "./terms.ts";
export * from "./version.ts";
