import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Which implementation signs. Each one derives a known key before it is used at all. */
export const signatures: Check = {
  name: "signatures",
  ofAgents: false,
  async run() {
    const { name } = await loadDualBackend();
    if (name.includes("simd")) return fine(`the ${name} kernel passes its self-test`);
    return look(
      `the fast kernel does not work here, ${name} signs instead and is slower`,
      "report it with `sion --version`",
    );
  },
};
