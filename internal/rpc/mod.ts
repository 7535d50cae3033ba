/** The contract between nodes and their clients: methods, shapes, limits, errors. Pure. */
export * from "./defaults.ts";
export * from "./devnet.ts";
export * from "./devnet_seed.ts";
export * from "./errors.ts";
export * from "./limits.ts";
export * from "./method.ts";
export * from "./methods.ts";
export * from "./object_words.ts";
export * from "./request.ts";
export * from "./views.ts";
export type { Wire, WireErrorCode, WireOf } from "./wire.ts";
/** The shapes themselves, for other values that are kept or sent as exact JSON. */
export * as wire from "./wire.ts";
