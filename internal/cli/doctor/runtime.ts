import { VERSION } from "#internal/core/mod.ts";
import { isDeno, platformName, runtimeVersion } from "#internal/runtime/mod.ts";
import type { Check } from "./_check.ts";
import { failed, fine } from "./_check.ts";

const LEAST_NODE = 24;

/** Which sion this is, and what it runs on. */
export const runtime: Check = {
  name: "runtime",
  ofAgents: true,
  run({ program }) {
    const version = runtimeVersion();
    const says = `sion ${VERSION} (${platformName()}, ${program.origin}) on ${version}`;
    const major = Number(/\d+/.exec(version)?.[0] ?? 0);
    if (isDeno || major >= LEAST_NODE) return fine(says);
    return failed(`${says}, which is too old`, `install Node ${LEAST_NODE}, or the single binary`);
  },
};
