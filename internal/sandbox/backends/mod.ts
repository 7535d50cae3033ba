/** The kinds of sandbox. A new one is a file and a line here. */
import type { SandboxBackend } from "./_backend.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { docker } from "./docker.ts";

export type { SandboxMachine } from "./_backend.ts";

/** In the order in which a value is offered to them. */
export const backends: readonly SandboxBackend[] = [bubblewrap, docker];
