import { readHooks } from "#internal/agent/mod.ts";
import { findProgram } from "#internal/sandbox/mod.ts";
import { pathExists } from "#internal/runtime/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine } from "./_check.ts";

/** The file of hooks is nobody else's, and what they run is there. */
export const hooks: Check = {
  name: "hooks",
  ofAgents: true,
  async run(machine) {
    let kept;
    try {
      kept = await readHooks(machine);
    } catch (error) {
      const { what, fix } = shownSentence(error);
      return failed(what, fix);
    }
    for (const [at, { command: [program = ""] }] of kept.entries()) {
      const isThere = program.includes("/")
        ? await pathExists(program)
        : findProgram(program, machine.env) !== undefined;
      if (!isThere) {
        return failed(
          `hook ${at + 1} runs ${program}, which is not there`,
          `put it there, or \`sion agent hooks remove ${at + 1}\``,
        );
      }
    }
    return fine(kept.length === 0 ? "there are none" : `${kept.length} kept, their programs there`);
  },
};
