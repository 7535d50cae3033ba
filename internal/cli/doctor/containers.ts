import { containerEngine } from "#internal/sandbox/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Docker or Podman, for `--shell docker:…`. */
export const containers: Check = {
  name: "containers",
  ofAgents: true,
  async run({ env }) {
    const engine = await containerEngine(env);
    if (engine === undefined) {
      return fine("neither Docker nor Podman is installed; only --shell docker:… needs one");
    }
    if (engine.problem === undefined) return fine(`${engine.name} answers`);
    return look(
      `${engine.name} does not answer (${engine.problem})`,
      "start it, or see who may use it; only --shell docker:… needs it",
    );
  },
};
