import { findProgram, firstLineOf } from "#internal/sandbox/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** The oldest that runs agents' programs: 3.9. */
const LEAST_MINOR = 9;

/** Python, for programs that agents write. */
export const python: Check = {
  name: "python",
  ofAgents: true,
  async run({ env }) {
    const fix = "`apt install python3`, if agents are to write programs";
    const file = findProgram("python3", env);
    if (file === undefined) return look("Python is not installed", fix);
    const says = await firstLineOf(file, ["--version"], env);
    const minor = Number(/^Python 3\.(\d+)/.exec(says)?.[1] ?? 0);
    if (minor >= LEAST_MINOR) return fine(`${says} at ${file}`);
    return look(`${file} is ${says === "" ? "no Python 3" : says}`, fix);
  },
};
