/** What a session keeps of its capabilities. */
import type { JsonValue } from "#internal/core/mod.ts";

/** The settings that a session keeps, by the names of capabilities. */
export type CapabilitySettings = { readonly [name: string]: JsonValue };
